import { expect, test } from 'vitest';
import { load } from '../../../soak/load.ts';

/** The bounded run of tests/soak/load.ts; `npm run soak` has fifty clients for ten minutes, and holds the times. */
test('ten clients run and wait for a second without an error', async () => {
  const { errors, runs } = await load({ clients: 10, forMs: 1_000 });
  expect(errors).toEqual([]);
  expect(runs).toBeGreaterThanOrEqual(10);
});
