import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { runTransaction } from '../../../../state/registers/transactions.ts';

/** Words of one burst: short enough that a large range can be stopped, and shows how far it is. */
const CHUNK = 4096;

export interface TransferOptions {
  client: BenchClient;
  node: number;
  signal: AbortSignal;
  /** Told before each burst how many words are done. */
  onProgress(done: number): void;
}

/** A burst that the design did not acknowledge, or the bench could not do. */
export class TransferError extends Error {
  /** Byte address where the burst began. */
  readonly address: number;

  constructor(address: number, message: string) {
    super(message);
    this.address = address;
  }
}

/**
 * Reads words from a byte address on, in bursts. Stopped, it resolves with those that it has; `onFailure` is told why the
 * rest is missing otherwise. @throws what the service refuses.
 */
export async function readRange(
  { client, node, signal, onProgress }: TransferOptions,
  address: number,
  count: number,
  onFailure: (failure: TransferError) => void,
): Promise<number[]> {
  const words: number[] = [];
  while (words.length < count && !signal.aborted) {
    onProgress(words.length);
    const at = address + 4 * words.length;
    const request = { op: 2, address: at, count: Math.min(CHUNK, count - words.length) } as const;
    const { state, data, failure } = await runTransaction(client, node, request);
    if (state !== 'ok') {
      onFailure(new TransferError(at, failure?.message ?? ''));
      break;
    }
    for (const word of data) words.push(word);
  }
  return words;
}

/** Writes words from a byte address on, in bursts. Resolves with how many were written. @throws TransferError. */
export async function writeRange(
  { client, node, signal, onProgress }: TransferOptions,
  address: number,
  words: readonly number[],
): Promise<number> {
  let done = 0;
  while (done < words.length && !signal.aborted) {
    onProgress(done);
    const data = words.slice(done, done + CHUNK);
    const at = address + 4 * done;
    const { state, failure } = await runTransaction(client, node, { op: 1, address: at, data });
    if (state !== 'ok') throw new TransferError(at, failure?.message ?? '');
    done += data.length;
  }
  return done;
}
