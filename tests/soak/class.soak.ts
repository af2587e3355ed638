import { expect, test } from 'vitest';
import { deadline } from './budget.ts';
import { simulateClass } from './class.ts';
import { printFigures } from './figures.ts';

/** Quicker than people are, but not at the limit of the machine, where the time of an answer says nothing. */
const PACE = { sessionMs: 5_000, pauseMs: 100 };

test.each([
  ['builds from the cache', 0],
  ['two build workers', 2],
])('thirty students share ten boards with %s and hand in within two minutes', async (_, workers) => {
  const forMs = deadline() - performance.now();
  const handInMs = Math.min(120_000, forMs / 5);
  const figures = await simulateClass({ students: 30, forMs, handInMs, workers, ...PACE });
  printFigures(`class, ${workers} workers`, figures);
  expect(figures).toMatchObject({ errors: [], handedIn: 30, graded: 30, passed: 30 });
  // In a short run one session is more than the tenth.
  expect.soft(figures.unfair).toBeLessThan(Math.max(0.1, figures.longest));
  expect.soft(figures.statusP99Ms).toBeLessThan(50);
  expect.soft(figures.grownMiB).toBeLessThan(40);
  expect.soft(figures.heapGrownMiB).toBeLessThan(10);
});
