import Type from 'typebox';
import { DesignForm, PlacedForm } from '../designs/uploads.ts';
import type { EndpointId } from '../endpoints.ts';
import { AnySubmitResponse, RunResponse, SubmitResponse } from '../jobs/jobs.ts';
import { AnyRunRequest, RunResult } from '../jobs/runs.ts';
import { FpgaSummary, NodeView, Session } from '../nodes/nodes.ts';
import { answer, type Route } from '../route.ts';
import { DESIGN_ERRORS, MAX_WAIT, NodeParams } from './shared.ts';

const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_WAIT,
      description: 'Answer 200 with the result if the run ends within this many seconds, else 202.',
    }),
  ),
});

const SubmitQuery = Type.Object({
  replace: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        '1: on a reserved node, build while the session continues, then replace it. On an idle node it has no effect.',
    }),
  ),
});

/** Routes of a node and of its session. */
export const NODES_ROUTES = {
  listNodes: {
    summary: 'All ten nodes',
    tag: 'nodes',
    access: 'key',
    uncompressed: 'secret',
    answers: { 200: answer('The nodes, by id.', Type.Array(FpgaSummary)) },
  },

  getNode: {
    summary: 'One node',
    tag: 'nodes',
    access: 'key',
    uncompressed: 'secret',
    params: NodeParams,
    answers: { 200: answer('The node.', FpgaSummary) },
  },

  getNodeDetails: {
    summary: 'One node with its board, design and error',
    tag: 'nodes',
    access: 'key',
    uncompressed: 'secret',
    params: NodeParams,
    answers: { 200: answer('The node in full.', NodeView) },
  },

  submitDesign: {
    summary: 'Build a design and program the node with it',
    description:
      'The node must be idle. The job ends with the node reserved for the caller; poll it, or use ?wait= and /events. With ?replace=1 the node may be reserved: its session continues while the job builds. Then the session ends, the board is programmed, and a session of the same owner begins. If the build fails or is cancelled, the old session stays. While keys are enforced, only the holder of the node may replace.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: SubmitQuery,
    holder: 'replace',
    body: { takes: 'form', schema: DesignForm },
    needs: { states: ['idle'], otherwise: 'fpga_not_idle' },
    answers: { 202: answer('Accepted: the node is queued.', SubmitResponse) },
    errors: [
      'share_used_up',
      'nodes_booked',
      'fpga_not_idle',
      'not_session_holder',
      'queue_full',
      'build_queue_full',
      'store_unavailable',
      'storage_low',
      ...DESIGN_ERRORS,
    ],
  },

  submitToAnyNode: {
    summary: 'Build a design and program an idle node with it',
    description:
      'The job waits for an idle node with a board and takes the least recently used one, under the same job_id. `fpga_id` is null until then. With the field `fpga_id` it waits in the queue of that node. With `benches.overflow` in the settings, another bench may take it if no node is idle; `bench` names it. See docs/benches.md.',
    tag: 'jobs',
    access: 'key',
    body: { takes: 'form', schema: PlacedForm },
    answers: { 202: answer('Accepted: the job waits for an idle node.', AnySubmitResponse) },
    errors: [
      'share_used_up',
      'queue_full',
      'build_queue_full',
      'too_many_jobs',
      'store_unavailable',
      'storage_low',
      ...DESIGN_ERRORS,
    ],
  },

  runTransaction: {
    summary: 'Write or read words over Wishbone',
    description:
      'Without ?wait= the answer is 202 as soon as the run is on disk. The header X-Job-ID names the job in either case. If the address is a name, the register map of the design resolves it; a field is read and written separately.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: RunQuery,
    body: { takes: 'json', schema: AnyRunRequest },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: {
      200: answer('Only with ?wait=: the run has ended, and this is its result.', RunResult),
      202: answer('Accepted: the run is queued after the node’s other jobs.', RunResponse),
    },
    errors: [
      'too_many_open',
      'too_many_streams',
      'job_data_missing',
      'board_paused',
      'fpga_not_reserved',
      'not_session_holder',
      'queue_full',
      'too_many_jobs',
      'store_unavailable',
      'storage_low',
    ],
  },

  resetNode: {
    summary: 'Reflash the base SoC and return the node to idle',
    description: 'While a reset or release is pending, the answer is that job.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    holder: 'node',
    needs: { states: ['reserved', 'error'], otherwise: 'fpga_not_resettable' },
    answers: { 202: answer('Accepted.', SubmitResponse) },
    errors: ['fpga_not_resettable', 'not_session_holder', 'store_unavailable'],
  },

  getSession: {
    summary: 'The session that holds the node',
    tag: 'sessions',
    access: 'key',
    uncompressed: 'secret',
    params: NodeParams,
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The session.', Session) },
    errors: ['no_active_session'],
  },

  releaseSession: {
    summary: 'Release the node',
    description: 'Queues a reset; the node is idle when that job is complete.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 202: answer('Accepted.', SubmitResponse) },
    errors: ['no_active_session', 'not_session_holder', 'store_unavailable'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
