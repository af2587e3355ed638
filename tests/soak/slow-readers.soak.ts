import { expect, test } from 'vitest';
import { printFigures } from './figures.ts';
import { slowReaders, UNREAD } from './slow-readers.ts';

test.each(UNREAD)(
  '1,000 readers that do not read: %s',
  async (what) => {
    const figures = await slowReaders({ readers: 1_000, what, forMs: 30_000 });
    printFigures(`slow readers, ${what}`, figures);
    expect(figures.residentMoreMiB).toBeLessThan(64);
    expect(figures.p99DuringMs).toBeLessThan(Math.max(50, 2 * figures.p99BeforeMs));
    expect(figures.othersRefused).toBe(0);
  },
  180_000,
);
