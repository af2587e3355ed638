import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { appRoot } from '../../server/paths.ts';
import LongestFirst, { longestFiles } from '../support/longest-first.ts';
import { type Company, companyOf } from '../support/own-process.ts';

/** A file as Vitest hands it to its sequencer. */
const file = (name: string, project: Company) =>
  ({
    moduleId: path.join(appRoot, name),
    project: { config: { name: project, isolate: project === 'alone' } },
  }) as unknown as TestSpecification;

test('every file of the list of long ones is there, once', () => {
  const files = longestFiles();
  expect(files.filter((one) => !existsSync(path.join(appRoot, one)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});

test('long files begin first, those that share a process stay together, and the order is always the same', async () => {
  const [longest = '', second = '', third = ''] = longestFiles();
  const wanted = [
    ...[third].map((name) => file(name, 'alone')),
    ...[longest, second, 'tests/a.test.ts', 'tests/b.test.ts'].map((name) => file(name, 'shared')),
    ...['tests/a.test.tsx', 'tests/z.test.tsx'].map((name) => file(name, 'pages')),
    ...['tests/0.test.ts', 'tests/z.test.ts'].map((name) => file(name, 'alone')),
  ];
  const sequencer = new LongestFirst({} as Vitest);
  expect(await sequencer.sort([...wanted].reverse())).toEqual(wanted);
  const mixed = [3, 5, 0, 8, 4, 2, 6, 1, 7].map((at) => wanted[at]!);
  expect(await sequencer.sort(mixed)).toEqual(wanted);
});

test.each([
  ["vi.mock('electron', () => ({}));", 'alone'],
  ['vi.useFakeTimers();', 'alone'],
  ['const before = process.memoryUsage().rss;', 'alone'],
  ["process.env['PATH'] = folder;", 'alone'],
  ["// @vitest-environment happy-dom\nvi.mock('./clock.ts');", 'alone'],
  ['// @vitest-environment happy-dom', 'pages'],
  ["const runs = Number(process.env['RUNS'] ?? 1);", 'shared'],
  ["expect(process.env['CI'] === 'true').toBe(true);", 'shared'],
  ['const spy = vi.fn();', 'shared'],
])('%s: runs %s', (text, company) => {
  expect(companyOf(text)).toBe(company);
});
