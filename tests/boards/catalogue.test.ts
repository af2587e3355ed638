import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { constraintsOf, loadCatalogue, VIRTUAL_BOARD } from '../../server/boards/catalogue/index.ts';

test('the catalogue loads and every board has its constraints', () => {
  const catalogue = loadCatalogue();
  expect(catalogue.get(VIRTUAL_BOARD)?.programmer.kind).toBe('virtual');
  for (const board of catalogue.boards) expect(constraintsOf(board)).toContain(board.clock.pin);
});

test('a board file that does not fit the schema is named with what is wrong', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-catalogue-'));
  writeFileSync(path.join(folder, 'x.json'), JSON.stringify({ id: 'x' }));
  expect(() => loadCatalogue(folder)).toThrow(/x\.json/);
});
