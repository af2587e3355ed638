import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appRoot } from '../server/paths.ts';

/** Folder of server/ → folders it may import from, besides itself. Everything may use the leaves. */
const LEAVES = [
  'errors',
  'events',
  'paths.ts',
  'log.ts',
  'clock.ts',
  'text.ts',
  'contract',
  'process',
  'nodes/model.ts',
];
const ALLOWED: Record<string, string[]> = {
  errors: [],
  events: [],
  process: [],
  contract: [],
  wishbone: [],
  store: [],
  boards: ['wishbone', 'store'],
  toolchain: ['store', 'boards/definition.ts', 'boards/catalogue'],
  nodes: ['boards', 'toolchain', 'wishbone', 'store'],
  jobs: ['nodes', 'boards', 'toolchain', 'wishbone', 'store'],
  api: ['jobs', 'nodes', 'boards', 'toolchain', 'wishbone', 'store', 'settings.ts'],
};

const files = (folder: string): string[] =>
  readdirSync(path.join(appRoot, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return files(name);
    return /\.tsx?$/.test(entry.name) ? [name] : [];
  });

const imports = (file: string): { from: string; typeOnly: boolean }[] => {
  const text = readFileSync(path.join(appRoot, file), 'utf8');
  const statements = text.matchAll(
    /(?:import|export)\s+(type\s)?[^;'"]*?from\s*['"]([^'"]+)['"]|import\s*\(?\s*['"]([^'"]+)['"]/g,
  );
  return [...statements].map((match) => ({
    from: match[2] ?? match[3] ?? '',
    typeOnly: match[1] !== undefined,
  }));
};

test('imports inside server/ point one way', () => {
  const wrong: string[] = [];
  for (const file of files('server')) {
    const inside = path.relative('server', file);
    const [area = ''] = inside.split(path.sep);
    const allowed = ALLOWED[area];
    if (allowed === undefined) continue; // bench.ts and cli.ts: the composition root may use everything
    for (const { from } of imports(file)) {
      if (!from.startsWith('.')) continue;
      const target = path.relative('server', path.join(path.dirname(file), from));
      const fits = (prefix: string) =>
        target === prefix || target.startsWith(`${prefix}/`) || target === `${prefix}.ts`;
      if (target.startsWith('..') || !(fits(area) || LEAVES.some(fits) || allowed.some(fits)))
        wrong.push(`${file} → ${from}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('server/ knows nothing of Electron or React', () => {
  const wrong = files('server').flatMap((file) =>
    imports(file)
      .filter(({ from }) => /^(electron|react|react-dom|zustand)(\/|$)/.test(from))
      .map(({ from }) => `${file} → ${from}`),
  );
  expect(wrong).toEqual([]);
});

test('renderer/ and preload/ take only types from server/', () => {
  const wrong = [...files('renderer'), ...files('preload')].flatMap((file) =>
    imports(file)
      .filter(({ from, typeOnly }) => /(^|\/)server\//.test(from) && !typeOnly)
      .map(({ from }) => `${file} → ${from}`),
  );
  expect(wrong).toEqual([]);
});
