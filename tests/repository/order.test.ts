import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { appRoot } from '../../server/paths.ts';
import LongestFirst, { longestFiles } from '../support/longest-first.ts';
import { needsOwnProcess } from '../support/own-process.ts';

/** A file as Vitest hands it to its sequencer. */
const file = (name: string, isolate: boolean) =>
  ({
    moduleId: path.join(appRoot, name),
    project: { config: { name: isolate ? 'alone' : 'shared', isolate } },
  }) as unknown as TestSpecification;

test('every file of the list of long ones is there, once', () => {
  const files = longestFiles();
  expect(files.filter((one) => !existsSync(path.join(appRoot, one)))).toEqual([]);
  expect(new Set(files).size).toBe(files.length);
});

test('long files begin first, those that share a process stay together, and the order is always the same', async () => {
  const [longest = '', second = ''] = longestFiles();
  const shared = [longest, second, 'tests/a.test.ts', 'tests/b.test.ts'].map((name) => file(name, false));
  const alone = ['tests/a.test.tsx', 'tests/z.test.tsx'].map((name) => file(name, true));
  const wanted = [...shared, ...alone];
  const sequencer = new LongestFirst({} as Vitest);
  expect(await sequencer.sort([...wanted].reverse())).toEqual(wanted);
  expect(await sequencer.sort([3, 5, 0, 4, 2, 1].map((at) => wanted[at]!))).toEqual(wanted);
});

test.each([
  ["vi.mock('electron', () => ({}));", true],
  ['vi.useFakeTimers();', true],
  ['const before = process.memoryUsage().rss;', true],
  ['// @vitest-environment happy-dom', true],
  ["process.env['PATH'] = folder;", true],
  ["const runs = Number(process.env['RUNS'] ?? 1);", false],
  ["expect(process.env['CI'] === 'true').toBe(true);", false],
  ['const spy = vi.fn();', false],
])('%s: a process of its own: %s', (text, own) => {
  expect(needsOwnProcess(text)).toBe(own);
});
