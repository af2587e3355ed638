import { parentPort } from 'node:worker_threads';
import { type AnsweredPlacement, type PlacementQuery, readSynthesised } from './placement.ts';

const answer = (answer: AnsweredPlacement) => parentPort?.postMessage(answer);

/** A thread that reads netlists of one design after another: tens of megabytes must not delay the service's answers. */
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
