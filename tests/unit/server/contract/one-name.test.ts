import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ENDPOINTS } from '../../../../server/contract/endpoints.ts';
import { appRoot } from '../../../../server/paths.ts';

const below = (folder: string): string[] =>
  readdirSync(path.join(appRoot, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
    path.join(appRoot, folder, file),
  );

/** File → the operations that it names, as a key or as a word. */
const operationsIn = (files: string[], named: (id: string) => RegExp): [file: string, operations: string][] =>
  files.map((file) => {
    const text = readFileSync(file, 'utf8');
    const ids = Object.keys(ENDPOINTS).filter((id) => named(id).test(text));
    return [path.basename(file), ids.sort().join(' ')];
  });

test('each route file of the contract is served completely by the file of that name', () => {
  const contract = operationsIn(
    below('server/contract/routes').filter((file) => path.basename(file) !== 'shared.ts'),
    (id) => new RegExp(`^ {2}${id}: \\{$`, 'm'),
  );
  const handlers = operationsIn(
    below('server/api').filter((file) => file.endsWith('-routes.ts')),
    (id) => new RegExp(`'${id}'`),
  );
  expect(Object.fromEntries(handlers)).toEqual(Object.fromEntries(contract));
});
