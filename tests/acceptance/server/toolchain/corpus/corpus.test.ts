import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exampleSource } from '../../../../../server/toolchain/examples.ts';
import { CORPUS_FOLDER, loadCorpus } from '../../../../support/toolchain/corpus/corpus.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

const entries = loadCorpus();

test('the index lists every design', () => {
  const files = readdirSync(CORPUS_FOLDER, { withFileTypes: true }).map((entry) =>
    entry.isDirectory() ? `${entry.name}.zip` : entry.name,
  );
  expect(entries.map(({ file }) => file).sort()).toEqual(files.sort());
});

test.each(entries)('$file matches its index entry', async ({ file, ...meant }) => {
  const { matched, diagnostics } = await scanText(exampleSource({ file }, CORPUS_FOLDER), file);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched).toMatchObject(meant);
  expect(matched?.roles).toEqual(meant.roles);
});
