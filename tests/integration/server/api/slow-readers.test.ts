import { expect, test } from 'vitest';
import { slowReaders } from '../../../soak/slow-readers.ts';

/**
 * The bounded run of tests/soak/slow-readers.ts; the soak has a thousand readers of each kind, for longer. A hundred logs are
 * some 500 MiB. Referenced memory is counted after a collection: 20 to 30 MiB with Node 20, 50 with Node 24. Resident memory
 * depends on the time of the last collection too.
 */
test('100 unread logs', async () => {
  const figures = await slowReaders({ readers: 100, what: 'log', forMs: 1_200 });
  expect(figures.heldMoreMiB).toBeLessThan(64);
  expect(figures.residentMoreMiB).toBeLessThan(160);
  expect(figures.othersRefused).toBe(0);
});
