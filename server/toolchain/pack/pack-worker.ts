import { parentPort, workerData } from 'node:worker_threads';
import { UnreadableConfiguration } from './configuration.ts';
import { packIce40 } from './pack.ts';
import type { Packed } from './pack-thread.ts';

/** A thread for one design: packing a large one must not hold up whoever answers requests. */
const configuration: unknown = workerData;
if (!(configuration instanceof Uint8Array)) throw new Error('This thread packs bytes.');

function pack(text: Uint8Array): Packed {
  try {
    return { kind: 'packed', bitstream: packIce40(text) };
  } catch (error) {
    if (!(error instanceof UnreadableConfiguration)) throw error;
    return { kind: 'refused', reason: error.message };
  }
}

parentPort?.postMessage(pack(configuration));
