import type { Static, TSchema } from 'typebox';
import type { FpgaState } from './nodes/nodes.ts';

/**
 * Who may use a route while keys are enforced: everyone, callers with a key, or the operator only. `local` is for
 * callers on this computer, and for others with a key or the operator token, enforced or not.
 */
export type Access = 'open' | 'local' | 'key' | 'operator';

/** A JSON answer, or one of a media type of its own; `or` is an alternative media type. */
export type Answer<T extends TSchema = TSchema> =
  | { description: string; schema: T; or?: string | readonly string[] }
  | { description: string; mediaType: string; or?: string; schema?: T };

/** The contract of one route: access, request and answers. */
export interface Route {
  summary: string;
  description?: string;
  tag: 'nodes' | 'jobs' | 'sessions' | 'signals' | 'identity' | 'bench' | 'designs' | 'courses' | 'live';
  access: Access;
  /**
   * The right that a caller needs while keys are enforced. `node`: the holder of the node; `job`: that holder or the
   * job's owner. `follow`: as `job`, when the log is followed. `stream`: as `node`, except for viewers. `replace`: as
   * `node`, for a replacing submit. `design`: the design's owner.
   */
  holder?: 'node' | 'job' | 'follow' | 'stream' | 'replace' | 'design';
  /**
   * Required states of the node (for a job: while it is the build of that node), and the error code in other states.
   */
  needs?: { states: readonly FpgaState[]; otherwise: string };
  params?: TSchema;
  query?: TSchema;
  /** The type and schema of the body; `or` are text media types accepted besides JSON. */
  body?: { takes: 'json' | 'form'; schema: TSchema; or?: readonly string[] };
  /**
   * Why the answer is never compressed. A `secret` (a key or a session's id) could leak through the size; `words` of
   * data gain little.
   */
  uncompressed?: 'secret' | 'words';
  /** Status → answer; the lowest is the success. */
  answers: Readonly<Record<number, Answer>>;
  /** Error codes that this route itself can answer with. */
  errors?: readonly string[];
  /** An area of the catalogue; the route can answer with all of its codes. */
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
/** A JSON answer with alternative media types that the query selects. */
export const answerOr = <T extends TSchema>(
  description: string,
  schema: T,
  or: string | readonly string[],
) => ({
  description,
  schema,
  or,
});
/** An answer other than JSON, of one media type or an alternative one. */
export const answerFile = (description: string, mediaType: string, or?: string) => ({
  description,
  mediaType,
  ...(or === undefined ? {} : { or }),
});
/** An answer without a body. Besides a JSON answer, it means that there is nothing of the kind. */
export const answerEmpty = (description: string) => ({ description, mediaType: '' });
