import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Accepted, type AnyJob, hasEnded, type Job } from '../../contract/jobs/jobs.ts';
import type { FpgaSummary, NodeView } from '../../contract/nodes/nodes.ts';
import type { JobBench } from '../../contract/remote/benches.ts';
import { jobsError } from '../../errors/jobs.ts';
import { queueRefusal } from '../bench/builds.ts';
import type { ApiContext } from '../context.ts';
import { designOf, nodeOf, requireBuildable } from '../designs/uploads.ts';
import { type Caller, forCaller, requireStillAdmitted } from '../edge/caller.ts';
import { FORM_OVERHEAD } from '../edge/form.ts';
import { whileAllowed } from '../edge/streams.ts';
import { validationError } from '../edge/validation.ts';
import { sendResult } from '../jobs/results.ts';
import { originOfForward, sendToRemoteBench } from '../remote/remote-jobs.ts';
import { serve } from '../serving/serve.ts';
import { isNamedRun, mapOnNode, numericRun } from './named-runs.ts';
import { requireByteSelects, runOf } from './runs.ts';

type AnyJobAccepted = Pick<AnyJob, 'job_id' | 'fpga_id' | 'status'> & { bench?: JobBench };

/** JSON text of a word: ten digits, a comma, and room for indentation. */
const BYTES_PER_WORD = 32;

const accepted = ({ job_id, fpga_id, status }: Job): Accepted => ({ job_id, fpga_id, status });
const anyAccepted = ({ job_id, fpga_id, status, bench }: AnyJobAccepted) => ({
  job_id,
  fpga_id,
  status,
  ...(bench && { bench }),
});

/** Routes of nodes: view, submit, run, reset and release. */
export function nodeRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool, settings } = context;

  /** The owner of a node: the holder, or the owner of the build in progress. */
  const ownerOf = ({ state, session, current_job_id: current }: NodeView): string | null => {
    if (session !== null) return session.owner;
    const builds = state === 'queued' || state === 'building' || state === 'programming';
    return builds && current !== null ? pool.findJob(current).owner : null;
  };
  const summary = (caller: Caller, node: NodeView): FpgaSummary => ({
    ...forCaller(context, caller, node),
    owner: ownerOf(node),
  });

  const requireRoom = ({ owner }: Caller, reply: FastifyReply): void => {
    const refusal = queueRefusal(context, owner);
    if (!refusal) return;
    reply.header('retry-after', refusal.after);
    throw refusal.error;
  };

  serve(app, 'listNodes', ({ caller }) => pool.nodes().map((node) => summary(caller, node)));
  serve(app, 'getNode', ({ params, caller }) => summary(caller, pool.node(params.fpga_id)));
  serve(app, 'getNodeDetails', ({ params, caller }) => forCaller(context, caller, pool.node(params.fpga_id)));

  serve(
    app,
    'submitDesign',
    async ({ params, query, body, caller, reply }) => {
      const design = await designOf(body, settings.current.limits.upload_bytes);
      await requireBuildable(context, design);
      requireRoom(caller, reply);
      const ask = query.replace ? pool.replace : pool.submit;
      return accepted(await ask(params.fpga_id, design, { owner: caller.owner }));
    },
    { bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
  );

  serve(
    app,
    'submitToAnyNode',
    async ({ body, caller, request, reply }) => {
      const design = await designOf(body, settings.current.limits.upload_bytes);
      const waitingFor = nodeOf(body);
      const sent = originOfForward(request, caller);
      if (waitingFor === null && sent === null) {
        const taken = await sendToRemoteBench(context, body, design, caller);
        if (taken !== null) return anyAccepted(taken);
      }
      await requireBuildable(context, design);
      requireRoom(caller, reply);
      const owner = sent?.owner ?? caller.owner;
      const input = sent === null ? design : { ...design, jobId: sent.jobId };
      const job = await pool.submitToAny(input, { owner }, waitingFor);
      if (job.owner !== owner)
        throw validationError([
          { loc: ['header', 'X-Job-ID'], msg: 'belongs to another job', type: 'value_error' },
        ]);
      return anyAccepted(job);
    },
    { bodyBytes: () => settings.current.limits.upload_bytes + FORM_OVERHEAD },
  );

  serve(
    app,
    'runTransaction',
    async ({ params: { fpga_id: fpgaId }, query: { wait }, body, caller, reply }) => {
      const { request, mask } = isNamedRun(body)
        ? numericRun(body, await mapOnNode(context, fpgaId))
        : { request: body, mask: undefined };
      const input = {
        ...runOf(request, settings.current.limits.words_per_run),
        ...(mask === undefined ? {} : { mask }),
      };
      await requireByteSelects(pool, fpgaId, input);
      const run = async (): Promise<Job> => {
        context.signals.requireClock(fpgaId);
        const job = await pool.run(fpgaId, input, { owner: caller.owner });
        reply.header('x-job-id', job.job_id);
        // For a field, the whole word is known only after the write.
        if (input.op === 1 && mask === undefined) context.streams.wrote(fpgaId, job.job_id, input.data);
        return job;
      };
      reply.code(202);
      if (!wait) return accepted(await run());
      // Check the caller's rights before the job is accepted.
      const check = () => requireStillAdmitted(context, caller, 'key');
      const job = await whileAllowed(context, 'wait', { caller, reply, check }, async (signal) => {
        const { job_id: jobId } = await run();
        await pool.waitForEnd(jobId, wait, signal);
        return pool.job(fpgaId, jobId);
      });
      if (!hasEnded(job.status)) return accepted(job);
      reply.code(200);
      return await sendResult(context, job, { caller, reply });
    },
    { bodyBytes: () => 64 * 1024 + BYTES_PER_WORD * settings.current.limits.words_per_run },
  );

  serve(app, 'resetNode', async ({ params, caller }) => {
    return accepted(await pool.reset(params.fpga_id, { owner: caller.owner }));
  });

  serve(app, 'getSession', ({ params, caller }) => {
    const { session } = forCaller(context, caller, pool.node(params.fpga_id));
    if (session === null) throw jobsError('no_active_session');
    return session;
  });

  serve(app, 'releaseSession', async ({ params, caller }) => {
    return accepted(await pool.release(params.fpga_id, { owner: caller.owner }));
  });
}
