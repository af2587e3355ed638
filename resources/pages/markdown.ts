const cell = (text: string): string => text.replaceAll('|', '\\|');

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** A table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map((row) => line(row.map(cell)))].join('\n');

/** Escapes text. */
export const code = (text: string): string => `\`${text}\``;

/** A section of a page. */
export const chapter = (title: string, ...parts: readonly string[]): string =>
  [`## ${title}`, ...parts].join('\n\n');

/** Addresses with each method once, e.g. GET `/a`, `/b`; POST `/c`. */
export function byMethod(routes: readonly string[]): string {
  const paths = new Map<string, string[]>();
  for (const route of routes) {
    const [method = '', path = ''] = route.split(' ');
    paths.set(method, [...(paths.get(method) ?? []), code(path)]);
  }
  return [...paths].map(([method, of]) => `${method} ${of.join(', ')}`).join('; ');
}
