import { JOB_STATUSES } from '../../contract/jobs.ts';
import { NODE_COUNT } from '../../contract/boards.ts';
import Type from 'typebox';
import { answer, answerEmpty, answerList, answerText, describe } from '../answers.ts';
import type { ApiContext } from '../context.ts';
import { requireJobHolder } from '../edge/caller.ts';
import { callerGone, sendStream } from '../edge/streams.ts';
import { enumOf } from '../schemas/component.ts';
import { JobResponse, RunResultResponse } from '../schemas/contract.ts';
import { BuildReport, JobDetails } from '../schemas/details.ts';
import { type Api, JobParams, NodeParams } from './common.ts';

/** Longest time that a request waits for a change of a job, seconds. */
const LONGEST_WAIT = 60;

const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: LONGEST_WAIT,
      description: 'Answer when the status changes or after so many seconds, at once if the job has ended.',
    }),
  ),
});

const LogQuery = Type.Object({
  follow: Type.Optional(
    Type.Boolean({ description: '1: stream the log until the job ends.', default: false }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 40, description: 'Leave out so many bytes at the beginning.' }),
  ),
});

const ListQuery = Type.Object({
  status: Type.Optional(
    Type.Array(enumOf(JOB_STATUSES), {
      maxItems: 20,
      description: 'Only jobs of these statuses: given once, several times, or with commas.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'Most jobs to answer with.' }),
  ),
});

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
export function jobRoutes(app: Api, context: ApiContext): void {
  const { pool } = context;
  const job = { params: JobParams, tag: 'jobs' } as const;

  app.get(
    '/fpga/:fpga_id/jobs/:job_id',
    {
      schema: describe({
        ...job,
        id: 'getJob',
        summary: 'One job',
        query: WaitQuery,
        ok: { 200: answer('The job.', JobResponse) },
        errors: ['job_not_found'],
      }),
    },
    async (request, reply) => {
      const { fpga_id, job_id } = request.params;
      const { wait } = request.query;
      if (!wait) return pool.job(fpga_id, job_id);
      return await pool.waitForChange(fpga_id, job_id, wait, callerGone(reply));
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/details',
    {
      schema: describe({
        ...job,
        id: 'getJobDetails',
        summary: 'One job with its stage, its owner and the reason of a failure',
        query: WaitQuery,
        ok: { 200: answer('The job in full.', JobDetails) },
        errors: ['job_not_found'],
      }),
    },
    async (request, reply) => {
      const { fpga_id, job_id } = request.params;
      const { wait } = request.query;
      if (!wait) return pool.job(fpga_id, job_id);
      return await pool.waitForChange(fpga_id, job_id, wait, callerGone(reply));
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/logs',
    {
      exposeHeadRoute: false,
      schema: describe({
        ...job,
        id: 'getJobLog',
        summary: 'The log of a job, also while it runs',
        description:
          'With follow=1 the log streams until the job ends; while keys are enforced that is for the caller whose job it is or who holds the node.',
        query: LogQuery,
        ok: { 200: answerText('The log as UTF-8 text.', 'text/plain') },
        errors: ['job_not_found', 'not_session_holder'],
      }),
    },
    async (request, reply) => {
      const { fpga_id, job_id } = request.params;
      const { follow, offset = 0 } = request.query;
      const known = pool.job(fpga_id, job_id);
      const type = 'text/plain; charset=utf-8';
      if (!follow) {
        const log = await pool.readLog(fpga_id, job_id);
        return reply.type(type).send(log.subarray(offset));
      }
      requireJobHolder(context, request.caller, known);
      const log = pool.followLog(fpga_id, job_id, callerGone(reply));
      const headers = { 'content-type': type, 'x-accel-buffering': 'no', 'cache-control': 'no-store' };
      await sendStream(reply, headers, skip(log, offset));
      return reply;
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/result',
    {
      schema: describe({
        ...job,
        id: 'getRunResult',
        summary: 'What a run read',
        ok: {
          200: answer('The result; `ok` is false when the job failed or was cancelled.', RunResultResponse),
        },
        errors: ['job_not_found', 'job_not_complete', 'job_data_missing'],
      }),
    },
    async (request) => {
      const { ok, data } = await pool.result(request.params.fpga_id, request.params.job_id);
      return { ok, data: Array.from(data) };
    },
  );

  app.delete(
    '/fpga/:fpga_id/jobs/:job_id',
    {
      schema: describe({
        ...job,
        id: 'cancelJob',
        summary: 'Cancel a queued job',
        ok: { 204: answerEmpty('The job is cancelled.') },
        errors: ['job_not_found', 'job_not_cancellable', 'not_session_holder', 'store_unavailable'],
      }),
    },
    async (request, reply) => {
      const { fpga_id, job_id } = request.params;
      requireJobHolder(context, request.caller, pool.job(fpga_id, job_id));
      await pool.cancel(fpga_id, job_id, { owner: request.caller.owner });
      return reply.code(204).send();
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/report',
    {
      schema: describe({
        ...job,
        id: 'getBuildReport',
        summary: 'Utilisation, timing and seconds of a build',
        ok: { 200: answer('The report.', BuildReport) },
        errors: ['job_not_found', 'no_build_report'],
      }),
    },
    async (request) => pool.report(request.params.fpga_id, request.params.job_id),
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/artifacts/bitstream',
    {
      schema: describe({
        ...job,
        id: 'getBitstream',
        summary: 'The file that was flashed',
        ok: { 200: answerText('The bitstream.', 'application/octet-stream') },
        errors: ['job_not_found', 'no_bitstream'],
      }),
    },
    async (request, reply) => {
      const { fpga_id, job_id } = request.params;
      const bitstream = await pool.bitstream(fpga_id, job_id);
      return reply
        .type('application/octet-stream')
        .header('content-disposition', attachment('attachment', `${job_id}.bin`))
        .send(Buffer.from(bitstream.buffer, bitstream.byteOffset, bitstream.byteLength));
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs/:job_id/source',
    {
      schema: describe({
        ...job,
        id: 'getSource',
        summary: 'The source as it was submitted, byte for byte',
        ok: { 200: answerText('The source file.', 'text/plain') },
        errors: ['job_not_found', 'no_source'],
      }),
    },
    async (request, reply) => {
      const { filename, source } = await pool.source(request.params.fpga_id, request.params.job_id);
      return reply
        .type('text/plain')
        .header('content-disposition', attachment('inline', filename))
        .send(Buffer.from(source.buffer, source.byteOffset, source.byteLength));
    },
  );

  app.get(
    '/fpga/:fpga_id/jobs',
    {
      schema: describe({
        id: 'listNodeJobs',
        summary: 'The jobs of a node, newest first',
        tag: 'jobs',
        params: NodeParams,
        query: ListQuery,
        ok: { 200: answerList('The jobs.', JobDetails) },
      }),
    },
    async (request) => {
      const { status: statuses, limit = 100 } = request.query;
      return pool.jobs({ fpgaId: request.params.fpga_id, limit, ...(statuses ? { statuses } : {}) });
    },
  );

  app.get(
    '/jobs',
    {
      schema: describe({
        id: 'listJobs',
        summary: `The jobs of all ${NODE_COUNT} nodes, newest first`,
        tag: 'jobs',
        query: ListQuery,
        ok: { 200: answerList('The jobs.', JobDetails) },
      }),
    },
    async (request) => {
      const { status: statuses, limit = 100 } = request.query;
      return pool.jobs({ limit, ...(statuses ? { statuses } : {}) });
    },
  );
}
