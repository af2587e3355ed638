/** A row of a table with the line of the file where it begins. */
export interface TableRow {
  line: number;
  cells: string[];
}

/** Maximum cells of a row and rows of a table. */
const MAX_CELLS = 64;
const MAX_ROWS = 200_000;

/** One cell of a table, quoted where RFC 4180 requires it. */
export const csvCell = (text: string): string =>
  /[",\r\n;]|^\s|\s$|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A spreadsheet would run such a text as a formula (OWASP, CSV injection). */
const FORMULA = /^[=+\-@\t\r]/;
/** Spreadsheets read UTF-8 as another encoding without it. */
const BYTE_ORDER_MARK = '\ufeff';

type Cell = string | number | null | undefined;

/** A table for spreadsheets; null and undefined are empty cells. A text that would run as a formula begins with an apostrophe. */
export function spreadsheetOf(rows: readonly (readonly Cell[])[]): string {
  const textOf = (value: Cell): string =>
    typeof value === 'string' ? csvCell(value.replace(FORMULA, "'$&")) : String(value ?? '');
  return BYTE_ORDER_MARK + rows.map((cells) => `${cells.map(textOf).join(',')}\r\n`).join('');
}

/**
 * Reads a table by RFC 4180, with `,` or `;` between cells. The first line decides, since spreadsheets of some
 * countries write `;`. Empty lines and lines with `#` are skipped.
 */
export function readTable(text: string): { rows: TableRow[] } | { quote: number } {
  const plain = text.replace(/^\uFEFF/, '');
  const first = firstLine(plain);
  const separator = first.includes(';') && !first.includes(',') ? ';' : ',';
  const rows: TableRow[] = [];
  let [line, at] = [1, 0];
  while (at < plain.length && rows.length < MAX_ROWS) {
    const row: TableRow = { line, cells: [] };
    const isComment = plain[at] === '#';
    for (;;) {
      let quoted: string | null = null;
      if (!isComment && plain[at] === '"') {
        const closed = quotedCell(plain, at);
        if (closed === null) return { quote: row.line };
        [quoted, at] = [closed.text, closed.behind];
        line += quoted.split('\n').length - 1;
      }
      const from = at;
      while (at < plain.length && plain[at] !== separator && plain[at] !== '\n' && plain[at] !== '\r') at++;
      if (row.cells.length < MAX_CELLS) row.cells.push(quoted ?? plain.slice(from, at).trim());
      if (plain[at] !== separator) break;
      at++;
    }
    if (plain[at] === '\r') at++;
    if (plain[at] === '\n') at++;
    line++;
    if (!isComment && row.cells.some((one) => one !== '')) rows.push(row);
  }
  return { rows };
}

/** The first line that is neither empty nor a comment. */
function firstLine(text: string): string {
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end < 0 ? undefined : end).trim();
    if (line !== '' && !line.startsWith('#')) return line;
    at = end < 0 ? text.length : end + 1;
  }
  return '';
}

/** The quoted cell at a place; null where it is not closed. */
function quotedCell(text: string, begin: number): { text: string; behind: number } | null {
  const parts: string[] = [];
  for (let at = begin + 1; ; ) {
    const end = text.indexOf('"', at);
    if (end < 0) return null;
    parts.push(text.slice(at, end));
    if (text[end + 1] !== '"') return { text: parts.join('"'), behind: end + 1 };
    at = end + 2;
  }
}
