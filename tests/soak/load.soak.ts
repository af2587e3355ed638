import { expect, test } from 'vitest';
import { printFigures } from './figures.ts';
import { load } from './load.ts';

test('50 clients for ten minutes', async () => {
  const figures = await load({ clients: 50, forMs: 600_000 });
  printFigures('load', figures);
  expect(figures.errors).toEqual([]);
  expect(figures.waitP99Ms).toBeLessThan(250);
  expect(figures.statusP99Ms).toBeLessThan(50);
  expect(figures.heldMoreMiB).toBeLessThan(30);
}, 900_000);
