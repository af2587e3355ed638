import type { FabricOptions } from './fabric.ts';
import { isFabricCode, type Refusal } from './refusal.ts';

/** What a fabric's proxy asks of the thread that runs it. Every request is answered once. */
export type FabricRequest =
  | { kind: 'open'; options: FabricOptions }
  | { kind: 'reset' }
  | { kind: 'configure'; bytes: Uint8Array }
  | { kind: 'status' }
  | { kind: 'write'; bytes: Uint8Array }
  | { kind: 'drain' }
  | { kind: 'baud'; baud: number }
  | { kind: 'close' };

/** CDONE, and why it is low or why the design has stopped. */
export interface FabricStatus {
  cdone: boolean;
  refusal: Refusal | null;
}

/** What the thread is started with. */
export interface FabricThreadData {
  /** File of the chip table. */
  table: string;
}

export type ToThread = { request: number; fabric: number } & FabricRequest;

export type FromThread =
  /** `status` answers a request for it, else null. */
  | { kind: 'answer'; request: number; status: FabricStatus | null }
  | { kind: 'failure'; request: number; message: string }
  | { kind: 'data'; fabric: number; bytes: Uint8Array }
  | { kind: 'stopped'; fabric: number; refusal: Refusal };

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

/** Checks what arrives from a thread, by hand: bytes of a running design come in many small messages. */
export function isFromThread(value: unknown): value is FromThread {
  if (!isObject(value)) return false;
  const { kind, request, fabric, status, message, bytes, refusal } = value;
  switch (kind) {
    case 'answer':
      return typeof request === 'number' && (status === null || isFabricStatus(status));
    case 'failure':
      return typeof request === 'number' && typeof message === 'string';
    case 'data':
      return typeof fabric === 'number' && bytes instanceof Uint8Array;
    case 'stopped':
      return typeof fabric === 'number' && isRefusal(refusal);
    default:
      return false;
  }
}
