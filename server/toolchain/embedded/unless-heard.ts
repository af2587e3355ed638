import type { Clock } from '../../clock.ts';

/** For what has come meanwhile, milliseconds: who stood still itself for so long has not read it yet. */
const UNTIL_READ = 1000;

/**
 * Calls back when nobody has cancelled it for `ms` milliseconds, and what came meanwhile is read.
 * @returns the function that cancels
 */
export function unlessHeard(clock: Clock, ms: number, callback: () => void): () => void {
  let cancel = clock.after(ms, () => {
    cancel = clock.after(UNTIL_READ, callback);
  });
  return () => cancel();
}
