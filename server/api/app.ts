import fastifySwaggerUi from '@fastify/swagger-ui';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import fastify, {
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import type { TSchema } from 'typebox';
import { apiError } from '../errors/api.ts';
import type { ApiContext } from './context.ts';
import { readBodies } from './edge/body.ts';
import { admit, type Caller, identify } from './edge/caller.ts';
import { badUrl, envelope, sendError } from './edge/errors.ts';
import { securityHeaders } from './edge/headers.ts';
import { limitRates } from './edge/limits.ts';
import { checkOrigin } from './edge/origin.ts';
import { serializerCompiler } from './edge/serialisation.ts';
import { validatorCompiler } from './edge/validation.ts';
import { serveGui } from './gui.ts';
import { describeApi } from './openapi.ts';
import { benchRoutes } from './routes/bench.ts';
import type { Api } from './routes/common.ts';
import { designRoutes } from './routes/designs.ts';
import { eventRoutes } from './routes/events.ts';
import { healthRoutes } from './routes/health.ts';
import { identityRoutes } from './routes/identity.ts';
import { jobRoutes } from './routes/jobs.ts';
import { nodeRoutes } from './routes/nodes.ts';
import { sessionRoutes } from './routes/sessions.ts';
import * as benchSchemas from './schemas/bench.ts';
import * as contract from './schemas/contract.ts';
import * as details from './schemas/details.ts';

/** Longest segment of a path that reaches a validator, so that a long id is a 422 and not an unknown address. */
const LONGEST_SEGMENT = 8192;

/** Methods that an address may be asked with; the ones that it does not take are answered with 405. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const pathOf = (request: { url: string }): string => request.url.split('?')[0] ?? '';

const isComponent = (value: unknown): value is TSchema & { $id: string } =>
  typeof value === 'object' && value !== null && '$id' in value && typeof value.$id === 'string';

/** Answers every known address for the methods that it does not take. */
function refuseOtherMethods(app: Api, routes: Map<string, Set<string>>): void {
  for (const [url, taken] of routes) {
    const allow = [...taken].sort().join(', ');
    app.route({
      method: METHODS.filter((method) => !taken.has(method)),
      url,
      schema: { hide: true },
      config: { access: 'open', takes: 'refused' },
      handler: async (_request, reply) => {
        reply.header('allow', allow);
        throw apiError('method_not_allowed');
      },
    });
  }
}

/** The HTTP service over its context: routes, checks and documents. It does not listen by itself. */
export async function createApp(context: ApiContext): Promise<FastifyInstance> {
  const { logger } = context;
  const app: Api = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_SEGMENT },
    frameworkErrors(_error, request, reply) {
      const path = pathOf(request);
      reply.headers(securityHeaders(path));
      return sendError(badUrl(path), request as FastifyRequest, reply as never) as never;
    },
  }).withTypeProvider<TypeBoxTypeProvider>();

  const RunRequest = contract.runRequest(context.settings.current.limits.words_per_run);
  const components = new Map<string, TSchema>();
  for (const schema of [
    ...Object.values(contract),
    RunRequest,
    ...Object.values(details),
    ...Object.values(benchSchemas),
  ])
    if (isComponent(schema)) components.set(schema.$id, schema);
  for (const schema of components.values()) app.addSchema(schema);
  app.setValidatorCompiler(validatorCompiler(components));
  app.setSerializerCompiler(serializerCompiler(components));
  app.setErrorHandler(sendError);
  readBodies(app as unknown as FastifyInstance);

  app.decorateRequest('caller', null as unknown as Caller);
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(securityHeaders(pathOf(request)));
    // State is of this moment; files of the GUI say otherwise themselves.
    reply.header('cache-control', 'no-store');
    checkOrigin(context, request);
    request.caller = identify(context, request);
    admit(context, request.caller, request.is404 ? 'open' : (request.routeOptions.config.access ?? 'key'));
  });
  app.addHook('onResponse', async (request, reply) => {
    logger.info(
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        owner: request.caller?.owner,
      },
      'request',
    );
  });
  const plain = app as unknown as FastifyInstance;
  await limitRates(plain, context);
  await describeApi(plain, context.version);

  const routes = new Map<string, Set<string>>();
  const collect = ({ url, method }: RouteOptions) => {
    const methods = routes.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    routes.set(url, methods);
  };
  app.addHook('onRoute', collect);
  healthRoutes(app, context);
  nodeRoutes(app, context, RunRequest);
  jobRoutes(app, context);
  sessionRoutes(app, context);
  identityRoutes(app, context);
  eventRoutes(app, context);
  designRoutes(app, context);
  benchRoutes(app, context);
  app.get('/openapi.json', { schema: { hide: true }, config: { access: 'open' } }, async () => app.swagger());
  refuseOtherMethods(app, new Map(routes));

  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await docs.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      uiConfig: { docExpansion: 'list', validatorUrl: null, tryItOutEnabled: true },
      theme: { title: 'Wishbench API' },
    });
  });
  await serveGui(plain, context.guiFolder);

  app.setNotFoundHandler({ preHandler: plain.rateLimit() as never }, async (request, reply) =>
    sendError(apiError('not_found'), request, reply),
  );
  await app.ready();
  return plain;
}

export { envelope };
