import { readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { GENERATORS, type Generator, generateFiles, staleFiles } from '../../../generate.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const folder = temporaryFolder('generated');
afterAll(() => rm(folder, { recursive: true }));

test('a generator has a name of its own', () => {
  const names = GENERATORS.map(({ name }) => name);
  expect(names).toEqual([...new Set(names)]);
});

test('a stale file is named, with the command and the line that differs, until it is written', async () => {
  const file = path.join(folder, 'page.md');
  const generator: Generator = { name: 'page', file, make: () => 'first\nnow\n' };
  writeFileSync(file, 'first\nbefore\n');
  const stale = [
    `${file} is out of date: run \`npm run generate -- page\`.\n  line 2 expected: now\n  line 2 received: before`,
  ];
  expect(await staleFiles([generator])).toEqual(stale);
  expect(await generateFiles([generator])).toEqual([file]);
  expect(readFileSync(file, 'utf8')).toBe('first\nnow\n');
  expect(await staleFiles([generator])).toEqual([]);
  // As Git may check it out on Windows.
  writeFileSync(file, 'first\r\nnow\r\n');
  expect(await staleFiles([generator])).toEqual([]);
});

test('a missing file is stale', async () => {
  const file = path.join(folder, 'absent.md');
  expect(await staleFiles([{ name: 'absent', file, make: () => 'text' }])).toEqual([
    expect.stringContaining('absent.md is out of date'),
  ]);
});
