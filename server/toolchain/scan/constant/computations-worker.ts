import { parentPort, workerData } from 'node:worker_threads';
import { longBelow, longComputations } from './computations.ts';
import { type ComputationsAsked, placed } from './computations-thread.ts';
import { modulesOf } from './modules.ts';

/** A thread for one look: it takes up to some seconds, and must not hold up whoever answers requests. */
const { texts, most, known, top }: ComputationsAsked = workerData;
const modules = texts.flatMap(({ path, text }) => modulesOf(text, path));
parentPort?.postMessage(
  top === null
    ? longComputations(modules, most, (path, { start }) => known.has(placed(path, start)))
    : (longBelow(modules, top, most) ?? []),
);
