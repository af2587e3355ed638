import { parentPort } from 'node:worker_threads';
import { type AskedPlacement, readSynthesised } from './placement.ts';

/** A thread for one design after the other: netlists of tens of megabytes must not hold up whoever answers requests. */
let finish: ReturnType<typeof readSynthesised> = null;
parentPort?.on('message', (asked: AskedPlacement) => {
  if (asked.kind === 'synthesised') finish = readSynthesised(asked.design);
  else {
    const placement = finish?.(asked.files) ?? null;
    finish = null;
    parentPort?.postMessage(placement);
  }
});
