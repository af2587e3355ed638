import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exampleSource } from '../../../server/toolchain/examples.ts';
import { scanText } from '../support.ts';
import { CORPUS_FOLDER, type CorpusEntry, loadCorpus } from './corpus.ts';

const entries = loadCorpus();

test('the index lists every design', () => {
  const files = readdirSync(CORPUS_FOLDER, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}.zip` : entry.name,
  );
  expect(entries.map(({ file }) => file).sort()).toEqual(files.sort());
});

async function matches({ file, fault: _, ...meant }: CorpusEntry): Promise<void> {
  const { matched, diagnostics } = await scanText(exampleSource({ file }, CORPUS_FOLDER), file);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched).toMatchObject(meant);
  expect(matched?.roles).toEqual(meant.roles);
}

test.each(entries.filter(({ fault }) => fault === undefined))('$file is matched as its index says', matches);

test.fails.each(entries.filter(({ fault }) => fault !== undefined))('not yet: $file, $fault', matches);
