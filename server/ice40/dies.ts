/**
 * The configuration memory of an iCE40 die. The chip has four banks, one for each quarter; each is written from the
 * chip's edge to its middle.
 */
export interface Die {
  /** Bits of a tile's rows, by its distance in columns from the nearer of the left and the right edge. */
  columnWidths: readonly number[];
  /** The highest row of tiles of the lower banks. */
  lowerRows: number;
  /** The row of tiles at the upper edge; the one at the lower edge is 0. */
  lastRow: number;
}

/** Columns of logic tiles have 54 bits, those of block RAM 42, IO tiles 18. */
const LOGIC = 54;
const RAM = 42;
export const IO_COLUMNS = 18;

const logic = (count: number): number[] => new Array<number>(count).fill(LOGIC);

const WITH_SIDE_LOGIC = [...logic(6), RAM, ...logic(6)];

/**
 * Dies by place and route's name: parts 384, 1k, 5k (UltraPlus), u4k (Ultra), and 8k (also in the parts with 4k).
 * Source: project IceStorm, "iCE40 bitstream format"; compared bit for bit with the output of its packer.
 */
export const DIES: ReadonlyMap<string, Die> = new Map([
  ['384', { columnWidths: [IO_COLUMNS, ...logic(3)], lowerRows: 4, lastRow: 9 }],
  ['1k', { columnWidths: [IO_COLUMNS, ...logic(2), RAM, ...logic(3)], lowerRows: 8, lastRow: 17 }],
  ['u4k', { columnWidths: WITH_SIDE_LOGIC, lowerRows: 10, lastRow: 21 }],
  ['5k', { columnWidths: WITH_SIDE_LOGIC, lowerRows: 20, lastRow: 31 }],
  ['8k', { columnWidths: [IO_COLUMNS, ...logic(7), RAM, ...logic(8)], lowerRows: 16, lastRow: 33 }],
]);

/**
 * The columns of block RAM, from left to right, and the rows of their blocks, from below. A block is two tiles high.
 */
export function ramPlaces({ columnWidths, lastRow }: Die): {
  columns: readonly number[];
  rows: readonly number[];
} {
  const left = columnWidths.indexOf(RAM);
  return {
    columns: left < 0 ? [] : [left, 2 * columnWidths.length - 1 - left],
    rows: Array.from({ length: (lastRow - 1) >> 1 }, (_, block) => 2 * block + 1),
  };
}

/** IO tiles at the upper and the lower edge have their 18 columns and 16 rows scattered over a column of logic. */
export const EDGE_COLUMNS: readonly number[] = [
  23, 25, 26, 27, 16, 17, 18, 19, 20, 14, 32, 33, 34, 35, 36, 37, 4, 5,
];
export const EDGE_ROWS: readonly number[] = [0, 1, 3, 2, 4, 5, 7, 6, 8, 9, 11, 10, 12, 13, 15, 14];

/** Rows of configuration bits of every tile. */
const TILE_ROWS = 16;

/** Bits of a bank's rows beyond those of its tiles, in the middle of the chip. */
const EXTRA_COLUMNS = 2;

/** Bank of a quarter of the chip. */
const bankOf = (upper: boolean, right: boolean): number => (upper ? 1 : 0) | (right ? 2 : 0);
const isUpper = (bank: number): boolean => (bank & 1) === 1;

/** Bits of a row of a bank of configuration memory. */
export const bankWidth = ({ columnWidths }: Die): number =>
  columnWidths.reduce((sum, width) => sum + width, EXTRA_COLUMNS);

/** Rows of a bank of configuration memory. */
export const bankHeight = ({ lowerRows, lastRow }: Die, bank: number): number =>
  TILE_ROWS * (isUpper(bank) ? lastRow - lowerRows : lowerRows + 1);

/** Bits of a row of a bank of block RAM contents: 16 for each block, which is two tiles high; 0 without block RAM. */
export const ramBankWidth = ({ columnWidths, lowerRows, lastRow }: Die, bank: number): number =>
  columnWidths.includes(RAM) ? 8 * (isUpper(bank) ? lastRow - 1 - lowerRows : lowerRows) : 0;

/** Rows of a bank of block RAM contents: words of 16 bits in each block. */
export const RAM_ROWS = 256;

/** The place of a tile's configuration bits. */
export interface TilePlace {
  bank: number;
  /** By row of the tile, the row of the bank. */
  rows: readonly number[];
  /** By column of the tile, the column of the bank. */
  columns: readonly number[];
}

/** Null where the die has no tile at (x, y). */
export function tilePlace(die: Die, x: number, y: number): TilePlace | null {
  const { columnWidths, lowerRows, lastRow } = die;
  const lastColumn = 2 * columnWidths.length - 1;
  const right = x >= columnWidths.length;
  const fromEdge = right ? lastColumn - x : x;
  const width = columnWidths[fromEdge];
  if (width === undefined || y < 0 || y > lastRow) return null;
  const atEdge = y === 0 || y === lastRow;
  if (atEdge && fromEdge === 0) return null;
  const upper = y > lowerRows;
  const left = columnWidths.slice(0, fromEdge).reduce((sum, one) => sum + one, 0);
  const first = TILE_ROWS * (upper ? lastRow - y : y);
  const rows = Array.from({ length: TILE_ROWS }, (_, row) =>
    atEdge ? TILE_ROWS - 1 - (EDGE_ROWS[row] ?? 0) : upper ? first + TILE_ROWS - 1 - row : first + row,
  );
  const columns = atEdge
    ? EDGE_COLUMNS.map((column) => left + (right ? width - 1 - column : column))
    : Array.from({ length: width }, (_, column) =>
        right || width === IO_COLUMNS ? left + width - 1 - column : left + column,
      );
  return { bank: bankOf(upper, right), rows, columns };
}

/**
 * The place of the contents of the block RAM whose lower tile is (x, y): the bank, and the first of the 16 columns of
 * each word. Null where there is none.
 */
export function blockRamPlace(die: Die, x: number, y: number): { bank: number; column: number } | null {
  const { columnWidths, lowerRows, lastRow } = die;
  const right = x >= columnWidths.length;
  if (columnWidths[right ? 2 * columnWidths.length - 1 - x : x] !== RAM) return null;
  if (y < 1 || y >= lastRow || y % 2 === 0) return null;
  const upper = y > lowerRows;
  return { bank: bankOf(upper, right), column: 8 * (upper ? y - 1 - lowerRows : y - 1) };
}
