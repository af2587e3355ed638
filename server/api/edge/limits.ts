import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { apiError } from '../../errors/api.ts';
import type { ApiContext } from '../context.ts';

/** Callers that are remembered at the same time; more push the oldest out. */
const MOST_CALLERS = 10_000;

/** So many requests a minute for each caller on the LAN: the key where there is one, else the address. */
export async function limitRates(app: FastifyInstance, context: ApiContext): Promise<void> {
  await app.register(rateLimit, {
    cache: MOST_CALLERS,
    timeWindow: 60_000,
    max: () => context.settings.current.limits.requests_per_minute,
    allowList: (request) => request.caller.loopback,
    keyGenerator: (request) => request.caller.key?.id ?? request.socket.remoteAddress ?? '',
    errorResponseBuilder: (_request, { after }) =>
      apiError('rate_limited', {
        message: 'Too many requests came from this caller.',
        remedy: `Try again in ${after}; ?wait= and /events replace polling.`,
      }),
  });
}
