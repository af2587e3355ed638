import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { appRoot } from '../../../server/paths.ts';

/** Files that may call the system's rename themselves, and why. */
const ITSELF = new Map([
  ['server/store/filesystem.ts', 'has the functions that try again'],
  ['main/logs.ts', 'tries again with the next line'],
]);

test('every rename uses the function that retries files held by Windows', () => {
  const sources = ['server', 'main', 'preload'].flatMap((folder) =>
    readdirSync(path.join(appRoot, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${folder}/${file.split(path.sep).join('/')}`),
  );
  expect(sources.length).toBeGreaterThan(100);
  const renaming = sources.filter((file) =>
    /\brename(?:Sync)?\b[^;]*from 'node:fs|\b(?:fs|folders)\.rename/.test(
      readFileSync(path.join(appRoot, file), 'utf8'),
    ),
  );
  expect(renaming.sort()).toEqual([...ITSELF.keys()].sort());
});
