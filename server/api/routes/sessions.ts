import { jobsError } from '../../errors/jobs.ts';
import { answer, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { forCaller, requireHolder } from '../edge/caller.ts';
import { SessionResponse, SubmitResponse } from '../schemas/contract.ts';
import { type Api, NodeParams } from './common.ts';

/** Sessions: who holds a node, and giving it back. */
export function sessionRoutes(app: Api, context: ApiContext): void {
  const { pool } = context;

  app.get(
    '/fpga/:fpga_id/session',
    {
      schema: describe({
        id: 'getSession',
        summary: 'The session that holds the node',
        tag: 'sessions',
        params: NodeParams,
        ok: { 200: answer('The session.', SessionResponse) },
        errors: ['no_active_session'],
      }),
    },
    async (request) => {
      const { session } = forCaller(context, request.caller, pool.node(request.params.fpga_id));
      if (session === null) throw jobsError('no_active_session');
      return session;
    },
  );

  app.post(
    '/fpga/:fpga_id/session/release',
    {
      schema: describe({
        id: 'releaseSession',
        summary: 'Give the node back',
        description: 'Queues a reset; the node is idle when that job is complete.',
        tag: 'sessions',
        params: NodeParams,
        ok: { 202: answer('Accepted.', SubmitResponse) },
        errors: ['no_active_session', 'not_session_holder', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      requireHolder(context, request.caller, request.params.fpga_id);
      const { job_id, fpga_id, status } = await pool.release(request.params.fpga_id, {
        owner: request.caller.owner,
      });
      return reply.code(202).send({ job_id, fpga_id, status });
    },
  );
}
