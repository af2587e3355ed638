import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../../..');
const FOLDERS = ['docs', 'main', 'preload', 'renderer/src', 'resources', 'server', 'tests'];
const files = [
  ...readdirSync(root),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { encoding: 'utf8', recursive: true }).map((file) =>
      path.posix.join(folder, file.replaceAll(path.sep, '/')),
    ),
  ),
];
const pages = files.filter((file) => /^(?:docs\/[\w-]+|[A-Z]+)\.md$/.test(file) && file !== 'CHANGELOG.md');

test.each(pages)('sources that %s names are there', (page) => {
  const named = [...readFileSync(path.join(root, page), 'utf8').matchAll(/`([\w./-]+\.(?:ts|tsx|mjs))`/g)];
  const missing = named
    .map(([, name = '']) => name)
    .filter((name) => !files.some((file) => file === name || file.endsWith(`/${name}`)));
  expect(missing).toEqual([]);
});
