import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { ERROR_AREAS } from '../errors/catalogue.ts';
import { ErrorEnvelope, ValidationEnvelope } from './schemas/contract.ts';

/** Who may use a route while keys are enforced: everybody, callers with a key, or the operator alone. */
export type Access = 'open' | 'key' | 'operator';

export interface RouteDescription<P = undefined, Q = undefined, B = undefined> {
  /** Unique name of the operation, for generated clients. */
  id: string;
  summary: string;
  description?: string;
  tag: 'nodes' | 'jobs' | 'sessions' | 'identity' | 'bench' | 'designs' | 'live';
  access?: Access;
  params?: P;
  query?: Q;
  body?: B;
  /** Media types of the body; `application/json` when absent. */
  consumes?: string[];
  /** Status → schema of the answer, with a description of its own. */
  ok: Record<number, unknown>;
  /** Codes of the error catalogue that this route itself can answer. */
  errors?: string[];
}

const STATUSES = new Map(
  Object.values(ERROR_AREAS).flatMap((codes) =>
    Object.entries(codes).map(([code, { status }]) => [code, status] as const),
  ),
);

/** What any route can answer, whatever it does. */
const COMMON = [
  'bad_request',
  'host_not_allowed',
  'origin_not_allowed',
  'invalid_operator_token',
  'request_timeout',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_stopping',
];

function codesOf(route: RouteDescription<unknown, unknown, unknown>): string[] {
  const codes = [...(route.errors ?? []), ...COMMON];
  if (route.access !== 'open') codes.push('missing_api_key', 'invalid_api_key');
  if (route.access === 'operator') codes.push('operator_only');
  if (route.params ?? route.query ?? route.body) codes.push('validation_error');
  if (route.body) codes.push('file_too_large', 'unsupported_media_type');
  return [...new Set(codes)];
}

/**
 * The Fastify schema of a route: what validates it, and in `response` every status that it can answer, each with
 * the codes that stand behind it. openapi.json is generated from it.
 */
export function describe<P = undefined, Q = undefined, B = undefined>(
  route: RouteDescription<P, Q, B>,
): FastifySchema & { params: P; querystring: Q; body: B } {
  const byStatus = new Map<number, string[]>();
  for (const code of codesOf(route)) {
    const status = STATUSES.get(code);
    if (status === undefined) throw new Error(`Unknown error code ${code} at “${route.summary}”.`);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const response: Record<number, unknown> = { ...route.ok };
  for (const [status, codes] of byStatus) {
    const envelope: TSchema & { $id: string } = status === 422 ? ValidationEnvelope : ErrorEnvelope;
    if (response[status] !== undefined) continue;
    response[status] = {
      description: codes.map((code) => `\`${code}\``).join(', '),
      $ref: `${envelope.$id}#`,
    };
  }
  const schema = {
    operationId: route.id,
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    tags: [route.tag],
    ...(route.params === undefined ? {} : { params: route.params }),
    ...(route.query === undefined ? {} : { querystring: route.query }),
    ...(route.body === undefined ? {} : { body: route.body }),
    ...(route.consumes === undefined ? {} : { consumes: route.consumes }),
    ...(route.access === 'open' ? { security: [] } : {}),
    response,
  };
  return schema as unknown as FastifySchema & { params: P; querystring: Q; body: B };
}

/** An answer that is a component, with its description. */
export const answer = (description: string, schema: { $id: string }) => ({
  description,
  $ref: `${schema.$id}#`,
});

export const answerList = (description: string, schema: { $id: string }) => ({
  description,
  type: 'array',
  items: { $ref: `${schema.$id}#` },
});

/** An answer that is not JSON. */
export const answerText = (description: string, mediaType: string) => ({
  description,
  content: { [mediaType]: { schema: { type: 'string' } } },
});

export const answerEmpty = (description: string) => ({ description, type: 'null' });
