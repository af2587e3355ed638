import { sentences } from '../contract/sentences.ts';
import type { StreamFailure } from '../contract/stream/stream.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { wishboneError } from '../errors/wishbone.ts';
import { describeFault } from '../wishbone/fault.ts';
import type { TransferResult } from '../wishbone/link.ts';

/** A request to a node over a stream. */
export interface Request {
  op: 'read' | 'write';
  /** Byte address. */
  address: number;
  /** Words, read or written. */
  count: number;
  /** The words of a write; empty for a read. */
  data: Uint32Array;
  /** Every word has the same address. */
  fixed: boolean;
}

/** The outcome of a request. */
export type Outcome =
  | { ok: true; data: Uint32Array; ms: number }
  | { ok: false; error: StreamFailure; ms: number | null };

/** First byte address of the base SoC's own registers, which are read-only. */
const BASE_SOC = 0xf000_0000;
const ADDRESS_SPACE = 2 ** 32;

/** Why a request is invalid, checked before it reaches the board; null when it is valid. */
export function problemOf(request: Request, maxWords: number): BenchError | null {
  const { op, address, count, fixed } = request;
  if (count > maxWords || (op === 'read' && count === 0))
    return wishboneError('count_invalid', {
      message: `A transaction of a stream has 1 to ${maxWords} words, not ${count}.`,
    });
  const end = address + 4 * (fixed ? Math.min(count, 1) : count);
  if (address % 4 !== 0 || address < 0 || end > ADDRESS_SPACE) return wishboneError('address_invalid');
  if (op === 'write' && count > 0 && end > BASE_SOC) return wishboneError('address_reserved');
  return null;
}

/** An error in the form of a stream: the cause, and the remedy. */
export const failureOf = (error: unknown): StreamFailure =>
  error instanceof BenchError
    ? { code: error.code, message: sentences(error.message, error.remedy) }
    : failureOf(jobsError('job_crashed', { cause: error }));

/** The outcome of an invalid request. */
export const refused = (error: BenchError): Outcome => ({ ok: false, error: failureOf(error), ms: null });

/** The board's answer to a request. */
export function outcomeOf(result: TransferResult, ms: number): Outcome {
  if (result.ok) return { ok: true, data: result.data, ms };
  return { ok: false, error: describeFault(result.fault), ms };
}
