import type { Static, TSchema } from 'typebox';
import type { FpgaState } from './nodes/nodes.ts';

/**
 * Who may use a route while keys are enforced: everybody, callers with a key, or the operator alone. `local` is for
 * callers on this computer, and for others with a key or the operator token, enforced or not.
 */
export type Access = 'open' | 'local' | 'key' | 'operator';

/** A JSON answer, or one of a media type of its own; `or` is the media type that it may have instead. */
export type Answer<T extends TSchema = TSchema> =
  | { description: string; schema: T; or?: string | readonly string[] }
  | { description: string; mediaType: string; or?: string; schema?: T };

/** What is said over one route: who may call, what is sent, what comes back. */
export interface Route {
  summary: string;
  description?: string;
  tag: 'nodes' | 'jobs' | 'sessions' | 'signals' | 'identity' | 'bench' | 'designs' | 'live';
  access: Access;
  /**
   * While keys are enforced it is for who holds the node, or for who holds the node or asked for the job; `follow`: for
   * the latter, when the log is followed; `stream`: for who holds the node, unless it asks to be a viewer; `replace`: for
   * who holds the node, when its design is to be replaced; `design`: for whose design it is.
   */
  holder?: 'node' | 'job' | 'follow' | 'stream' | 'replace' | 'design';
  /** States of the node (for a job: while it is the build of that node) that take it, and the code of the others. */
  needs?: { states: readonly FpgaState[]; otherwise: string };
  params?: TSchema;
  query?: TSchema;
  /** What the body has to be, and its form; `or` are media types of texts that it may be instead of JSON. */
  body?: { takes: 'json' | 'form'; schema: TSchema; or?: readonly string[] };
  /**
   * Why the answer is never compressed: it hands out a key or a session's id, of which its size would tell, or is words of
   * data, which gain little for the time that it takes.
   */
  uncompressed?: 'secret' | 'words';
  /** Status → answer; the lowest is the success. */
  answers: Readonly<Record<number, Answer>>;
  /** Codes of the error catalogue that this route itself can answer. */
  errors?: readonly string[];
  /** An area of the catalogue all of whose codes it can answer. */
  errorArea?: 'toolchain';
}

type StaticOf<T> = T extends TSchema ? Static<T> : unknown;

/** Parameters of the path, with their types. */
export type ParamsOf<R extends Route> = StaticOf<R['params']>;
/** Parameters of the query; all of them are optional. */
export type QueryOf<R extends Route> = StaticOf<R['query']>;
export type BodyOf<R extends Route> = R extends { body: { schema: infer T } }
  ? StaticOf<T> | (R extends { body: { or: readonly string[] } } ? string : never)
  : never;
/** The JSON of a route's answers. */
export type AnswerOf<R extends Route> = {
  [S in keyof R['answers']]: R['answers'][S] extends { schema: infer T } ? StaticOf<T> : undefined;
}[keyof R['answers']];

/** A JSON answer. */
export const answer = <T extends TSchema>(description: string, schema: T) => ({ description, schema });
/** A JSON answer that the query may ask for in other media types. */
export const answerOr = <T extends TSchema>(
  description: string,
  schema: T,
  or: string | readonly string[],
) => ({
  description,
  schema,
  or,
});
/** An answer that is not JSON: of one media type, or of another one. */
export const answerFile = (description: string, mediaType: string, or?: string) => ({
  description,
  mediaType,
  ...(or === undefined ? {} : { or }),
});
/** An answer without a body. */
export const answerEmpty = (description: string) => ({ description, mediaType: '' });
