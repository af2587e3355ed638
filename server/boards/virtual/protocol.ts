import type { FabricOptions } from './fabric.ts';
import type { BoardSample, FabricObservation, Recording } from './observation.ts';
import { isFabricCode, type Refusal } from './refusal.ts';

/** Requests of a fabric's proxy to its thread. Every request is answered once. */
export type FabricRequest =
  | { kind: 'open'; options: FabricOptions }
  | { kind: 'reset' }
  | { kind: 'configure'; bytes: Uint8Array }
  | { kind: 'status' }
  | { kind: 'write'; bytes: Uint8Array }
  | { kind: 'drain' }
  | { kind: 'ready' }
  | { kind: 'baud'; baud: number }
  | { kind: 'close' };

/** CDONE, and why it is low or why the design has stopped. */
export interface FabricStatus {
  cdone: boolean;
  refusal: Refusal | null;
}

/** The start data of a thread. */
export interface FabricThreadData {
  /** File of the chip table. */
  table: string;
  /** Script that compiles the compiled engine. */
  wordsScript: string;
  /** Shared: the progress of the thread, by the cells of PULSE. */
  pulse: Int32Array;
  /** Shared: letters to the thread and from it, besides the messages. */
  mailboxes: { to: SharedArrayBuffer; from: SharedArrayBuffer };
}

/**
 * How long a design runs on after the last byte or observation, ms of host time: a started program is done when its
 * user comes back.
 */
export const GOING_ON = 60_000;

/** Cells of a thread's pulse. */
export const PULSE = {
  /** Incremented with every step of the thread. */
  steps: 0,
  /** 1 during a step that may take long: starting, or loading a design. */
  longStep: 1,
  /** Running threads, this one included: they share the time that idle boards may take. */
  threads: 2,
  /** How long designs run on after a use, ms. */
  goingOn: 3,
} as const;

/** The pulse of a new thread. */
export function newPulse(): Int32Array {
  const pulse = new Int32Array(new SharedArrayBuffer(4 * Int32Array.BYTES_PER_ELEMENT));
  pulse[PULSE.longStep] = 1;
  pulse[PULSE.threads] = 1;
  pulse[PULSE.goingOn] = GOING_ON;
  return pulse;
}

export type ToThread =
  | ({ request: number; fabric: number } & (FabricRequest | FabricObservation))
  /** Requests a step, whose count is the answer; a letter may wait. */
  | { kind: 'wake' };

export type FromThread =
  /** `status` answers a request for it, else null. */
  | { kind: 'answer'; request: number; status: FabricStatus | null }
  | { kind: 'observed'; request: number; observed: BoardSample }
  /** A recording has triggered and continues. */
  | { kind: 'triggered'; fabric: number }
  /** A recording has ended. */
  | { kind: 'recorded'; fabric: number; recording: Recording }
  | { kind: 'failure'; request: number; message: string }
  /** Output of the design, and the requests that it answers. */
  | { kind: 'data'; fabric: number; bytes: Uint8Array; answered: number[] }
  | { kind: 'stopped'; fabric: number; refusal: Refusal }
  /** A letter waits. */
  | { kind: 'wake' };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function isRefusal(value: unknown): value is Refusal {
  if (!isObject(value)) return false;
  const { code, message } = value;
  return isFabricCode(code) && typeof message === 'string';
}

function isFabricStatus(value: unknown): value is FabricStatus {
  if (!isObject(value)) return false;
  const { cdone, refusal } = value;
  return typeof cdone === 'boolean' && (refusal === null || isRefusal(refusal));
}

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'number');

function isObserved(value: unknown): value is BoardSample {
  if (!isObject(value)) return false;
  const { clock, paused, values, unknown } = value;
  return typeof clock === 'number' && typeof paused === 'boolean' && isNumbers(values) && isNumbers(unknown);
}

function isRecording(value: unknown): value is Recording {
  if (!isObject(value)) return false;
  const { samples, words, count, trigger, clock, lag, paused } = value;
  return (
    samples instanceof Int32Array &&
    isNumbers([words, count, trigger, clock, lag]) &&
    typeof paused === 'boolean'
  );
}

/** Checks messages from a thread by hand, because bytes of a running design come in many small messages. */
export function isFromThread(value: unknown): value is FromThread {
  if (!isObject(value)) return false;
  const { kind, request, fabric, status, message, bytes, answered, refusal, observed, recording } = value;
  switch (kind) {
    case 'answer':
      return typeof request === 'number' && (status === null || isFabricStatus(status));
    case 'observed':
      return typeof request === 'number' && isObserved(observed);
    case 'triggered':
      return typeof fabric === 'number';
    case 'recorded':
      return typeof fabric === 'number' && isRecording(recording);
    case 'failure':
      return typeof request === 'number' && typeof message === 'string';
    case 'data':
      return typeof fabric === 'number' && bytes instanceof Uint8Array && isNumbers(answered);
    case 'stopped':
      return typeof fabric === 'number' && isRefusal(refusal);
    case 'wake':
      return true;
    default:
      return false;
  }
}
