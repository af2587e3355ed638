import type { Static, TSchema } from 'typebox';

/** Who may use a route while keys are enforced: everybody, callers with a key, or the operator alone. */
export type Access = 'open' | 'key' | 'operator';

/** A JSON answer, or one of a media type of its own. */
export type Answer<T extends TSchema = TSchema> =
  | { description: string; schema: T }
  | { description: string; mediaType: string; schema?: T };

/** What is said over one route: who may call, what is sent, what comes back. */
export interface Route {
  summary: string;
  description?: string;
  tag: 'nodes' | 'jobs' | 'sessions' | 'identity' | 'bench' | 'designs' | 'live';
  access: Access;
  params?: TSchema;
  query?: TSchema;
  /** What the body has to be, and its form. */
  body?: { takes: 'json' | 'form'; schema: TSchema };
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
export type BodyOf<R extends Route> = R extends { body: { schema: infer T } } ? StaticOf<T> : never;
/** The JSON of a route's answers. */
export type AnswerOf<R extends Route> = {
  [S in keyof R['answers']]: R['answers'][S] extends { schema: infer T } ? StaticOf<T> : undefined;
}[keyof R['answers']];

/** A JSON answer. */
export const answer = <T extends TSchema>(description: string, schema: T) => ({ description, schema });
/** An answer that is not JSON. */
export const answerFile = (description: string, mediaType: string) => ({ description, mediaType });
/** An answer without a body. */
export const answerEmpty = (description: string) => ({ description, mediaType: '' });
