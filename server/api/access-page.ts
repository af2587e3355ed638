import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { accessTable } from '../contract/access.ts';
import { appRoot } from '../paths.ts';

const BEGIN = '<!-- access table -->';
const END = '<!-- end of access table -->';

/** A page with the table of who may do what in its place. */
export function withAccessTable(page: string): string {
  const [before = '', rest = ''] = page.split(BEGIN);
  const [, after = ''] = rest.split(END);
  return `${before}${BEGIN}\n\n${accessTable()}\n\n${END}${after}`;
}

/** Puts the table into docs/security.md: `node run.mjs script server/api/access-page.ts`. */
export default function write(): void {
  const file = path.join(appRoot, 'docs', 'security.md');
  writeFileSync(file, withAccessTable(readFileSync(file, 'utf8')));
}
