import { parentPort, workerData } from 'node:worker_threads';
import { longBelow, longComputations } from './computations.ts';
import { type ComputationsAsked, placed } from './computations-thread.ts';
import { modulesOf } from './modules.ts';
import { endlessInstances } from './recursion.ts';

/** A thread for one look: it takes up to some seconds, and must not hold up whoever answers requests. */
parentPort?.postMessage(looked(workerData));

function looked(asked: ComputationsAsked) {
  const modules = asked.texts.flatMap(({ path, text }) => modulesOf(text, path));
  if (asked.look === 'endless instances') return endlessInstances(modules, asked.top);
  const { known, most, top } = asked;
  if (top !== null) return longBelow(modules, top, most) ?? [];
  return longComputations(modules, most, (path, { start }) => known.has(placed(path, start)));
}
