import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import type { SubmitOptions } from '../../../server/contract/jobs/jobs.ts';
import { exampleSource, loadExamples } from '../../../server/toolchain/examples.ts';
import { packProject } from '../../../server/toolchain/intake/project.ts';
import { CORPUS_FOLDER, corpusFiles } from '../toolchain/corpus/corpus.ts';
import { type NamedDesign, shortHash } from './record.ts';

const SOURCE = /\.(?:sv|v|vhdl?|py)$/;
const BESIDE = /\.(?:vh|svh|hex|mem|dat)$/;

/** A design that was collected while tests ran, as its file has it. */
interface CollectedDesign {
  /** A hash of its source, name, options and board. */
  id: string;
  /** The test file. */
  from: string;
  filename: string;
  board: string;
  options: SubmitOptions;
  text?: string;
  base64?: string;
}

const designOf = (id: string, filename: string, source: Uint8Array, built = false): NamedDesign => ({
  ...{ id, filename, source, digest: shortHash(source), built },
  ...{ board: VIRTUAL_BOARD, options: {} },
});

function collectedDesign(file: string): NamedDesign {
  const { id, from, filename, board, options, text, base64 }: CollectedDesign = JSON.parse(
    readFileSync(file, 'utf8'),
  );
  const source = text === undefined ? Buffer.from(base64 ?? '', 'base64') : Buffer.from(text);
  const design = designOf(`${from.replace(/\.test\.tsx?$/, '')}/${id}`, filename, source);
  return { ...design, board, options, digest: id };
}

/** A source by itself, or as a project with the files next to it that it names. */
function sourceDesign(id: string, file: string, beside: readonly string[]): NamedDesign {
  const contents = readFileSync(file);
  const text = contents.toString('latin1');
  const needed = beside.filter((other) => text.includes(path.basename(other)));
  if (needed.length === 0) return designOf(id, path.basename(file), contents);
  const files = [file, ...needed].map((one) => ({ path: path.basename(one), contents: readFileSync(one) }));
  return designOf(id, 'design.zip', packProject({ files }));
}

/** The designs of a folder: collected ones (.json), one a source, and one a folder in it, which is a project. */
function designsIn(folder: string): NamedDesign[] {
  const entries = readdirSync(folder).sort();
  const beside = entries.filter((entry) => BESIDE.test(entry)).map((entry) => path.join(folder, entry));
  return entries.flatMap((entry): NamedDesign[] => {
    const file = path.join(folder, entry);
    const id = `${path.basename(folder)}/${entry}`;
    if (statSync(file).isDirectory())
      return [designOf(id, 'design.zip', exampleSource({ file: `${entry}.zip` }, folder))];
    if (entry.endsWith('.json')) return [collectedDesign(file)];
    return SOURCE.test(entry) ? [sourceDesign(id, file, beside)] : [];
  });
}

/**
 * All designs of the examples, of the corpus and of some folders.
 * @throws where a folder cannot be read
 */
export function findDesigns(folders: readonly string[]): NamedDesign[] {
  return [
    ...loadExamples().map((one) => designOf(`examples/${one.file}`, one.file, exampleSource(one), true)),
    ...corpusFiles().map((file) =>
      designOf(`corpus/${file}`, file, exampleSource({ file }, CORPUS_FOLDER), true),
    ),
    ...folders.flatMap(designsIn),
  ];
}
