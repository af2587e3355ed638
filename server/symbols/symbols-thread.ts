import { Worker } from 'node:worker_threads';
import { checkOf } from '../contract/check.ts';
import { distPath } from '../paths.ts';
import { OwnShare } from './floorplan/own-share.ts';
import type { Placement, PlacementInput } from './placement.ts';

/** Bytes of all files together beyond which nothing is read; a design that fills an HX8K has a third of it. */
const MOST_INPUT = 128 * 1024 * 1024;
/** Heap of the thread, MiB. */
const HEAP = 1024;

const isOwnShare = checkOf(OwnShare);
const isBytesOrNull = (value: unknown): value is Uint8Array | null =>
  value === null || value instanceof Uint8Array;
const isPlacement = (value: unknown): value is Placement =>
  typeof value === 'object' &&
  value !== null &&
  'symbols' in value &&
  isBytesOrNull(value.symbols) &&
  'floorplan' in value &&
  isBytesOrNull(value.floorplan) &&
  'own' in value &&
  isOwnShare(value.own);

/**
 * What is kept of a build beside its bitstream (see readPlacement), made in a thread of its own.
 * @returns null where the netlists are not what they should be, or too large.
 * Rejects where the thread fails or the signal aborts.
 */
export async function placementOf(input: PlacementInput, signal?: AbortSignal): Promise<Placement | null> {
  const { netlist, placed, delays } = input;
  if (netlist.length + (placed?.length ?? 0) + (delays?.length ?? 0) > MOST_INPUT) return null;
  signal?.throwIfAborted();
  const worker = new Worker(distPath('server', 'symbols-worker.js'), {
    workerData: input,
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  });
  try {
    return await new Promise((resolve, reject) => {
      worker.once('message', (placement: unknown) => resolve(isPlacement(placement) ? placement : null));
      worker.once('error', reject);
      worker.once('exit', () => reject(new Error('The thread that reads the netlists ended without them.')));
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  } finally {
    void worker.terminate();
  }
}
