import { expect, test } from 'vitest';
import {
  cellAt,
  cellTowards,
  chipOf,
  colourClasses,
  middleOf,
  nameOf,
} from '../../../renderer/src/screens/node/floorplan/chip.ts';
import { fitted, showing, within, zoomed } from '../../../renderer/src/screens/node/floorplan/view.ts';
import type { Floorplan, PlacedCell } from '../../../server/contract/signals/floorplan.ts';

const counts = { cells: 0, lut: 0, ff: 0, carry: 0, ram: 0 };
const logic = (x: number, y: number, z: number, module: number): PlacedCell => ({
  ...{ name: `q[${z}]`, kind: 'logic', parts: ['lut', 'ff'], x, y, z, module },
});

/** Three tiles of logic between pins, with a block RAM of two tiles. */
const PLAN: Floorplan = {
  version: 1,
  build_id: '0'.repeat(64),
  part: 'none',
  tiles: ['.III.', 'ILRLI', 'ILRLI', '.III.'],
  modules: [
    { path: '', module: null, whose: 'bench', ...counts, cells: 1 },
    { path: '', module: 'top', whose: 'design', ...counts, cells: 2 },
    { path: 'inner', module: 'inner', whose: 'design', ...counts, cells: 3 },
  ],
  files: ['top.v'],
  cells: [
    logic(1, 1, 0, 1),
    logic(1, 1, 7, 2),
    logic(3, 2, 4, 2),
    { name: 'memory', kind: 'ram', x: 2, y: 1, z: 0, module: 1 },
    { name: 'rx', kind: 'io', x: 0, y: 2, z: 1, module: 0 },
    { ...logic(3, 1, 1, 2), parts: ['lut', 'carry'], between: true },
  ],
  paths: { all: [], design: [] },
};
const chip = chipOf(PLAN);
const area = { width: 500, height: 400 };

test('the cell drawn at a position is found there', () => {
  expect([chip.width, chip.height]).toEqual([5, 4]);
  PLAN.cells.forEach((_, cell) => {
    const { x, y } = middleOf(chip, cell);
    expect(cellAt(chip, x, y)).toBe(cell);
  });
  // The block RAM has the tile above as well; rows count from the bottom, pictures from the top.
  expect(cellAt(chip, 2.5, 1.5)).toBe(3);
  expect(cellAt(chip, 2.5, 2.5)).toBe(3);
  expect(middleOf(chip, 0).y).toBeGreaterThan(middleOf(chip, 1).y);
  for (const [x, y] of [
    [-1, -1],
    [9, 1],
    [4.5, 0.5],
  ] as const)
    expect(cellAt(chip, x, y)).toBeUndefined();
});

test('arrow keys select the next cell in their direction, and do nothing at the edge', () => {
  expect(cellTowards(chip, 0, 0, -1)).toBe(1);
  expect(cellTowards(chip, 1, 0, 1)).toBe(0);
  expect(cellTowards(chip, 0, 1, 0)).toBe(5);
  expect(cellTowards(chip, 4, -1, 0)).toBeUndefined();
});

const counted = (coloured: ReturnType<typeof colourClasses>) =>
  coloured.classes.flatMap(({ token, of, count }) => (count > 0 ? [[token, of, count]] : []));

test('cells are coloured by instance, the design’s largest first, or by kind, with one colour for the bench', () => {
  const coloured = colourClasses(chip, 'module');
  expect(counted(coloured)).toEqual([
    ['plot-1', { instance: 'inner' }, 3],
    ['plot-2', { instance: '' }, 2],
    ['idle', 'bench', 1],
  ]);
  expect([...coloured.of].map((at) => coloured.classes[at]?.token)).toEqual([
    'plot-2',
    'plot-1',
    'plot-1',
    'plot-2',
    'idle',
    'plot-1',
  ]);
  expect(counted(colourClasses(chip, 'kind'))).toEqual([
    ['plot-2', { kind: 'register' }, 3],
    ['plot-3', { kind: 'carry' }, 1],
    ['plot-4', { kind: 'ram' }, 1],
    ['idle', 'bench', 1],
  ]);
});

test.each([
  [
    '',
    'more instances than colours share one, with what is within them',
    (index: number) => `m${index}.deep`,
  ],
  ['all.', 'where there is one alone, those within it have the colours', (index: number) => `all.m${index}`],
])('%s: %s', (within, _, path) => {
  const modules = Array.from({ length: 9 }, (_module, index) => ({
    ...{ path: path(index), module: null, whose: 'design' as const, ...counts, cells: 9 - index },
  }));
  const cells = modules.map((_module, index) => logic(1, 1, index % 8, index));
  const coloured = counted(colourClasses(chipOf({ ...PLAN, modules, cells }), 'module'));
  expect(coloured.map(([token]) => token)).toEqual([
    'plot-1',
    'plot-2',
    'plot-3',
    'plot-4',
    'plot-5',
    'plot-6',
    'ink-2',
  ]);
  expect(coloured[0]).toEqual(['plot-1', { instance: `${within}m0` }, 1]);
  expect(coloured.at(-1)?.[2]).toBe(3);
});

test('a cell is named by its instance and its signal', () => {
  expect(PLAN.cells.map((cell) => nameOf(PLAN, cell))).toEqual([
    'q[0]',
    'inner.q[7]',
    'inner.q[4]',
    'memory',
    'rx',
    'inner.q[1]',
  ]);
});

test('a part with unknown tiles is as large as its cells', () => {
  const unknown = chipOf({ ...PLAN, tiles: [] });
  expect([unknown.width, unknown.height]).toEqual([4, 3]);
});

test('the view begins with the whole chip, zooms around the pointer and cannot leave the chip', () => {
  const all = fitted(chip, area);
  expect(all.scale).toBeCloseTo(94, 0);
  expect(zoomed(all, 0.5, { x: 10, y: 10 }, chip, area)).toEqual(all);
  const pointer = { x: 250, y: 200 };
  const near = zoomed(all, 1.5, pointer, chip, area);
  const under = (view: typeof all) => (pointer.x - view.x) / view.scale;
  expect(under(near)).toBeCloseTo(under(all), 6);
  expect(zoomed(near, 1e9, pointer, chip, area).scale).toBe(160);
  const away = within({ ...near, x: 1e6, y: -1e6 }, chip, area);
  expect(away.x).toBeLessThanOrEqual(12);
  expect(away.y + away.scale * chip.height).toBeGreaterThanOrEqual(area.height - 13);
  const corner = showing(zoomed(all, 2, { x: 0, y: 0 }, chip, area), { x: 4.5, y: 3.5 }, chip, area);
  const place = { x: corner.x + 4.5 * corner.scale, y: corner.y + 3.5 * corner.scale };
  expect(place.x).toBeLessThanOrEqual(area.width);
  expect(place.y).toBeLessThanOrEqual(area.height);
});
