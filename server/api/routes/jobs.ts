import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Job } from '../../contract/jobs.ts';
import type { ApiContext } from '../context.ts';
import { requireJobHolder } from '../edge/caller.ts';
import { callerGone, sendStream } from '../edge/streams.ts';
import { serve } from '../serve.ts';

async function* skip(chunks: AsyncIterable<Buffer>, bytes: number): AsyncIterable<Buffer> {
  let left = bytes;
  for await (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left);
    left = Math.max(0, left - chunk.length);
  }
}

/** A file name for Content-Disposition, RFC 6266 and RFC 8187. */
const attachment = (kind: 'inline' | 'attachment', name: string): string =>
  `${kind}; filename="${name.replace(/[^\w. -]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;

/** Jobs: status, log, result, cancel, histories, and what a build leaves behind. */
export function jobRoutes(app: FastifyInstance, context: ApiContext): void {
  const { pool } = context;

  /** The job as it is, or when its status changes and `wait` seconds have passed at the latest. */
  const jobWithin = async (job: Job, wait: number | undefined, reply: FastifyReply): Promise<Job> =>
    wait ? await pool.waitForChange(job.fpga_id, job.job_id, wait, callerGone(reply)) : job;

  for (const id of ['getJob', 'getJobDetails'] as const)
    serve(app, id, ({ params, query, reply }) =>
      jobWithin(pool.job(params.fpga_id, params.job_id), query.wait, reply),
    );
  serve(app, 'findJob', ({ params, query, reply }) =>
    jobWithin(pool.findJob(params.job_id), query.wait, reply),
  );

  serve(app, 'listNodeJobs', ({ params, query: { status: statuses, limit = 100 } }) =>
    pool.jobs({ fpgaId: params.fpga_id, limit, ...(statuses ? { statuses } : {}) }),
  );
  serve(app, 'listJobs', ({ query: { status: statuses, limit = 100 } }) =>
    pool.jobs({ limit, ...(statuses ? { statuses } : {}) }),
  );

  serve(
    app,
    'getJobLog',
    async ({ params: { fpga_id, job_id }, query: { follow, offset = 0 }, caller, reply }) => {
      const known = pool.job(fpga_id, job_id);
      const type = 'text/plain; charset=utf-8';
      if (!follow) {
        const log = await pool.readLog(fpga_id, job_id);
        return reply.type(type).send(log.subarray(offset));
      }
      requireJobHolder(context, caller, known);
      const log = pool.followLog(fpga_id, job_id, callerGone(reply));
      const headers = { 'content-type': type, 'x-accel-buffering': 'no', 'cache-control': 'no-store' };
      await sendStream(reply, headers, skip(log, offset));
      return reply;
    },
    { endless: true },
  );

  serve(app, 'getRunResult', async ({ params }) => {
    const { ok, data } = await pool.result(params.fpga_id, params.job_id);
    return { ok, data: Array.from(data) };
  });

  serve(app, 'cancelJob', async ({ params: { fpga_id, job_id }, caller, reply }) => {
    requireJobHolder(context, caller, pool.job(fpga_id, job_id));
    await pool.cancel(fpga_id, job_id, { owner: caller.owner });
    return reply.send();
  });

  serve(app, 'getBuildReport', ({ params }) => pool.report(params.fpga_id, params.job_id));

  serve(app, 'getBitstream', async ({ params: { fpga_id, job_id }, reply }) => {
    const bitstream = await pool.bitstream(fpga_id, job_id);
    return reply
      .type('application/octet-stream')
      .header('content-disposition', attachment('attachment', `${job_id}.bin`))
      .send(Buffer.from(bitstream.buffer, bitstream.byteOffset, bitstream.byteLength));
  });

  serve(app, 'getSource', async ({ params: { fpga_id, job_id }, reply }) => {
    const { filename, source } = await pool.source(fpga_id, job_id);
    return reply
      .type('text/plain')
      .header('content-disposition', attachment('inline', filename))
      .send(Buffer.from(source.buffer, source.byteOffset, source.byteLength));
  });
}
