import { Worker } from 'node:worker_threads';
import { distPath } from '../../../paths.ts';
import type { LongComputation } from './computations.ts';
import type { EndlessInstances } from './recursion.ts';

/** Heap of the thread, MiB. */
const HEAP = 512;

interface Texts {
  texts: readonly { path: string; text: string }[];
}

/** What the thread looks at, and for what. */
export type ComputationsAsked = LongComputationsAsked | EndlessInstancesAsked;

interface LongComputationsAsked extends Texts {
  look: 'long computations';
  /** Passes, and calls, that the bench takes on. */
  most: number;
  /** Loops of which it is known without: see placed. */
  known: ReadonlySet<string>;
  /** The module below which those that instances make are looked at; null for all as they are by themselves. */
  top: string | null;
}

interface EndlessInstancesAsked extends Texts {
  look: 'endless instances';
  top: string;
}

/** A loop by its file and the offset of its condition. */
export const placed = (path: string, start: number): string => `${path} ${start}`;

const isComputations = (value: unknown): value is LongComputation[] =>
  Array.isArray(value) &&
  value.every((one: unknown) => typeof one === 'object' && one !== null && 'module' in one && 'what' in one);

const isInstances = (value: unknown): value is EndlessInstances =>
  typeof value === 'object' && value !== null && 'steps' in value && 'again' in value;

/**
 * The long computations of texts, found in a thread of its own: see longComputations.
 * @returns none where the thread fails: then nothing can be told. Rejects when the signal aborts.
 */
export async function longComputationsIn(
  asked: Omit<LongComputationsAsked, 'look'>,
  signal?: AbortSignal,
): Promise<LongComputation[]> {
  const found = await inThread({ look: 'long computations', ...asked }, signal);
  return isComputations(found) ? found : [];
}

/**
 * Modules of texts that instantiate each other without an end, found in a thread of its own: see endlessInstances.
 * @returns null where the thread fails, too. Rejects when the signal aborts.
 */
export async function endlessInstancesIn(
  asked: Omit<EndlessInstancesAsked, 'look'>,
  signal?: AbortSignal,
): Promise<EndlessInstances | null> {
  const found = await inThread({ look: 'endless instances', ...asked }, signal);
  return isInstances(found) ? found : null;
}

async function inThread(asked: ComputationsAsked, signal?: AbortSignal): Promise<unknown> {
  signal?.throwIfAborted();
  const worker = new Worker(distPath('server', 'computations-worker.js'), {
    workerData: asked,
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  });
  let abort = () => {};
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', () => resolve(null));
      worker.once('exit', () => resolve(null));
      abort = () => reject(signal?.reason);
      signal?.addEventListener('abort', abort, { once: true });
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    void worker.terminate();
  }
}
