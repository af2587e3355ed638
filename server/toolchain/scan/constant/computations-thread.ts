import { Worker } from 'node:worker_threads';
import { distPath } from '../../../paths.ts';
import type { LongComputation } from './computations.ts';

/** Heap of the thread, MiB. */
const HEAP = 512;

/** What the thread looks at. */
export interface ComputationsAsked {
  texts: readonly { path: string; text: string }[];
  /** Passes, and calls, that the bench takes on. */
  most: number;
  /** Loops of which it is known without: see placed. */
  known: ReadonlySet<string>;
  /** The module below which those that instances make are looked at; null for all as they are by themselves. */
  top: string | null;
}

/** A loop by its file and the offset of its condition. */
export const placed = (path: string, start: number): string => `${path} ${start}`;

const isComputations = (value: unknown): value is LongComputation[] =>
  Array.isArray(value) &&
  value.every((one: unknown) => typeof one === 'object' && one !== null && 'module' in one && 'what' in one);

/**
 * The long computations of texts, found in a thread of its own: see longComputations.
 * @returns none where the thread fails: then nothing can be told. Rejects when the signal aborts.
 */
export async function longComputationsIn(
  asked: ComputationsAsked,
  signal?: AbortSignal,
): Promise<LongComputation[]> {
  signal?.throwIfAborted();
  const worker = new Worker(distPath('server', 'computations-worker.js'), {
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  });
  let abort = () => {};
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', (found: unknown) => resolve(isComputations(found) ? found : []));
      worker.once('error', () => resolve([]));
      worker.once('exit', () => resolve([]));
      abort = () => reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    void worker.terminate();
  }
}
