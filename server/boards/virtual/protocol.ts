import type { FabricOptions } from './fabric.ts';

/** What a fabric's proxy asks of the thread that runs it. Every request is answered once. */
export type FabricRequest =
  | { op: 'open'; options: FabricOptions }
  | { op: 'reset' }
  | { op: 'configure'; bytes: Uint8Array }
  | { op: 'status' }
  | { op: 'write'; bytes: Uint8Array }
  | { op: 'drain' }
  | { op: 'baud'; baud: number }
  | { op: 'close' };

export interface Refusal {
  code: string;
  message: string;
}

/** CDONE, and why it is low or why the design has stopped. */
export interface FabricStatus {
  cdone: boolean;
  refusal: Refusal | null;
}

export type ToThread = { request: number; fabric: number } & FabricRequest;

export type FromThread =
  | { is: 'answer'; request: number; status?: FabricStatus }
  | { is: 'failure'; request: number; message: string }
  | { is: 'data'; fabric: number; bytes: Uint8Array }
  | { is: 'stopped'; fabric: number; refusal: Refusal };
