import { expect, test } from 'vitest';
import { simulateClass } from '../../../soak/class.ts';
import { printFigures } from '../../../soak/figures.ts';

/** The bounded run of tests/soak/class.ts; `npm run soak` has an hour, and holds times, shares and memory. */
test('thirty students share ten boards; no hand-in is lost, and each is graded', async () => {
  const figures = await simulateClass({ students: 30, forMs: 8_000, handInMs: 3_000 });
  printFigures('class', figures);
  expect(figures).toMatchObject({ errors: [], handedIn: 30, graded: 30, passed: 30 });
  expect(figures.sessions).toBeGreaterThanOrEqual(30);
});
