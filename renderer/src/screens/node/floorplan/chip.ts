import type { CellKind, Floorplan, PlacedCell } from '../../../../../server/contract/signals/floorplan.ts';

/** A rectangle in tiles of the chip, from its upper left corner. */
export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A floorplan, prepared for drawing and pointing. */
export interface Chip {
  plan: Floorplan;
  /** Tiles. */
  width: number;
  height: number;
  /** Four numbers per cell: x, y, width, height. */
  rects: Float32Array;
  /** Tile → its cells. */
  tiles: ReadonlyMap<number, readonly number[]>;
}

/** What the colours distinguish. */
export type Colouring = 'module' | 'kind';

/** Cells of one colour. */
export interface ColourClass {
  /** Token of the theme. */
  token: string;
  /** An instance with everything in it, or a kind; `others` have no colour of their own. */
  of: { instance: string } | { kind: ShownKind } | 'others' | 'bench';
  /** Number of cells. */
  count: number;
}

/** Logic cells differ by their used parts. */
type ShownKind = 'table' | 'register' | 'carry' | Exclude<CellKind, 'logic'>;

/** Width of the bench's cells: narrow, because colour must not be the only difference. */
const BENCH_WIDTH = 0.4;

/** The rectangle of a cell in its tile. */
function placeOf({ kind, x, y, z }: PlacedCell, height: number, bench: boolean): Rect {
  const top = height - 1 - y;
  const rect = (px: number, py: number, width: number, high: number): Rect => {
    const narrow = bench ? width * BENCH_WIDTH : width;
    return { x: x + px + (width - narrow) / 2, y: top + py, width: narrow, height: high };
  };
  switch (kind) {
    case 'logic':
      return rect(0.1, 0.9 - (z + 1) * 0.1, 0.8, 0.085);
    case 'ram':
      // It covers the tile above too.
      return rect(0.12, -0.88, 0.76, 1.76);
    case 'io':
      return rect(0.1, z === 0 ? 0.52 : 0.12, 0.8, 0.32);
    case 'buffer':
      return rect(0.3, 0.4, 0.4, 0.2);
    case 'pll':
    case 'dsp':
    case 'spram':
    case 'other':
      return rect(0.15, 0.15, 0.7, 0.7);
  }
}

const keyOf = (x: number, y: number): number => y * 1024 + x;

export function chipOf(plan: Floorplan): Chip {
  // Without known tiles the cells determine the size of the part.
  const height = plan.tiles.length || 1 + Math.max(0, ...plan.cells.map(({ y }) => y));
  const width = plan.tiles[0]?.length || 1 + Math.max(0, ...plan.cells.map(({ x }) => x));
  const rects = new Float32Array(4 * plan.cells.length);
  const tiles = new Map<number, number[]>();
  plan.cells.forEach((cell, index) => {
    const rect = placeOf(cell, height, isBench(plan, cell));
    rects.set([rect.x, rect.y, rect.width, rect.height], 4 * index);
    for (const y of cell.kind === 'ram' ? [cell.y, cell.y + 1] : [cell.y]) {
      const list = tiles.get(keyOf(cell.x, y)) ?? [];
      list.push(index);
      tiles.set(keyOf(cell.x, y), list);
    }
  });
  return { plan, width, height, rects, tiles };
}

export const isBench = ({ modules }: Floorplan, { module }: PlacedCell): boolean =>
  modules[module]?.whose !== 'design';

function kindOf({ kind, parts = [] }: PlacedCell): ShownKind {
  if (kind !== 'logic') return kind;
  return parts.includes('ff') ? 'register' : parts.includes('carry') ? 'carry' : 'table';
}

/** Instances with their own colour: as many as there are distinct colours. */
const COLOURS = 6;
/** Maximum depth in the hierarchy for distinct instances. */
const DEEPEST = 8;

const within = (path: string, depth: number): string => path.split('.').slice(0, depth).join('.');

/** The instances to colour, largest first: the highest level with more than one. */
function colouredInstances({ modules }: Floorplan): { depth: number; largest: string[] } {
  for (let depth = 1; ; depth++) {
    const cells = new Map<string, number>();
    for (const { path, whose, cells: count } of modules)
      if (whose === 'design' && count > 0)
        cells.set(within(path, depth), (cells.get(within(path, depth)) ?? 0) + count);
    if ([...cells.keys()].filter((name) => name !== '').length > 1 || depth === DEEPEST) {
      const names = [...cells].sort(([, a], [, b]) => b - a).map(([name]) => name);
      return { depth, largest: names.slice(0, COLOURS) };
    }
  }
}

/** The colour class of each cell, and the classes. */
export function colourClasses(
  { plan }: Chip,
  colouring: Colouring,
): { classes: ColourClass[]; of: Uint8Array } {
  const kinds: readonly ShownKind[] = ['table', 'register', 'carry', 'ram', 'io'];
  const { depth, largest } = colouredInstances(plan);
  const own: readonly string[] = colouring === 'module' ? largest : kinds;
  const classes: ColourClass[] = own.map((_, at) => ({
    token: `plot-${at + 1}`,
    of: colouring === 'module' ? { instance: largest[at] ?? '' } : { kind: kinds[at] ?? 'other' },
    count: 0,
  }));
  const others = classes.push({ token: 'ink-2', of: 'others', count: 0 }) - 1;
  const bench = classes.push({ token: 'idle', of: 'bench', count: 0 }) - 1;
  const of = Uint8Array.from(plan.cells, (cell) => {
    if (isBench(plan, cell)) return bench;
    const name = colouring === 'module' ? within(plan.modules[cell.module]?.path ?? '', depth) : kindOf(cell);
    const at = own.indexOf(name);
    return at < 0 ? others : at;
  });
  for (const at of of) {
    const found = classes[at];
    if (found) found.count++;
  }
  return { classes, of };
}

/** The rectangle of a cell. */
export function rectOf({ rects }: Chip, cell: number): Rect {
  const [x = 0, y = 0, width = 0, height = 0] = rects.subarray(4 * cell, 4 * cell + 4);
  return { x, y, width, height };
}

/** The middle of a cell. */
export function middleOf(chip: Chip, cell: number): { x: number; y: number } {
  const { x, y, width, height } = rectOf(chip, cell);
  return { x: x + width / 2, y: y + height / 2 };
}

/** The cell at a place, or the nearest in its tile; undefined without one. In tiles from the upper left. */
export function cellAt(chip: Chip, x: number, y: number): number | undefined {
  const found = chip.tiles.get(keyOf(Math.floor(x), chip.height - 1 - Math.floor(y))) ?? [];
  let nearest: number | undefined;
  let least = 0.12;
  for (const cell of found) {
    const rect = rectOf(chip, cell);
    const dx = Math.max(rect.x - x, 0, x - rect.x - rect.width);
    const dy = Math.max(rect.y - y, 0, y - rect.y - rect.height);
    const distance = Math.max(dx > 0.3 ? 1 : 0, dy);
    if (distance > least) continue;
    least = distance;
    nearest = cell;
    if (distance === 0) break;
  }
  return nearest;
}

/** The next cell in a direction, for arrow keys: straight before near. */
export function cellTowards(chip: Chip, from: number, dx: -1 | 0 | 1, dy: -1 | 0 | 1): number | undefined {
  const start = middleOf(chip, from);
  let nearest: number | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (let cell = 0; cell < chip.plan.cells.length; cell++) {
    if (cell === from) continue;
    const { x, y } = middleOf(chip, cell);
    const along = dx === 0 ? (y - start.y) * dy : (x - start.x) * dx;
    const beside = Math.abs(dx === 0 ? x - start.x : y - start.y);
    if (along < 0.01 || beside > along + 0.05) continue;
    const distance = along + 2 * beside;
    if (distance >= least) continue;
    least = distance;
    nearest = cell;
  }
  return nearest;
}

/** The name of a cell: its signal, within its instance. */
export function nameOf({ modules }: Floorplan, { name, module }: PlacedCell): string {
  const { path = '' } = modules[module] ?? {};
  return [path, name].filter((part) => part !== '').join('.');
}
