import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type AnyJob, hasEnded } from '../../contract/jobs/jobs.ts';
import { jobsError } from '../../errors/jobs.ts';
import type { ApiContext } from '../context.ts';
import { type Caller, ownName, requireJobHolder, requireStillAdmitted } from '../edge/caller.ts';
import { PIECE, READ_AHEAD } from '../edge/outgoing.ts';
import { sendStream, whileAllowed } from '../edge/streams.ts';
import { briefly, findRemoteJob, readRemoteJob, withRemoteJobs } from '../remote/remote-jobs.ts';
import { sendFile } from '../serving/send-file.ts';
import { serve } from '../serving/serve.ts';
import { floorplanOf } from '../signals/floorplan.ts';
import { sendResult } from './results.ts';

/** Memory to reserve for the text of each job in a list, bytes. */
const BYTES_PER_JOB = 1024;

/** Ratio of a project's size to its archive's, for the memory to reserve before unpacking. */
const EXPANSION = 8;

/** Lets a polling client see the end of a short job at its first request. */
const BRIEF_SECONDS = 0.05;

async function* skip(chunks: AsyncIterable<Buffer>, bytes: number): AsyncIterable<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** Routes of jobs: status, log, result, cancel, lists, and the files of a build. */
export function jobRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool } = context;

  /**
   * The job at once, or after a change of status or `wait` seconds. Without `wait` it waits briefly for a job that may
   * end soon, where no other caller loses its place.
   */
  async function jobWithin<T extends AnyJob>(
    look: () => T,
    wait: number | undefined,
    { caller, request, reply }: { caller: Caller; request: FastifyRequest; reply: FastifyReply },
  ): Promise<T> {
    const job = look();
    const brief = wait === undefined && request.method === 'GET';
    if (hasEnded(job.status) || (!wait && !brief)) return job;
    const check = () => requireStillAdmitted(context, caller, 'key');
    const hold = async (signal: AbortSignal) => {
      if (brief) await pool.waitForEnd(job.job_id, BRIEF_SECONDS, signal);
      else await pool.waitForChange(job.job_id, wait ?? 0, signal);
    };
    if (!brief || context.underway.hasRoom('wait', caller))
      await whileAllowed(context, 'wait', { caller, reply, check }, hold);
    return look();
  }

  for (const id of ['getJob', 'getJobDetails'] as const)
    serve(app, id, ({ params: { fpga_id, job_id }, query, ...asked }) =>
      jobWithin(() => pool.job(fpga_id, job_id), query.wait, asked),
    );
  serve(app, 'findJob', ({ params: { job_id }, query, ...asked }) =>
    context.away.has(job_id)
      ? findRemoteJob(context, job_id, query.wait, asked)
      : jobWithin(() => pool.findJob(job_id), query.wait, asked),
  );

  /** Jobs for a list, when there is memory for their text. */
  async function listed<T extends AnyJob>(
    { caller, reply }: { caller: Caller; reply: FastifyReply },
    jobs: T[],
  ): Promise<T[]> {
    await context.outgoing.reserve(reply.raw, caller, jobs.length * BYTES_PER_JOB);
    return jobs;
  }

  serve(app, 'listNodeJobs', ({ params, query: { status: statuses, limit = 100 }, ...asked }) =>
    listed(asked, pool.jobs({ fpgaId: params.fpga_id, limit, ...(statuses ? { statuses } : {}) })),
  );
  serve(app, 'listJobs', async ({ query: { status, type, owner, limit = 100 }, ...asked }) => {
    const whose = owner ?? ownName(asked.caller);
    const filter = {
      limit,
      ...(status ? { statuses: status } : {}),
      ...(type ? { types: type } : {}),
      ...(whose === '*' ? {} : { owner: whose }),
    };
    return await listed(asked, await withRemoteJobs(context, pool.allJobs(filter), filter));
  });

  /** Sends the log of a job; node null for any node, or none. */
  async function sendLog(
    fpgaId: number | null,
    jobId: string,
    { follow, offset = 0 }: { follow?: boolean; offset?: number },
    { caller, reply }: { caller: Caller; reply: FastifyReply },
  ): Promise<FastifyReply> {
    const look = () => (fpgaId === null ? pool.findJob(jobId) : pool.job(fpgaId, jobId));
    const known = look();
    const type = 'text/plain; charset=utf-8';
    if (!follow) {
      const log = await pool.openLog(fpgaId, jobId);
      const bytes = Math.max(0, log.bytes - offset);
      reply.type(type).header('content-length', bytes);
      return reply.send(bytes === 0 ? '' : log.read(offset, READ_AHEAD));
    }
    let last = known;
    const check = () => {
      requireStillAdmitted(context, caller, 'key');
      // A job may get a node while its log is followed.
      if (last.fpga_id === null && pool.knows(jobId)) last = look();
      requireJobHolder(context, caller, last);
    };
    await whileAllowed(context, 'follow', { caller, reply, check }, async (signal) => {
      context.outgoing.hold(reply.raw, caller, 2 * PIECE);
      const log = pool.followLog(fpgaId, jobId, signal);
      const headers = { 'content-type': type, 'x-accel-buffering': 'no', 'cache-control': 'no-store' };
      await sendStream(reply, headers, skip(log, offset), signal);
    }).catch((error: unknown) => {
      // The answer has begun: ending the connection shows that it is incomplete.
      if (!reply.sent) throw error;
      reply.log.info({ err: error }, 'a followed log was cut off');
    });
    return reply;
  }

  serve(
    app,
    'getJobLog',
    ({ params: { fpga_id, job_id }, query, ...asked }) => sendLog(fpga_id, job_id, query, asked),
    { endless: true },
  );
  serve(
    app,
    'findJobLog',
    ({ params, query, ...asked }) =>
      context.away.has(params.job_id)
        ? readRemoteJob(context, params.job_id, asked)
        : sendLog(null, params.job_id, query, asked),
    { endless: true },
  );

  serve(app, 'getRunResult', ({ params, ...asked }) =>
    sendResult(context, pool.job(params.fpga_id, params.job_id), asked),
  );
  serve(app, 'findRunResult', async ({ params: { job_id }, ...asked }) => {
    if (context.away.has(job_id)) return await readRemoteJob(context, job_id, asked);
    const { fpga_id, ...job } = pool.findJob(job_id);
    if (fpga_id !== null) return await sendResult(context, { ...job, fpga_id }, asked);
    const { ok, data } = await pool.result(null, job_id);
    return { ok, data: Array.from(data) };
  });

  serve(app, 'cancelJob', async ({ params: { fpga_id, job_id }, caller, reply }) => {
    await pool.cancel(fpga_id, job_id, { owner: caller.owner });
    return reply.send();
  });
  serve(app, 'cancelAnyJob', async ({ params: { job_id }, caller, reply }) => {
    if (context.away.has(job_id)) await context.away.cancel(job_id);
    else await pool.cancel(null, job_id, { owner: caller.owner });
    return reply.send();
  });

  serve(app, 'stopJob', ({ params: { fpga_id, job_id }, caller }) =>
    pool.stopBuild(fpga_id, job_id, { owner: caller.owner }),
  );

  serve(app, 'stopAnyJob', async ({ params: { job_id }, caller }) => {
    if (context.away.has(job_id)) return briefly(await context.away.stop(job_id, caller.owner));
    const { fpga_id } = pool.findJob(job_id);
    if (fpga_id === null) throw jobsError('job_not_stoppable', { jobId: job_id });
    return await pool.stopBuild(fpga_id, job_id, { owner: caller.owner });
  });

  serve(app, 'getBuildReport', ({ params }) => pool.report(params.fpga_id, params.job_id));

  serve(app, 'getBuildFloorplan', ({ params: { fpga_id, job_id }, ...asked }) =>
    floorplanOf(context, pool.job(fpga_id, job_id).build_id, asked),
  );

  serve(app, 'getBitstream', async ({ params: { fpga_id, job_id }, reply }) => {
    const bitstream = await pool.bitstream(fpga_id, job_id);
    return sendFile(reply, { name: `${job_id}.bin`, type: 'application/octet-stream' }, bitstream);
  });

  serve(app, 'getSource', async ({ params: { fpga_id, job_id }, caller, reply }) => {
    await context.outgoing.reserve(reply.raw, caller, pool.job(fpga_id, job_id).submit?.size ?? 0);
    const { filename, source, project } = await pool.source(fpga_id, job_id);
    const type = project ? 'application/zip' : 'text/plain';
    return sendFile(reply, { name: filename, type, inline: !project }, source);
  });

  /** The files of a design, when there is memory for them. */
  async function designFiles(
    { fpga_id, job_id }: { fpga_id: number; job_id: string },
    { caller, reply }: { caller: Caller; reply: FastifyReply },
  ) {
    const { size = 0, files } = pool.job(fpga_id, job_id).submit ?? {};
    await context.outgoing.reserve(reply.raw, caller, files === undefined ? size : size * EXPANSION);
    return await pool.designFiles(fpga_id, job_id);
  }

  serve(app, 'listDesignFiles', async ({ params, ...asked }) =>
    (await designFiles(params, asked)).map(({ path, contents }) => ({ path, bytes: contents.length })),
  );
  serve(app, 'getDesignFile', async ({ params, ...asked }) => {
    const found = (await designFiles(params, asked)).find(({ path }) => path === params.path);
    if (!found) throw jobsError('design_file_not_found', { jobId: params.job_id });
    const name = params.path.replace(/^.*\//, '');
    return sendFile(asked.reply, { name, type: 'text/plain', inline: true }, found.contents);
  });
}
