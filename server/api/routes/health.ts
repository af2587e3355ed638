import { answer, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { HealthResponse } from '../schemas/contract.ts';
import type { Api } from './common.ts';

/** GET /health. */
export function healthRoutes(app: Api, context: ApiContext): void {
  app.get(
    '/health',
    {
      config: { access: 'open' },
      schema: describe({
        id: 'getHealth',
        summary: 'Health of the service',
        tag: 'bench',
        access: 'open',
        ok: {
          200: answer('The service and its store are well.', HealthResponse),
          503: answer('The store cannot be written; what is asked for may be refused.', HealthResponse),
        },
      }),
    },
    async (_request, reply) => {
      const store = await context.storeHealthy();
      return reply.code(store ? 200 : 503).send({ status: store ? 'ok' : 'degraded', store });
    },
  );
}
