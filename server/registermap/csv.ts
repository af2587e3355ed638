/** A line of a table with the line of the file that it begins on. */
export interface TableRow {
  line: number;
  cells: string[];
}

/** Cells of one line and lines of one table that are looked at. */
const MAX_CELLS = 64;
const MAX_ROWS = 200_000;

/** One cell of a table, quoted where RFC 4180 asks for it. */
export const cell = (text: string): string =>
  /[",\r\n;]|^\s|\s$|^#/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/**
 * Reads a table as RFC 4180 describes it, with `,` or `;` between cells (whichever the first line has, as spreadsheets of
 * some countries write `;`). Lines that are empty or begin with `#` are passed over.
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

/** The cell that begins with the quotation mark at a place; null where that is not closed. */
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
