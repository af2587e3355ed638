/** A column that may shrink on a terminal. */
export interface ShrinkingColumn {
  /** Number of the column. */
  column: number;
  /** Minimum useful width in characters; WHOLE for a number or an address, which is shown in full or left out. */
  least: number;
  /** The end of a path matters most: cut its beginning. */
  keep?: 'end';
}

/** A cut value would be wrong. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** `2026-01-31T12:34…`: a time down to its minute. */
export const MIN_TIME_LENGTH = 17;

const GAP = '  ';
const ELLIPSIS = '…';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** Characters of two places on a terminal: East Asian Wide and Fullwidth (Unicode Standard Annex 11), and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const characters = (text: string): string[] =>
  PRINTABLE_ASCII.test(text)
    ? [...text]
    : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

const placesOf = (character: string): number => (WIDE.test(character) ? 2 : 1);

/** Width of a text on a terminal. */
const widthOf = (text: string): number =>
  PRINTABLE_ASCII.test(text)
    ? text.length
    : characters(text).reduce((sum, character) => sum + placesOf(character), 0);

/** Cuts a text to a width, with … for the missing part. */
function cut(cell: string, width: number, keep?: 'end'): string {
  const text = cell.trimEnd();
  if (widthOf(text) <= width) return text;
  const all = keep === 'end' ? characters(text).reverse() : characters(text);
  const fitting: string[] = [];
  let left = width - 1;
  for (const character of all) {
    left -= placesOf(character);
    if (left < 0) break;
    fitting.push(character);
  }
  return keep === 'end'
    ? `${ELLIPSIS}${fitting.reverse().join('')}`
    : `${fitting.join('').trimEnd()}${ELLIPSIS}`;
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Total width of columns and gaps; columns of undefined width are absent. */
function roomOf(widths: readonly (number | undefined)[]): number {
  const shown = widths.filter((width) => width !== undefined);
  return shown.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, shown.length - 1);
}

/**
 * Widths for a table of `room`. Columns shrink in the order of `giving`. If that is not enough they are left out in the
 * same order (undefined), and the others get the free room, the most important first.
 */
function fitted(
  natural: readonly number[],
  giving: readonly ShrinkingColumn[],
  room: number,
): (number | undefined)[] {
  const widths: (number | undefined)[] = [...natural];
  const excess = () => roomOf(widths) - room;
  const shrink = () => {
    for (const { column, least } of giving) {
      const width = widths[column];
      if (width !== undefined)
        widths[column] = Math.max(Math.min(width, least), width - Math.max(0, excess()));
    }
  };
  shrink();
  for (const { column } of giving) {
    if (excess() <= 0) break;
    widths[column] = undefined;
  }
  for (const { column } of [...giving].reverse()) {
    const width = widths[column];
    if (width !== undefined) widths[column] = Math.min(natural[column] ?? 0, width - Math.min(0, excess()));
  }
  return widths;
}

/** Width of the terminal; undefined if standard output is none, or does not tell. */
const terminalColumns = (): number | undefined => process.stdout.columns || undefined;

/**
 * Formats rows in columns as wide as their widest cell. On a narrower terminal the columns of `giving` shrink or
 * disappear, the first one first; other columns are never cut. Elsewhere everything is there. The last cell of a short
 * row may use the room of the missing columns.
 */
export function table(
  rows: readonly (readonly string[])[],
  giving: readonly ShrinkingColumn[] = [],
  room: number | undefined = terminalColumns(),
): string {
  const most = Math.max(0, ...rows.map((row) => row.length));
  const reaches = (row: readonly string[], column: number): boolean =>
    room !== undefined && column === row.length - 1 && column < most - 1;
  const natural = Array.from({ length: most }, () => 0);
  for (const row of rows)
    for (const [column, cell] of row.entries())
      if (!reaches(row, column)) natural[column] = Math.max(natural[column] ?? 0, widthOf(cell));
  const widths = room === undefined || roomOf(natural) <= room ? natural : fitted(natural, giving, room);
  const keep = new Map(giving.map((one) => [one.column, one.keep]));
  const line = (row: readonly string[]): string => {
    const cells: string[] = [];
    for (const [column, cell] of row.entries()) {
      const width = widths[column];
      if (room !== undefined && reaches(row, column)) {
        const before = cells.reduce((sum, shown) => sum + widthOf(shown) + GAP.length, 0);
        cells.push(cut(cell, Math.max(width ?? 0, room - before)));
      } else if (width !== undefined) cells.push(padded(cut(cell, width, keep.get(column)), width));
    }
    return `${cells.join(GAP).trimEnd()}\n`;
  };
  return rows.map(line).join('');
}
