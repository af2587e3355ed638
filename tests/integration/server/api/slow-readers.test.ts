import { expect, test } from 'vitest';
import { slowReaders } from '../../../soak/slow-readers.ts';

/**
 * The bounded run of tests/soak/slow-readers.ts; `npm run soak` has a thousand readers of each kind, for longer. A hundred logs are
 * some 500 MiB: what of them is held on to is counted after a collection. How much is resident also depends on when the last
 * collection was, which on a busy computer may be a while ago.
 */
test('100 unread logs', async () => {
  const figures = await slowReaders({ readers: 100, what: 'log', forMs: 1_200 });
  expect(figures.heldMoreMiB).toBeLessThan(32);
  expect(figures.residentMoreMiB).toBeLessThan(160);
  expect(figures.othersRefused).toBe(0);
});
