import { parentPort } from 'node:worker_threads';
import { UnreadableConfiguration } from './configuration.ts';
import { packIce40 } from './pack.ts';
import type { Packed } from './pack-thread.ts';

/** Packs designs in a thread, one after the other, to keep the service's thread free for requests. */
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
