import { randomUUID } from 'node:crypto';
import fastifySwaggerUi from '@fastify/swagger-ui';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
  LogController,
  type RouteOptions,
} from 'fastify';
import { allComponents } from '../contract/components.ts';
import { runRequest } from '../contract/jobs/runs.ts';
import { apiError } from '../errors/api.ts';
import { auditRequests } from './bench/audit.ts';
import { benchRoutes } from './bench/bench-routes.ts';
import { boardRoutes } from './boards/boards-routes.ts';
import type { ApiContext } from './context.ts';
import { assignmentRoutes } from './courses/assignments-routes.ts';
import { courseRoutes } from './courses/courses-routes.ts';
import { designRoutes } from './designs/designs-routes.ts';
import { registerMapRoutes } from './designs/register-maps-routes.ts';
import { scanRoutes } from './designs/scan-routes.ts';
import { scriptRoutes } from './designs/scripts-routes.ts';
import { readBodies } from './edge/body.ts';
import { admit, checkToken, identify, requireHolding, requireStillAdmitted } from './edge/caller.ts';
import { badUrl, sendError } from './edge/errors.ts';
import { securityHeaders } from './edge/headers.ts';
import { isWrongGuess } from './edge/limits.ts';
import { checkOrigin } from './edge/origin.ts';
import { schemaController } from './edge/schemas.ts';
import { refuseSecretsInAddress } from './edge/secret-address.ts';
import { sendInPieces } from './edge/streams.ts';
import { eventRoutes } from './events/events-routes.ts';
import { identityRoutes } from './identity/identity-routes.ts';
import { jobRoutes } from './jobs/jobs-routes.ts';
import { controlRoutes } from './nodes/control-routes.ts';
import { csrRoutes } from './nodes/csr-routes.ts';
import { nodeRoutes } from './nodes/nodes-routes.ts';
import { pinRoutes } from './nodes/pins-routes.ts';
import { benchesRoutes } from './remote/benches-routes.ts';
import { withReferences } from './serving/describe.ts';
import { serveGui } from './serving/gui.ts';
import { describeApi } from './serving/openapi.ts';
import { signalRoutes } from './signals/signals-routes.ts';
import { streamRoutes } from './stream/stream-routes.ts';

/** Longest path segment that reaches a validator. A long id then gives a 422 instead of an unknown address. */
const MAX_SEGMENT_LENGTH = 8192;

/** Methods that a path may be called with; those it does not support get a 405. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

const pathOf = (request: { url: string }): string => request.url.split('?')[0] ?? '';

/** Answers every known path for unsupported methods. */
function refuseOtherMethods(app: FastifyInstance, routes: Map<string, Set<string>>): void {
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

/** Creates the HTTP service: routes, checks and documents. It does not listen by itself. */
export async function createApp(context: ApiContext): Promise<FastifyInstance> {
  const { logger } = context;
  const loggerInstance: FastifyBaseLogger = logger;
  const components = allComponents();
  const RunRequest = runRequest(context.settings.current.limits.words_per_run);
  components.set(RunRequest.$id, RunRequest);
  const app = fastify({
    schemaController: schemaController(components),
    loggerInstance,
    // A slow computer may need more than the default of ten seconds to start.
    pluginTimeout: 0,
    // Always generated here: a caller's own id could forge entries in the log.
    genReqId: () => randomUUID(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request' }),
    exposeHeadRoutes: true,
    forceCloseConnections: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_SEGMENT_LENGTH },
    frameworkErrors(_error, request, reply) {
      const path = pathOf(request);
      reply.headers({ ...securityHeaders(path), 'x-request-id': request.id });
      sendError(badUrl(path), request, reply);
    },
  });

  for (const schema of components.values()) app.addSchema(withReferences(schema));
  app.setErrorHandler(sendError);
  readBodies(app, context.clock);

  app.decorateRequest('caller');
  const accessOf = (request: FastifyRequest) =>
    request.is404 ? 'open' : (request.routeOptions.config.access ?? 'key');
  // Hooks without waiting use callbacks instead of promises, because every request runs all of them.
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(securityHeaders(pathOf(request)));
    // Answers show the state of the moment; the GUI's files set their own headers.
    reply.headers({ 'x-request-id': request.id, 'cache-control': 'no-store' });
    const caller = identify(context, request);
    request.caller = caller;
    // Count before any refusal, so that refused requests count too.
    const most = context.settings.current.limits.requests_per_minute;
    if (!caller.loopback) context.limits.request(caller.countedAs, most, reply);
    checkOrigin(context, request);
    refuseSecretsInAddress(request);
    checkToken(context, request, reply);
    admit(context, caller, accessOf(request), reply);
    context.holders.note(caller, request.socket.remoteAddress);
    done();
  });
  // A body may take two minutes to arrive, and its sender's right may end meanwhile.
  app.addHook('preHandler', (request, _reply, done) => {
    requireStillAdmitted(context, request.caller, accessOf(request));
    if (!request.is404) requireHolding(context, request);
    done();
  });
  sendInPieces(app, context);
  app.addHook('onError', async (request, _reply, error) => {
    if (isWrongGuess(error)) context.limits.guessed(request.caller.origin);
  });
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.is404 ? 'unknown' : (request.routeOptions.url ?? 'unknown');
    context.metrics.onRequest(request.method, route, reply.statusCode, reply.elapsedTime);
    // A watching bench polls every second and a half, for as long as it runs.
    const looks = request.routeOptions.config.operation === 'getOwnBench' && reply.statusCode < 400;
    request.log[looks ? 'debug' : 'info'](
      {
        method: request.method,
        path: pathOf(request),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        owner: request.caller?.owner,
      },
      'request',
    );
    done();
  });
  auditRequests(app, context);
  await describeApi(app, context.version);

  const routes = new Map<string, Set<string>>();
  const collect = ({ url, method }: RouteOptions) => {
    const methods = routes.get(url) ?? new Set();
    for (const one of [method].flat()) methods.add(one);
    routes.set(url, methods);
  };
  app.addHook('onRoute', collect);
  nodeRoutes(app, context);
  controlRoutes(app, context);
  streamRoutes(app, context);
  csrRoutes(app, context);
  pinRoutes(app, context);
  jobRoutes(app, context);
  identityRoutes(app, context);
  eventRoutes(app, context);
  scanRoutes(app, context);
  designRoutes(app, context);
  registerMapRoutes(app, context);
  scriptRoutes(app, context);
  assignmentRoutes(app, context);
  signalRoutes(app, context);
  benchRoutes(app, context);
  boardRoutes(app, context);
  benchesRoutes(app, context);
  courseRoutes(app, context);
  app.get('/openapi.json', { schema: { hide: true }, config: { access: 'open' } }, async () => app.swagger());
  refuseOtherMethods(app, new Map(routes));

  await app.register(async (docs) => {
    docs.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'open' };
    });
    await docs.register(fastifySwaggerUi, {
      routePrefix: '/docs',
      indexPrefix: '.',
      // This page is one folder deeper than /openapi.json.
      transformSpecification: (document) => ({ ...document, servers: [{ url: '..' }] }),
      transformSpecificationClone: false,
      uiConfig: { docExpansion: 'list', validatorUrl: null, tryItOutEnabled: true },
      theme: { title: 'Wishbench API' },
    });
  });
  await serveGui(app, context.guiFolder);

  app.setNotFoundHandler(async (request, reply) => sendError(apiError('not_found'), request, reply));
  await app.ready();
  return app;
}
