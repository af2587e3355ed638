import { expect, test } from 'vitest';
import { slowReaders } from '../soak/slow-readers.ts';

/** The bounded run of tests/soak/slow-readers.ts; `npm run soak` has a thousand readers of each kind, for longer. */
test('100 unread logs', async () => {
  const figures = await slowReaders({ readers: 100, what: 'log', forMs: 1_200 });
  expect(figures.residentMoreMiB).toBeLessThan(64);
  expect(figures.othersRefused).toBe(0);
});
