import Type from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { enumOf, RequestUuid } from '../component.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';
import { Floorplan } from '../signals/floorplan.ts';
import {
  BoardClock,
  CAPTURE_FORMATS,
  CaptureRequest,
  CaptureView,
  ClockRequest,
  SignalList,
  SignalListQuery,
  SignalReadQuery,
  SignalValues,
} from '../signals/signals.ts';
import { MAX_WAIT, NodeParams } from './shared.ts';

const CaptureParams = Type.Object({ fpga_id: FpgaId, capture_id: RequestUuid('The capture.') });
const CaptureWaitQuery = Type.Object({
  wait: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_WAIT,
      description: 'Answer when it ends or after this many seconds, at once if it has ended.',
    }),
  ),
});
const NAMES = ['signal_unknown', 'signal_lost', 'no_symbols'] as const;
const RUNNING = { states: ['reserved'], otherwise: 'fpga_not_reserved' } as const;

/** Routes of signals, captures and the clock of the running design. */
export const SIGNALS_ROUTES = {
  listSignals: {
    summary: 'The signals of the running design, by source name',
    description: 'Registers and nets that remain after synthesis, place and route; see docs/signals.md.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    query: SignalListQuery,
    needs: RUNNING,
    answers: { 200: answer('The signals, by name.', SignalList) },
    errors: ['fpga_not_reserved', 'no_symbols'],
  },

  readSignals: {
    summary: 'The values of signals, all at one clock',
    description: 'Disturbs neither the design nor the bus. On virtual boards.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    query: SignalReadQuery,
    needs: RUNNING,
    answers: { 200: answer('The values.', SignalValues) },
    errors: ['fpga_not_reserved', 'inside_unsupported', 'capture_too_wide', ...NAMES],
  },

  getFloorplan: {
    summary: 'The floorplan of the running design',
    description: 'The same as of its build: GET /fpga/{fpga_id}/jobs/{job_id}/floorplan.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    needs: RUNNING,
    answers: { 200: answer('The floorplan.', Floorplan) },
    errors: ['fpga_not_reserved', 'no_floorplan'],
  },

  listCaptures: {
    summary: 'The captures of the node',
    description:
      'Newest first: the last one, and earlier ones of the same design, at most 10 and 8 MiB of samples.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    answers: { 200: answer('The captures.', Type.Array(CaptureView)) },
  },

  startCapture: {
    summary: 'Record signals, clock by clock',
    description:
      'Answers as soon as it is recording. Earlier ones of the same design are stored for a while. It ends when all samples are recorded, at its deadline, or when the design ends: with the session, by a reset, or when another design replaces it.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: CaptureRequest },
    holder: 'node',
    needs: RUNNING,
    answers: { 201: answer('It is recording.', CaptureView) },
    errors: [
      'fpga_not_reserved',
      'not_session_holder',
      'inside_unsupported',
      'capture_ended',
      'capture_running',
      'capture_too_wide',
      'capture_trigger',
      'no_probes',
      'signal_not_probed',
      'capture_beyond_core',
      'trigger_beyond_core',
      'board_paused',
      ...NAMES,
    ],
  },

  getCapture: {
    summary: 'The progress of a capture',
    tag: 'signals',
    access: 'key',
    params: CaptureParams,
    query: CaptureWaitQuery,
    answers: { 200: answer('The capture.', CaptureView) },
    errors: ['capture_not_found', 'too_many_open', 'too_many_streams'],
  },

  exportCapture: {
    summary: 'The samples of a capture',
    description:
      '`vcd`: for GTKWave and Surfer; `json`: each signal’s changes as [sample, value]; `bin`: words of 32 bits, little-endian, `words` for each sample.',
    tag: 'signals',
    access: 'key',
    params: Type.Object({
      ...CaptureParams.properties,
      format: enumOf(CAPTURE_FORMATS),
    }),
    answers: { 200: answerFile('The samples.', 'application/octet-stream', 'application/json') },
    errors: ['capture_not_found', 'capture_not_ended', 'no_samples'],
  },

  cancelCapture: {
    summary: 'Cancel or remove a capture',
    tag: 'signals',
    access: 'key',
    params: CaptureParams,
    holder: 'node',
    answers: { 204: answerEmpty('It has ended.') },
    errors: ['capture_not_found', 'not_session_holder'],
  },

  getBoardClock: {
    summary: 'The state of the clock of the board',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    needs: RUNNING,
    answers: { 200: answer('The clock.', BoardClock) },
    errors: ['fpga_not_reserved', 'inside_unsupported'],
  },

  setBoardClock: {
    summary: 'Pause, step or run the clock of the board',
    description:
      'On virtual boards. While it is paused, runs and streams are refused with board_paused; one in progress ends with it.',
    tag: 'signals',
    access: 'key',
    params: NodeParams,
    body: { takes: 'json', schema: ClockRequest },
    holder: 'node',
    needs: RUNNING,
    answers: { 200: answer('The clock now.', BoardClock) },
    errors: ['fpga_not_reserved', 'not_session_holder', 'inside_unsupported', 'board_not_paused'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
