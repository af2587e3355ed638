import { parentPort } from 'node:worker_threads';
import { UnreadableConfiguration } from './configuration.ts';
import { packIce40 } from './pack.ts';
import type { Packed } from './pack-thread.ts';

/** A thread for one design after the other: packing a large one must not hold up whoever answers requests. */
parentPort?.on('message', (configuration: unknown) => {
  if (!(configuration instanceof Uint8Array)) throw new Error('This thread packs bytes.');
  parentPort?.postMessage(pack(configuration));
});

function pack(text: Uint8Array): Packed {
  try {
    return { kind: 'packed', bitstream: packIce40(text) };
  } catch (error) {
    if (!(error instanceof UnreadableConfiguration)) throw error;
    return { kind: 'refused', reason: error.message };
  }
}
