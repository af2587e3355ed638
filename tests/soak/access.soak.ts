import { expect, test } from 'vitest';
import { walkAccess } from './access.ts';
import { printFigures } from './figures.ts';

test('every route, role and state, twenty times', async () => {
  let cells = 0;
  for (let round = 0; round < 20; round++) {
    const figures = await walkAccess();
    expect(figures.wrong).toEqual([]);
    cells += figures.cells;
  }
  printFigures('access', { cells, wrong: 0 });
}, 3_600_000);
