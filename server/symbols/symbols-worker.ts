import { parentPort, workerData } from 'node:worker_threads';
import { type PlacedFiles, readSynthesised, type SynthesisedDesign } from './placement.ts';

/** A thread for one design: netlists of tens of megabytes must not hold up whoever answers requests. */
const design: SynthesisedDesign = workerData;
const finish = readSynthesised(design);
parentPort?.once('message', (files: PlacedFiles) => parentPort?.postMessage(finish?.(files) ?? null));
