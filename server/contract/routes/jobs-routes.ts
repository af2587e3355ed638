import Type from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { NODE_COUNT } from '../boards/node-count.ts';
import { enumOf } from '../component.ts';
import { BuildReport } from '../designs/uploads.ts';
import type { EndpointId } from '../endpoints.ts';
import { AnyJob, AnyJobResponse, DesignFileView, JOB_TYPES, Job, JobId, JobResponse } from '../jobs/jobs.ts';
import { RunResult } from '../jobs/runs.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';
import { Floorplan } from '../signals/floorplan.ts';
import { ListQuery, MAX_WAIT, NodeParams } from './shared.ts';

const WaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_WAIT,
      description:
        'Answer when the status changes or after this many seconds, at once if the job has ended. Without it a GET waits up to 50 ms for a job that is about to end.',
    }),
  ),
});

const LogQuery = Type.Object({
  follow: Type.Optional(
    Type.Boolean({ description: '1: stream the log until the job ends.', default: false }),
  ),
  offset: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 40, description: 'Skip this many bytes at the start.' }),
  ),
});

const BenchListQuery = Type.Object({
  ...ListQuery.properties,
  type: Type.Optional(
    Type.Array(enumOf(JOB_TYPES), {
      maxItems: 20,
      description: 'Only jobs of these types, in the same way.',
    }),
  ),
  owner: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description:
        'Only jobs of this owner; `*` for all. Absent: the caller’s own if it has a name (a key, or the text of X-API-Key), else all; the operator token gets all.',
    }),
  ),
});

const JobParams = Type.Object({ fpga_id: FpgaId, job_id: JobId });
const job = { tag: 'jobs', access: 'key', params: JobParams } as const;

const AnyJobParams = Type.Object({ job_id: JobId });
const anyJob = { tag: 'jobs', access: 'key', params: AnyJobParams } as const;

/** Errors of a remote job, which needs a request to the other bench. */
const AWAY_ERRORS = ['bench_dead', 'bench_answer_refused'] as const;

/** Routes of jobs, with or without a node. */
export const JOBS_ROUTES = {
  listNodeJobs: {
    summary: 'The jobs of a node, newest first',
    tag: 'jobs',
    access: 'key',
    params: NodeParams,
    query: ListQuery,
    answers: { 200: answer('The jobs.', Type.Array(Job)) },
  },

  getJob: {
    ...job,
    summary: 'One job',
    query: WaitQuery,
    answers: { 200: answer('The job.', JobResponse) },
    errors: ['job_not_found', 'too_many_open', 'too_many_streams'],
  },

  getJobDetails: {
    ...job,
    summary: 'One job with its stage, owner and failure',
    query: WaitQuery,
    answers: { 200: answer('The job in full.', Job) },
    errors: ['job_not_found', 'too_many_open', 'too_many_streams'],
  },

  getJobLog: {
    ...job,
    summary: 'The log of a job',
    description:
      'With follow=1 the log streams until the job ends. While keys are enforced, only the owner of the job and the holder of the node may do that.',
    query: LogQuery,
    holder: 'follow',
    answers: { 200: answerFile('The log as UTF-8 text.', 'text/plain') },
    errors: ['job_not_found', 'not_session_holder', 'too_many_open', 'too_many_streams'],
  },

  getRunResult: {
    ...job,
    summary: 'The result of a run',
    uncompressed: 'words',
    needs: { states: ['idle', 'reserved', 'error'], otherwise: 'job_not_complete' },
    answers: {
      200: answer('The result; `ok` is false when the job failed or was cancelled.', RunResult),
    },
    errors: ['job_not_found', 'job_not_complete', 'job_data_missing'],
  },

  cancelJob: {
    ...job,
    summary: 'Cancel a queued job',
    holder: 'job',
    needs: { states: ['queued'], otherwise: 'job_not_cancellable' },
    answers: { 204: answerEmpty('The job is cancelled.') },
    errors: ['job_not_found', 'job_not_cancellable', 'not_session_holder', 'store_unavailable'],
  },

  stopJob: {
    ...job,
    summary: 'Stop a build that runs',
    description:
      'The tools end and the job fails with `stopped_by_user`. The node becomes idle, or its session continues if the build was a replacement. Programming is not interrupted, and a queued job is cancelled instead.',
    holder: 'job',
    needs: { states: ['building'], otherwise: 'job_not_stoppable' },
    answers: { 200: answer('The job, which has failed.', Job) },
    errors: ['job_not_found', 'job_not_stoppable', 'not_session_holder'],
  },

  getBuildReport: {
    ...job,
    summary: 'Utilisation, timing and seconds of a build',
    answers: { 200: answer('The report.', BuildReport) },
    errors: ['job_not_found', 'no_build_report'],
  },

  getBuildFloorplan: {
    ...job,
    summary: 'The floorplan of a build',
    description:
      'Tiles, cells with module, kind, source line and owner (design or bench), and the slowest paths. Stored with the build in the cache, so an old build may have none. For iCE40 parts.',
    answers: { 200: answer('The floorplan.', Floorplan) },
    errors: ['job_not_found', 'no_floorplan'],
  },

  getBitstream: {
    ...job,
    summary: 'The file that was flashed',
    answers: { 200: answerFile('The bitstream.', 'application/octet-stream') },
    errors: ['job_not_found', 'no_bitstream'],
  },

  getSource: {
    ...job,
    summary: 'The submitted source; a zip for a project',
    answers: {
      200: answerFile('The source file, or the archive.', 'text/plain', 'application/zip'),
    },
    errors: ['job_not_found', 'no_source'],
  },

  listDesignFiles: {
    ...job,
    summary: 'The files of a submitted design, by path',
    answers: { 200: answer('One, or all of a project.', Type.Array(DesignFileView)) },
    errors: ['job_not_found', 'no_source'],
  },

  getDesignFile: {
    ...job,
    summary: 'One file of a submitted design',
    description: 'A slash within the path is sent as %2F.',
    params: Type.Object({ ...JobParams.properties, path: Type.String({ minLength: 1, maxLength: 255 }) }),
    answers: { 200: answerFile('The file.', 'text/plain') },
    errors: ['job_not_found', 'no_source', 'design_file_not_found'],
  },

  listJobs: {
    summary: `The jobs of all ${NODE_COUNT} nodes and waiting jobs, newest first`,
    tag: 'jobs',
    access: 'key',
    query: BenchListQuery,
    answers: { 200: answer('The jobs.', Type.Array(AnyJob)) },
  },

  findJob: {
    ...anyJob,
    summary: 'One job of any node',
    query: WaitQuery,
    answers: { 200: answer('The job.', AnyJobResponse) },
    errors: ['job_not_found', 'too_many_open', 'too_many_streams'],
  },

  findJobLog: {
    ...anyJob,
    summary: 'The log of a job of any node',
    description: 'With follow=1 as for the route below /fpga.',
    query: LogQuery,
    holder: 'follow',
    answers: { 200: answerFile('The log as UTF-8 text.', 'text/plain') },
    errors: ['job_not_found', 'not_session_holder', 'too_many_open', 'too_many_streams', ...AWAY_ERRORS],
  },

  findRunResult: {
    ...anyJob,
    summary: 'The result of a run on any node',
    uncompressed: 'words',
    needs: { states: ['idle', 'reserved', 'error'], otherwise: 'job_not_complete' },
    answers: {
      200: answer('The result; `ok` is false when the job failed or was cancelled.', RunResult),
    },
    errors: ['job_not_found', 'job_not_complete', 'job_data_missing', ...AWAY_ERRORS],
  },

  cancelAnyJob: {
    ...anyJob,
    summary: 'Cancel a queued job of any node',
    holder: 'job',
    needs: { states: ['queued'], otherwise: 'job_not_cancellable' },
    answers: { 204: answerEmpty('The job is cancelled.') },
    errors: [
      'job_not_found',
      'job_not_cancellable',
      'not_session_holder',
      'store_unavailable',
      ...AWAY_ERRORS,
    ],
  },

  stopAnyJob: {
    ...anyJob,
    summary: 'Stop a running build, on any node or remote bench',
    holder: 'job',
    needs: { states: ['building'], otherwise: 'job_not_stoppable' },
    answers: { 200: answer('The job, which has failed.', AnyJobResponse) },
    errors: ['job_not_found', 'job_not_stoppable', 'not_session_holder', 'store_unavailable', ...AWAY_ERRORS],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
