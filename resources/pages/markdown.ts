const cell = (text: string): string => text.replaceAll('|', '\\|');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map((row) => line(row.map(cell)))].join('\n');

/** The same without spaces around the cells, for a table with many rows. */
export const compactTable = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `|${cells.map(cell).join('|')}|`).join('\n');

/** Text that is shown as it is. */
export const code = (text: string): string => `\`${text}\``;

/** A chapter of a page. */
export const chapter = (title: string, ...parts: readonly string[]): string =>
  [`## ${title}`, ...parts].join('\n\n');
