import type { FastifyInstance } from 'fastify';
import type { Accepted, Job } from '../../contract/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { ApiContext } from '../context.ts';
import { designOf } from '../designs.ts';
import { forCaller, requireHolder } from '../edge/caller.ts';
import { FORM_OVERHEAD } from '../edge/form.ts';
import { runOf } from '../runs.ts';
import { serve } from '../serve.ts';

/** JSON text of a word: ten digits, a comma, and room for the indentation of whoever prints it. */
const BYTES_PER_WORD = 32;

const accepted = ({ job_id, fpga_id, status }: Job): Accepted => ({ job_id, fpga_id, status });

/** Nodes and their sessions: what they are, submit, run, reset and release. */
export function nodeRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool, settings } = context;

  serve(app, 'listNodes', ({ caller }) => pool.nodes().map((node) => forCaller(context, caller, node)));
  serve(app, 'getNode', ({ params, caller }) => forCaller(context, caller, pool.node(params.fpga_id)));
  serve(app, 'getNodeDetails', ({ params, caller }) => forCaller(context, caller, pool.node(params.fpga_id)));

  serve(
    app,
    'submitDesign',
    async ({ params, body, caller }) => {
      const design = designOf(body, settings.current.limits.upload_bytes);
      return accepted(await pool.submit(params.fpga_id, design, { owner: caller.owner }));
    },
    { bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
  );

  serve(
    app,
    'runTransaction',
    async ({ params, body, caller }) => {
      const run = runOf(body);
      requireHolder(context, caller, params.fpga_id);
      return accepted(await pool.run(params.fpga_id, run, { owner: caller.owner }));
    },
    { bodyBytes: () => 64 * 1024 + BYTES_PER_WORD * settings.current.limits.words_per_run },
  );

  serve(app, 'resetNode', async ({ params, caller }) => {
    requireHolder(context, caller, params.fpga_id);
    return accepted(await pool.reset(params.fpga_id, { owner: caller.owner }));
  });

  serve(app, 'getSession', ({ params, caller }) => {
    const { session } = forCaller(context, caller, pool.node(params.fpga_id));
    if (session === null) throw jobsError('no_active_session');
    return session;
  });

  serve(app, 'releaseSession', async ({ params, caller }) => {
    requireHolder(context, caller, params.fpga_id);
    return accepted(await pool.release(params.fpga_id, { owner: caller.owner }));
  });
}
