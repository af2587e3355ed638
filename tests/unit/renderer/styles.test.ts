import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = 'renderer/src';
const sheets = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.css'),
);

/** Sheets that load together: the files of a folder below `screens/`, or one file elsewhere. */
const part = (file: string): string => /^screens\/[^/]+\//.exec(file.split(path.sep).join('/'))?.[0] ?? file;

/** Every class that a sheet gives a rule of its own, outside of media queries and of other elements. */
const classesOf = (file: string): string[] => {
  const rules = readFileSync(path.join(ROOT, file), 'utf8').replace(/\/\*.*?\*\//gs, '');
  return [...rules.matchAll(/([^{}]+)\{/g)]
    .flatMap(([, selectors = '']) => selectors.split(','))
    .flatMap((selector) => /^\.[\w-]+$/.exec(selector.trim()) ?? []);
};

test('every class belongs to one part, since all sheets load together in any order', () => {
  const owners = new Map<string, Set<string>>();
  for (const file of sheets)
    for (const name of classesOf(file)) owners.set(name, (owners.get(name) ?? new Set()).add(part(file)));
  expect(owners.size).toBeGreaterThan(100);
  const shared = [...owners].filter(([, parts]) => parts.size > 1).map(([name, parts]) => [name, ...parts]);
  expect(shared).toEqual([]);
});

test('what moves without end moves in steps: a page that waits is not drawn sixty times a second', () => {
  const endless = sheets.flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(/animation:[^;]*\binfinite\b[^;]*/g)].map(
      ([animation]) => `${file}: ${animation}`,
    ),
  );
  expect(endless.length).toBeGreaterThan(3);
  expect(endless.filter((one) => !/\bsteps\(\d+\)/.test(one))).toEqual([]);
});
