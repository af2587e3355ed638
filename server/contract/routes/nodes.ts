import Type from 'typebox';
import { ControlQuestion, ControlRequest, HandOverRequest, OPEN_QUESTIONS } from '../control.ts';
import { CsrMap } from '../csr.ts';
import { DesignForm } from '../designs.ts';
import type { EndpointId } from '../endpoints.ts';
import { Happening, HappeningQuery } from '../happenings.ts';
import { RunResponse, SubmitResponse } from '../jobs.ts';
import { FpgaSummary, NodeView, Session } from '../nodes.ts';
import { PinList, PinSettings } from '../pins.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';
import { AnyRunRequest, RunResult } from '../runs.ts';
import { TransactionPage, TransactionQuery } from '../stream.ts';
import { TerminalQuery, TerminalSending, TerminalView } from '../terminal.ts';
import { DESIGN_ERRORS, LONGEST_WAIT, NodeParams } from './shared.ts';

const RunQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: LONGEST_WAIT,
      description: 'Answer 200 with the result if the run ends within so many seconds, else 202.',
    }),
  ),
});

const SubmitQuery = Type.Object({
  replace: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        '1: on a reserved node, build beside the session and then take its place. On an idle node it changes nothing.',
    }),
  ),
});

/** What is done with a node, and with the session that holds it. */
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
    summary: 'One node with its board, its design and the reason of an error',
    tag: 'nodes',
    access: 'key',
    uncompressed: 'secret',
    params: NodeParams,
    answers: { 200: answer('The node in full.', NodeView) },
  },

  submitDesign: {
    summary: 'Build a design and program the node with it',
    description:
      'The node must be idle. The job ends with the node reserved for the caller; poll it, or use ?wait= and /events. With ?replace=1 the node may be reserved: the design on it runs on and its session goes on while the job builds, then the session ends, the board is programmed, and a session of the same owner begins. If the build fails or is cancelled the old session is still there. While keys are enforced that is for the caller who holds the node.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: SubmitQuery,
    holder: 'replace',
    body: { takes: 'form', schema: DesignForm },
    needs: { states: ['idle'], otherwise: 'fpga_not_idle' },
    answers: { 202: answer('Accepted: the node is queued.', SubmitResponse) },
    errors: [
      'fpga_not_idle',
      'not_session_holder',
      'queue_full',
      'build_queue_full',
      'store_unavailable',
      'storage_low',
      ...DESIGN_ERRORS,
    ],
  },

  runTransaction: {
    summary: 'Write or read words over Wishbone',
    description:
      'Without ?wait= the answer is 202 as soon as the run is on disk. The header X-Job-ID names the job in either case. Where the address is a name, the map that is kept with the design says what it means; a field is read and written by itself.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: RunQuery,
    body: { takes: 'json', schema: AnyRunRequest },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: {
      200: answer('Only with ?wait=: the run has ended, and this is its result.', RunResult),
      202: answer('Accepted: the run is queued behind the node’s other jobs.', RunResponse),
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

  openStream: {
    summary: 'Transactions without jobs, over a WebSocket',
    description:
      'Binary frames without a subprotocol, JSON with `wishbench.v1+json`; see docs/stream.md. Refusals come before the upgrade. Every frame that is not refused renews the session; the stream is closed when the session ends. With `wishbench.v1+viewer` it is for everybody with a key, whatever the state of the node: it tells of the transactions of others and does none.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    holder: 'stream',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 101: answerEmpty('The stream is open.') },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'upgrade_required',
      'too_many_open',
      'too_many_streams',
    ],
  },

  listTransactions: {
    summary: 'What was written and read in this session, newest first',
    description: 'Runs and what came over streams; kept in memory until the next session of the node begins.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: TransactionQuery,
    answers: { 200: answer('The transactions.', TransactionPage) },
  },

  listHappenings: {
    summary:
      'Who took, released, reset or handed over the node, and what else befell its sessions, newest first',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: HappeningQuery,
    answers: { 200: answer('The happenings.', Type.Array(Happening)) },
  },

  getCsrCsv: {
    summary: 'The registers of a node as LiteX’s tools read them',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answerFile('A csr.csv.', 'text/csv') },
  },

  getCsrJson: {
    summary: 'The registers of a node in the form of LiteX’s csr.json',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('A csr.json.', CsrMap) },
  },

  listPins: {
    summary: 'The ports of the design that are not part of its bus',
    description:
      'Inputs as they were set, outputs as they are, with what rose and fell since anybody last read them; see docs/gateware.md. Empty for a design without such ports.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The pins.', PinList) },
    errors: ['fpga_not_reserved', 'no_build_report', 'link_silent', 'link_corrupted', 'link_closed'],
  },

  setPins: {
    summary: 'Set inputs of the design',
    description:
      'All at once, or none. With a mask some bits of an input are set, and the others are left to whoever else sets them. The answer has every pin as it is then, as GET does.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: PinSettings },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('They are set; the pins.', PinList) },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'pin_unknown',
      'pin_not_input',
      'pin_too_wide',
      'no_build_report',
      'link_silent',
      'link_corrupted',
      'link_closed',
    ],
  },

  readTerminal: {
    summary: 'What the design has sent over its serial line',
    description:
      'Of a design with pins that are a serial line (`rx` and `tx`); the bench is its other end. See docs/pins.md.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    query: TerminalQuery,
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The line, and the newest text.', TerminalView) },
    errors: [
      'fpga_not_reserved',
      'no_terminal',
      'no_build_report',
      'link_silent',
      'link_corrupted',
      'link_closed',
    ],
  },

  sendToTerminal: {
    summary: 'Send to the design over its serial line, or set the rate of the line',
    description: 'The answer has what the design has sent since.',
    tag: 'nodes',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: TerminalSending },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'fpga_not_reserved' },
    answers: { 200: answer('The board has it; the line.', TerminalView) },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'no_terminal',
      'terminal_busy',
      'no_build_report',
      'link_silent',
      'link_corrupted',
      'link_closed',
    ],
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
    summary: 'Give the node back',
    description: 'Queues a reset; the node is idle when that job is complete.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 202: answer('Accepted.', SubmitResponse) },
    errors: ['no_active_session', 'not_session_holder', 'store_unavailable'],
  },

  askForControl: {
    summary: 'Ask who holds the node for control of it',
    description: `The question is in the node’s details until it is taken back or answered, or the session ends. Of one owner there is one, the newest; of all at most ${OPEN_QUESTIONS}.`,
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: ControlRequest },
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The question.', ControlQuestion) },
    errors: ['no_active_session', 'already_holder', 'too_many_questions'],
  },

  takeQuestionBack: {
    summary: 'Take the question for control of the node back',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    answers: { 204: answerEmpty('The question is gone.') },
    errors: ['no_question'],
  },

  handOverSession: {
    summary: 'Hand the session over to somebody else',
    description:
      'The design and its registers stay as they are, and jobs that wait still run. The session has a new id and a whole lifetime; streams of the old one are closed.',
    tag: 'sessions',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: HandOverRequest },
    holder: 'node',
    needs: { states: ['reserved'], otherwise: 'no_active_session' },
    answers: { 200: answer('The session of the new holder.', Session) },
    errors: [
      'no_active_session',
      'fpga_not_reserved',
      'not_session_holder',
      'already_holder',
      'store_unavailable',
    ],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
