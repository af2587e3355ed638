import { parentPort, workerData } from 'node:worker_threads';
import { type PlacementInput, readPlacement } from './placement.ts';

/** A thread for one design: netlists of tens of megabytes must not hold up whoever answers requests. */
const input: PlacementInput = workerData;
parentPort?.postMessage(readPlacement(input));
