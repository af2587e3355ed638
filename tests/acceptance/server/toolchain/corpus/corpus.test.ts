import { expect, test } from 'vitest';
import { exampleSource } from '../../../../../server/toolchain/examples.ts';
import { isProjectName, unpackProject } from '../../../../../server/toolchain/intake/project.ts';
import { CORPUS_FOLDER, corpusFiles } from '../../../../support/toolchain/corpus/corpus.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

/** Lines of a design's head, and of the log: the slave, its ports and how it counts addresses. */
const MEANT = /^(?:\/\/ )?((?:Wishbone slave|ports|addresses): .*?)(?:, because .*)?$/gm;
const meantIn = (text: string): string[] => [...text.matchAll(MEANT)].map(([, meant = '']) => meant);

test.each(corpusFiles())('%s is matched as its head says', async (file) => {
  const source = exampleSource({ file }, CORPUS_FOLDER);
  const sources = isProjectName(file)
    ? (await unpackProject(source)).map(({ contents }) => contents)
    : [source];
  const meant = sources.flatMap((one) => meantIn(Buffer.from(one).toString()));
  const { diagnostics, log } = await scanText(source, file);
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(meant).toHaveLength(3);
  expect(meantIn(log.join('\n'))).toEqual(meant);
});
