import { expect, test } from 'vitest';
import { deadline } from './budget.ts';
import { simulateClass } from './class.ts';
import { printFigures } from './figures.ts';

test('thirty students share ten boards and hand in within two minutes', async () => {
  const forMs = deadline() - performance.now();
  const figures = await simulateClass({ students: 30, forMs, handInMs: Math.min(120_000, forMs / 5) });
  printFigures('class', figures);
  expect(figures).toMatchObject({ errors: [], handedIn: 30, graded: 30, passed: 30 });
  expect(figures.unfair).toBeLessThan(0.1);
  expect(figures.statusP99Ms).toBeLessThan(50);
  expect(figures.grownMiB).toBeLessThan(40);
});
