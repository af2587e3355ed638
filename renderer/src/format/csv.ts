/** A row of a table, with its first line in the file. */
export interface CsvRow {
  line: number;
  cells: string[];
}

/** A cell, quoted where RFC 4180 requires it. */
export const csvCell = (text: string): string =>
  /[",\r\n;]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

/** A table for spreadsheets. A text that one would run as a formula begins with an apostrophe (OWASP, CSV injection). */
export const spreadsheetOf = (rows: readonly (readonly string[])[]): string =>
  rows
    .map((row) => `${row.map((cell) => csvCell(cell.replace(/^[=+\-@\t\r]/, "'$&"))).join(',')}\r\n`)
    .join('');

/**
 * Parses a table by RFC 4180. The first line decides between `,` and `;`: spreadsheets of some countries write `;`.
 * Empty lines and lines with `#` are skipped.
 */
export function parseCsv(text: string): { rows: CsvRow[] } | { quote: number } {
  const plain = text.replace(/^\uFEFF/, '');
  const first = plain.split(/\r?\n/).find((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
  const separator = first.includes(';') && !first.includes(',') ? ';' : ',';
  const rows: CsvRow[] = [];
  let [line, at] = [1, 0];
  while (at < plain.length) {
    const row: CsvRow = { line, cells: [] };
    const began = at;
    for (;;) {
      let cell = '';
      let quoted = false;
      if (plain[at] === '"') {
        quoted = true;
        at += 1;
        for (;;) {
          const end = plain.indexOf('"', at);
          if (end === -1) return { quote: row.line };
          cell += plain.slice(at, end);
          at = end + 1;
          if (plain[at] !== '"') break;
          cell += '"';
          at += 1;
        }
        line += cell.split('\n').length - 1;
      }
      const from = at;
      while (at < plain.length && plain[at] !== separator && plain[at] !== '\n' && plain[at] !== '\r')
        at += 1;
      row.cells.push(quoted ? cell : plain.slice(from, at).trim());
      if (plain[at] === separator) at += 1;
      else break;
    }
    if (plain[at] === '\r') at += 1;
    if (plain[at] === '\n') at += 1;
    line += 1;
    if (row.cells.some((cell) => cell !== '') && plain[began] !== '#') rows.push(row);
  }
  return { rows };
}
