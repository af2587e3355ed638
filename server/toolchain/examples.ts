import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Type from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';
import { ExampleEntry } from '../contract/designs/uploads.ts';
import { resourcePath } from '../paths.ts';
import { isProjectName, type ProjectFile, packProject } from './intake/project.ts';

const isIndex = checkOf(Type.Array(ExampleEntry));

/** Reads the example designs of a folder, the simplest first. @throws Error when the index is damaged */
export function loadExamples(folder = resourcePath('examples')): ExampleEntry[] {
  const examples = parseAs(readFileSync(path.join(folder, 'index.json'), 'utf8'), isIndex);
  if (examples === null) throw new Error('The index of the examples is damaged.');
  return examples;
}

/** Lists the files below a folder, with paths relative to it. */
function filesBelow(folder: string, within = ''): ProjectFile[] {
  const entries = readdirSync(path.join(folder, within), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const inside = within + entry.name;
    if (entry.isDirectory()) return filesBelow(folder, `${inside}/`);
    return [{ path: inside, contents: readFileSync(path.join(folder, inside)) }];
  });
}

/** Reads the source of an example. A project is a folder of the same name; it comes back as a zip archive. */
export function exampleSource(
  { file }: Pick<ExampleEntry, 'file'>,
  folder = resourcePath('examples'),
): Buffer {
  if (!isProjectName(file)) return readFileSync(path.join(folder, file));
  const files = filesBelow(path.join(folder, file.replace(/\.zip$/, '')));
  return Buffer.from(packProject({ files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) }));
}
