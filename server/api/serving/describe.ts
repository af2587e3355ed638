import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { isComponent } from '../../contract/component.ts';
import type { EndpointId } from '../../contract/endpoints.ts';
import { ErrorEnvelope, ValidationEnvelope } from '../../contract/failures.ts';
import type { Answer, Route } from '../../contract/route.ts';
import { ROUTES } from '../../contract/routes.ts';
import { ERROR_AREAS, type ErrorCode } from '../../errors/catalogue.ts';

const STATUSES = new Map<string, number>(
  Object.values(ERROR_AREAS).flatMap((codes) =>
    Object.entries(codes).map(([code, { status }]): [string, number] => [code, status]),
  ),
);

/** The routes, typed so that an error code outside the catalogue does not compile. */
const KNOWN: Readonly<Record<EndpointId, Omit<Route, 'errors'> & { errors?: readonly ErrorCode[] }>> = ROUTES;

/** Errors that any route can answer with. */
const COMMON: readonly ErrorCode[] = [
  'bad_request',
  'host_not_allowed',
  'origin_not_allowed',
  'key_in_address',
  'invalid_operator_token',
  'request_timeout',
  'expectation_failed',
  'rate_limited',
  'too_many_guesses',
  'too_busy',
  'headers_too_large',
  'internal_error',
  'service_stopping',
];

function codesOf(id: EndpointId): ReadonlySet<string> {
  const { errors = [], errorArea, access, params, query, body } = KNOWN[id];
  const codes: string[] = [...errors, ...(errorArea ? Object.keys(ERROR_AREAS[errorArea]) : []), ...COMMON];
  if (access !== 'open') codes.push('missing_api_key', 'invalid_api_key');
  if (access === 'operator') codes.push('operator_only');
  if (params ?? query ?? body) codes.push('validation_error');
  if (body) codes.push('file_too_large', 'unsupported_media_type');
  return new Set(codes);
}

/** A schema in OpenAPI form, with references to components. */
export function withReferences(schema: TSchema): TSchema {
  const referring = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(referring);
    if (typeof value !== 'object' || value === null) return value;
    if (isComponent(value)) return { $ref: `${value.$id}#` };
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, referring(one)]));
  };
  if (!isComponent(schema)) return referring(schema) as TSchema;
  const { $id, ...rest } = schema;
  return { $id, ...(referring(rest) as object) } as TSchema;
}

const reference = (schema: TSchema): TSchema =>
  isComponent(schema) ? { $ref: `${schema.$id}#` } : withReferences(schema);

/** A body that may be text of other types is described and checked by its own type. */
function bodyOf({ schema, or }: NonNullable<Route['body']>): object {
  if (or === undefined) return reference(schema);
  const text = Object.fromEntries(or.map((type) => [type, { schema: { type: 'string' } }]));
  return { content: { 'application/json': { schema: reference(schema) }, ...text } };
}

function responseOf(answer: Answer): Record<string, unknown> {
  const { description } = answer;
  if (!('mediaType' in answer)) {
    if (answer.or === undefined) return { description, ...reference(answer.schema) };
    const content = {
      'application/json': { schema: reference(answer.schema) },
      ...Object.fromEntries([answer.or].flat().map((type) => [type, { schema: { type: 'string' } }])),
    };
    return { description, content };
  }
  if (answer.mediaType === '') return { description, type: 'null' };
  const schema = answer.schema ? reference(answer.schema) : { type: 'string' };
  const { mediaType, or } = answer;
  return {
    description,
    content: { [mediaType]: { schema }, ...(or ? { [or]: { schema } } : {}) },
  };
}

/**
 * The Fastify schema of a route. openapi.json is generated from it, with every status and its error codes. Validation
 * and serialisation use the contract's own schemas.
 */
export function describe(id: EndpointId): FastifySchema {
  const { summary, description, tag, access, params, query, body, answers } = KNOWN[id];
  const byStatus = new Map<number, string[]>();
  for (const code of codesOf(id)) {
    const status = STATUSES.get(code) ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const response: Record<number, unknown> = {};
  for (const [status, answer] of Object.entries(answers)) response[Number(status)] = responseOf(answer);
  for (const [status, codes] of byStatus)
    response[status] ??= {
      description: codes.map((code) => `\`${code}\``).join(', '),
      ...reference(status === 422 ? ValidationEnvelope : ErrorEnvelope),
    };
  const schema = {
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    tags: [tag],
    ...(params ? { params } : {}),
    ...(query ? { querystring: query } : {}),
    ...(body ? { body: bodyOf(body) } : {}),
    ...(body?.takes === 'form' ? { consumes: ['multipart/form-data'] } : {}),
    ...(access === 'open' ? { security: [] } : {}),
    response,
  };
  return schema;
}
