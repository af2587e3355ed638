import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Type from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';
import { ExampleEntry } from '../contract/designs/uploads.ts';
import { resourcePath } from '../paths.ts';
import { isProjectName, type ProjectFile, packProject } from './intake/project.ts';

const isIndex = checkOf(Type.Array(ExampleEntry));

/** The example designs of a folder, the simplest first. @throws when its index is damaged. */
export function loadExamples(folder = resourcePath('examples')): ExampleEntry[] {
  const examples = parseAs(readFileSync(path.join(folder, 'index.json'), 'utf8'), isIndex);
  if (examples === null) throw new Error('The index of the examples is not what its schema says.');
  return examples;
}

/** The files below a folder, by their paths in it. */
function filesBelow(folder: string, within = ''): ProjectFile[] {
  const entries = readdirSync(path.join(folder, within), { withFileTypes: true });
  return entries.flatMap((entry) => {
    const inside = within + entry.name;
    if (entry.isDirectory()) return filesBelow(folder, `${inside}/`);
    return [{ path: inside, contents: readFileSync(path.join(folder, inside)) }];
  });
}

/** Source of an example of loadExamples; that of a project lies in a folder of its name and comes as an archive. */
export function exampleSource(
  { file }: Pick<ExampleEntry, 'file'>,
  folder = resourcePath('examples'),
): Buffer {
  if (!isProjectName(file)) return readFileSync(path.join(folder, file));
  const files = filesBelow(path.join(folder, file.replace(/\.zip$/, '')));
  return Buffer.from(packProject({ files: files.sort((a, b) => (a.path < b.path ? -1 : 1)) }));
}
