import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ENDPOINTS, type EndpointId } from '../../contract/endpoints.ts';
import type { AnswerOf, BodyOf, ParamsOf, QueryOf, Route } from '../../contract/route.ts';
import { ROUTES, type Routes } from '../../contract/routes.ts';
import type { Caller } from '../edge/caller.ts';
import type { Form } from '../edge/form.ts';
import { describe } from './describe.ts';

/** The checked and typed input of a handler. */
interface Asked<K extends EndpointId> {
  params: ParamsOf<Routes[K]>;
  query: QueryOf<Routes[K]>;
  /** JSON is checked; a form is parsed, and its handler checks the fields (see uploads.ts). */
  body: Routes[K] extends { body: { takes: 'form' } } ? Form : BodyOf<Routes[K]>;
  caller: Caller;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** The contract's JSON, nothing where it has none, or the reply where the handler sent something else itself. */
type Answer<K extends EndpointId> =
  | AnswerOf<Routes[K]>
  | FastifyReply
  // biome-ignore lint/suspicious/noConfusingVoidType: an async function without a return
  | (undefined extends AnswerOf<Routes[K]> ? void : never);

export type Handler<K extends EndpointId> = (asked: Asked<K>) => Answer<K> | Promise<Answer<K>>;

export interface ServeOptions {
  /** Maximum bytes of the body; see edge/body.ts for the default. */
  bodyBytes?: () => number;
  /** Whether a JSON body is passed as text, decided from the raw query: for a body that may also be other text. */
  asText?: (query: unknown) => boolean;
  /** An endless answer has no HEAD. */
  endless?: boolean;
}

/** The lowest status of a route: its success. */
const successOf = ({ answers }: Route): number => Math.min(...Object.keys(answers).map(Number));

/** Registers one operation of the contract, with its path, its checks and its document. */
export function serve<K extends EndpointId>(
  app: FastifyInstance,
  id: K,
  handler: Handler<K>,
  { bodyBytes, asText, endless = false }: ServeOptions = {},
): void {
  const { method, path } = ENDPOINTS[id];
  const route: Route = ROUTES[id];
  const success = successOf(route);
  app.route({
    method,
    url: path,
    schema: describe(id),
    config: {
      access: route.access,
      operation: id,
      ...(route.holder ? { holder: route.holder } : {}),
      ...(route.uncompressed ? { uncompressed: route.uncompressed } : {}),
      takes: route.body?.takes ?? 'nothing',
      ...(bodyBytes ? { bodyBytes } : {}),
      ...(route.body?.or ? { orText: route.body.or } : {}),
      ...(asText ? { asText } : {}),
    },
    ...(endless ? { exposeHeadRoute: false } : {}),
    handler(request, reply) {
      reply.code(success);
      // Fastify has checked them against the same schemas that these types come from.
      return handler({
        params: request.params as Asked<K>['params'],
        query: request.query as Asked<K>['query'],
        body: request.body as Asked<K>['body'],
        caller: request.caller,
        request,
        reply,
      });
    },
  });
}
