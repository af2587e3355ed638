import Type from 'typebox';
import { BenchStatus, Health, SettingsResponse } from './bench.ts';
import { AssignRequest, BoardList, BoardView, Finding, FpgaId, NODE_COUNT } from './boards.ts';
import { enumOf } from './component.ts';
import { BuildReport, DesignForm, Example, ScanResult } from './designs.ts';
import type { EndpointId } from './endpoints.ts';
import { LiveEvent } from './events.ts';
import { ExchangeRequest, ExchangeResponse, KeyView } from './identity.ts';
import {
  JOB_STATUSES,
  Job,
  JobId,
  JobResponse,
  RunRequest,
  RunResponse,
  RunResult,
  SubmitResponse,
} from './jobs.ts';
import { FpgaSummary, NodeView, Session } from './nodes.ts';
import { answer, answerEmpty, answerFile, type Route } from './route.ts';
import { SettingsPatch } from './settings.ts';

/** Longest time that a request waits for a change of a job, seconds. */
const LONGEST_WAIT = 60;

const NodeParams = Type.Object({ fpga_id: FpgaId });
const JobParams = Type.Object({ fpga_id: FpgaId, job_id: JobId });

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

const job = { tag: 'jobs', access: 'key', params: JobParams } as const;

/** Every route of the service: the one statement of what is said over the wire and of who may say it. */
export const ROUTES = {
  getHealth: {
    summary: 'Health of the service',
    tag: 'bench',
    access: 'open',
    answers: {
      200: answer('The service and its store are well.', Health),
      503: answer('The store cannot be written; what is asked for may be refused.', Health),
    },
  },

  listNodes: {
    summary: 'All ten nodes',
    tag: 'nodes',
    access: 'key',
    answers: { 200: answer('The nodes, by id.', Type.Array(FpgaSummary)) },
  },
  getNode: {
    summary: 'One node',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('The node.', FpgaSummary) },
  },
  getNodeDetails: {
    summary: 'One node with its board, its design and the reason of an error',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('The node in full.', NodeView) },
  },
  submitDesign: {
    summary: 'Build a design and program the node with it',
    description:
      'The node must be idle. The job ends with the node reserved for the caller; poll it, or use ?wait= and /events.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'form', schema: DesignForm },
    answers: { 202: answer('Accepted: the node is queued.', SubmitResponse) },
    errors: ['fpga_not_idle', 'queue_full', 'store_unavailable'],
  },
  runTransaction: {
    summary: 'Write or read words over Wishbone',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: RunRequest },
    answers: { 202: answer('Accepted: the run is queued behind the node’s other jobs.', RunResponse) },
    errors: ['fpga_not_reserved', 'not_session_holder', 'queue_full', 'store_unavailable'],
  },
  resetNode: {
    summary: 'Reflash the base SoC and return the node to idle',
    description: 'While a reset or release is pending, the answer is that job.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 202: answer('Accepted.', SubmitResponse) },
    errors: ['fpga_not_resettable', 'not_session_holder', 'store_unavailable'],
  },

  getSession: {
    summary: 'The session that holds the node',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('The session.', Session) },
    errors: ['no_active_session'],
  },
  releaseSession: {
    summary: 'Give the node back',
    description: 'Queues a reset; the node is idle when that job is complete.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    answers: { 202: answer('Accepted.', SubmitResponse) },
    errors: ['no_active_session', 'not_session_holder', 'store_unavailable'],
  },

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
    errors: ['job_not_found'],
  },
  getJobDetails: {
    ...job,
    summary: 'One job with its stage, its owner and the reason of a failure',
    query: WaitQuery,
    answers: { 200: answer('The job in full.', Job) },
    errors: ['job_not_found'],
  },
  getJobLog: {
    ...job,
    summary: 'The log of a job, also while it runs',
    description:
      'With follow=1 the log streams until the job ends; while keys are enforced that is for the caller whose job it is or who holds the node.',
    query: LogQuery,
    answers: { 200: answerFile('The log as UTF-8 text.', 'text/plain') },
    errors: ['job_not_found', 'not_session_holder'],
  },
  getRunResult: {
    ...job,
    summary: 'What a run read',
    answers: {
      200: answer('The result; `ok` is false when the job failed or was cancelled.', RunResult),
    },
    errors: ['job_not_found', 'job_not_complete', 'job_data_missing'],
  },
  cancelJob: {
    ...job,
    summary: 'Cancel a queued job',
    answers: { 204: answerEmpty('The job is cancelled.') },
    errors: ['job_not_found', 'job_not_cancellable', 'not_session_holder', 'store_unavailable'],
  },
  getBuildReport: {
    ...job,
    summary: 'Utilisation, timing and seconds of a build',
    answers: { 200: answer('The report.', BuildReport) },
    errors: ['job_not_found', 'no_build_report'],
  },
  getBitstream: {
    ...job,
    summary: 'The file that was flashed',
    answers: { 200: answerFile('The bitstream.', 'application/octet-stream') },
    errors: ['job_not_found', 'no_bitstream'],
  },
  getSource: {
    ...job,
    summary: 'The source as it was submitted, byte for byte',
    answers: { 200: answerFile('The source file.', 'text/plain') },
    errors: ['job_not_found', 'no_source'],
  },
  listJobs: {
    summary: `The jobs of all ${NODE_COUNT} nodes, newest first`,
    tag: 'jobs',
    access: 'key',
    query: ListQuery,
    answers: { 200: answer('The jobs.', Type.Array(Job)) },
  },
  findJob: {
    summary: 'One job, whichever node it is of',
    tag: 'jobs',
    access: 'key',
    params: Type.Object({ job_id: JobId }),
    query: WaitQuery,
    answers: { 200: answer('The job.', JobResponse) },
    errors: ['job_not_found'],
  },

  streamEvents: {
    summary: 'Every change as server-sent events',
    description:
      'The first event is `snapshot` with all nodes, the newest jobs, the boards and the status, so nothing is lost by connecting again; Last-Event-ID may be sent and is not needed. Then `node`, `job`, `job_removed`, `log`, `board` and `status` as they happen, and `heartbeat` after 15 s without another. Each `data:` line is one JSON object with its `type`. A client that does not read is disconnected.',
    tag: 'live',
    access: 'key',
    answers: {
      200: {
        description: 'The stream; each event has this form.',
        mediaType: 'text/event-stream',
        schema: LiveEvent,
      },
    },
    errors: ['too_many_streams'],
  },

  scanDesign: {
    summary: 'Find the Wishbone slave of a design without building it',
    tag: 'designs',
    access: 'key',
    body: { takes: 'form', schema: DesignForm },
    answers: {
      200: answer(
        'What was found; `matched` is null when nothing fits, and each module says why.',
        ScanResult,
      ),
    },
    errors: ['service_stopping'],
    errorArea: 'toolchain',
  },
  listExamples: {
    summary: 'The example designs',
    tag: 'designs',
    access: 'key',
    answers: { 200: answer('The examples.', Type.Array(Example)) },
  },
  getExample: {
    summary: 'The source of an example',
    tag: 'designs',
    access: 'key',
    params: Type.Object({ file: Type.String({ minLength: 1, maxLength: 128 }) }),
    answers: { 200: answerFile('The source file.', 'text/plain') },
    errors: ['example_not_found'],
  },

  exchangeToken: {
    summary: 'Exchange an identity provider’s access token for an API key',
    description: 'The key is shown this once; the service keeps a digest of it.',
    tag: 'identity',
    access: 'open',
    body: { takes: 'json', schema: ExchangeRequest },
    answers: { 200: answer('The key and whom it stands for.', ExchangeResponse) },
    errors: [
      'invalid_provider_token',
      'user_not_allowed',
      'provider_unreachable',
      'provider_not_configured',
      'store_unavailable',
    ],
  },
  getOwnKey: {
    summary: 'The key that this request is sent with',
    tag: 'identity',
    access: 'key',
    answers: { 200: answer('The key’s record; not the key.', KeyView) },
    errors: ['missing_api_key', 'invalid_api_key'],
  },
  revokeOwnKey: {
    summary: 'Revoke the key that this request is sent with',
    tag: 'identity',
    access: 'key',
    answers: { 204: answerEmpty('The key is revoked.') },
    errors: ['missing_api_key', 'invalid_api_key', 'store_unavailable'],
  },
  listKeys: {
    summary: 'All keys',
    tag: 'identity',
    access: 'operator',
    answers: { 200: answer('Records of the keys, newest first.', Type.Array(KeyView)) },
  },
  revokeKey: {
    summary: 'Revoke a key',
    tag: 'identity',
    access: 'operator',
    params: Type.Object({ key_id: Type.String({ minLength: 1, maxLength: 64 }) }),
    answers: { 204: answerEmpty('The key is revoked.') },
    errors: ['key_not_found', 'store_unavailable'],
  },

  getStatus: {
    summary: 'What the status strip shows',
    tag: 'bench',
    access: 'key',
    answers: { 200: answer('The bench as it is.', BenchStatus) },
  },
  getSettings: {
    summary: 'The settings',
    tag: 'bench',
    access: 'operator',
    answers: {
      200: answer('The settings, their defaults, and what the operator should know.', SettingsResponse),
    },
  },
  changeSettings: {
    summary: 'Change settings',
    description:
      'Fields that are absent keep their value. Listening on the LAN switches enforcement of keys on with it; switching that off again takes a request of its own.',
    tag: 'bench',
    access: 'operator',
    body: { takes: 'json', schema: SettingsPatch },
    answers: { 200: answer('The settings after the change.', SettingsResponse) },
    errors: ['address_unavailable', 'store_unavailable'],
  },
  listBoards: {
    summary: 'The boards that the bench knows of',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answer('Boards in slots, then boards without one.', BoardList) },
  },
  assignBoard: {
    summary: 'Put a board into a slot',
    description: 'The node of the slot must be idle. `null` gives the slot its virtual board back.',
    tag: 'bench',
    access: 'operator',
    params: NodeParams,
    body: { takes: 'json', schema: AssignRequest },
    answers: { 200: answer('The board that is in the slot now.', BoardView) },
    errors: ['board_unknown', 'board_ambiguous', 'board_unsupported', 'board_slot_busy', 'store_unavailable'],
  },
  runDoctor: {
    summary: 'What stands between this computer and its boards',
    tag: 'bench',
    access: 'operator',
    answers: { 200: answer('Findings, each with its remedy.', Type.Array(Finding)) },
  },
} as const satisfies Record<EndpointId, Route>;

export type Routes = typeof ROUTES;
