import { expect, test } from 'vitest';
import { printFigures } from './figures.ts';
import { fuzz } from './fuzz.ts';

const SEEDS = 10;

test('100,000 requests of all kinds: none breaks the service, none that is refused changes anything', async () => {
  for (let i = 0; i < SEEDS; i++) {
    const seed = Date.now() % 2 ** 31;
    const figures = await fuzz({ requests: 10_000, seed });
    printFigures(`fuzz, seed ${seed}`, figures);
    expect(figures.failures).toEqual([]);
    expect(figures.changes).toEqual([]);
    expect(figures.heldMoreMiB).toBeLessThan(20);
  }
}, 3_600_000);
