import { parentPort } from 'node:worker_threads';
import { type AnsweredPlacement, type PlacementQuery, readSynthesised } from './placement.ts';

const answer = (answer: AnsweredPlacement) => parentPort?.postMessage(answer);

/** A thread for one design after the other: netlists of tens of megabytes must not hold up whoever answers requests. */
let finish: ReturnType<typeof readSynthesised> = null;
parentPort?.on('message', (asked: PlacementQuery) => {
  if (asked.kind === 'synthesised')
    finish = readSynthesised(asked.design, (megahertz) => answer({ kind: 'estimated', megahertz }));
  else {
    const placement = finish?.(asked.files) ?? null;
    finish = null;
    answer({ kind: 'placement', placement });
  }
});
