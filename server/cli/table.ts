/** A column that may lose room on a terminal. */
export interface ShrinkingColumn {
  /** Number of the column. */
  column: number;
  /** The fewest characters of it that still say something; WHOLE for a number or an address, which is shown or left out. */
  least: number;
  /** A path says most at its end: what is cut off is the beginning. */
  keep?: 'end';
}

/** What is cut would be wrong. */
export const WHOLE = Number.POSITIVE_INFINITY;

/** `2026-01-31T12:34…`: a time is told to its minute. */
export const MIN_TIME_LENGTH = 17;

const GAP = '  ';
const ELLIPSIS = '…';

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
/** What takes two places on a terminal: East Asian Wide and Fullwidth (Unicode Standard Annex 11), and emoji. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

const characters = (text: string): string[] =>
  PRINTABLE_ASCII.test(text)
    ? [...text]
    : Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);

const placesOf = (character: string): number => (WIDE.test(character) ? 2 : 1);

/** Places that a text takes on a terminal. */
const widthOf = (text: string): number =>
  PRINTABLE_ASCII.test(text)
    ? text.length
    : characters(text).reduce((sum, character) => sum + placesOf(character), 0);

/** What of a text fits into so many places, with … where something is missing. */
function cut(cell: string, width: number, keep?: 'end'): string {
  const text = cell.trimEnd();
  if (widthOf(text) <= width) return text;
  const all = keep === 'end' ? characters(text).reverse() : characters(text);
  const kept: string[] = [];
  let left = width - 1;
  for (const character of all) {
    left -= placesOf(character);
    if (left < 0) break;
    kept.push(character);
  }
  return keep === 'end' ? `${ELLIPSIS}${kept.reverse().join('')}` : `${kept.join('').trimEnd()}${ELLIPSIS}`;
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

/** Room that columns and the gaps between them take; columns of undefined width are not there. */
function roomOf(widths: readonly (number | undefined)[]): number {
  const shown = widths.filter((width) => width !== undefined);
  return shown.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, shown.length - 1);
}

/**
 * Widths with which a table fits into `room`. Columns are cut in the order of `giving`; where that is not enough they are
 * left out in the same order (undefined), and what that frees goes back to the others, the most important one first.
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

/** Columns of the terminal that standard output is; undefined where it is none, or does not say. */
const terminalColumns = (): number | undefined => process.stdout.columns || undefined;

/**
 * Rows in columns that are as wide as their widest cell. On a terminal that is narrower, the columns of `giving` are cut
 * or left out, the first one first; what is not in it is never cut. Elsewhere everything is there.
 * The last cell of a row that is shorter than others reaches into the room of the columns that the row does not have.
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
