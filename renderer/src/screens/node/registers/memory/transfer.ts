import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { runTransaction } from '../../../../state/registers/transactions.ts';

/** Words per burst: short enough to stop a long range and to show its progress. */
const CHUNK = 4096;

export interface TransferOptions {
  client: BenchClient;
  node: number;
  signal: AbortSignal;
  /** Gets the number of finished words before each burst. */
  onProgress(done: number): void;
}

/** A burst failed: the design did not acknowledge it, or the bench refused it. */
export class TransferError extends Error {
  /** Byte address of the burst. */
  readonly address: number;

  constructor(address: number, message: string) {
    super(message);
    this.address = address;
  }
}

/**
 * Reads words in bursts from a byte address. When stopped or after a failure it resolves with the words so far;
 * `onFailure` gets the reason. @throws the service's refusal
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

/** Writes words in bursts from a byte address. Resolves with the number of written words. @throws TransferError */
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
