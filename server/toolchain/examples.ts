import { readFileSync } from 'node:fs';
import path from 'node:path';
import Type from 'typebox';
import { checkOf, parseAs } from '../contract/check.ts';
import { ExampleEntry } from '../contract/designs.ts';
import { resourcePath } from '../paths.ts';

/** One transaction of an example, with what it shows; `op`, `address`, `data`, `count` are those of a RunRequest. */
export type ExampleStep = ExampleEntry['try'][number];

const isIndex = checkOf(Type.Array(ExampleEntry));

/** The example designs of a folder, the simplest first. @throws when its index is damaged. */
export function loadExamples(folder = resourcePath('examples')): ExampleEntry[] {
  const examples = parseAs(readFileSync(path.join(folder, 'index.json'), 'utf8'), isIndex);
  if (examples === null) throw new Error('The index of the examples is not what its schema says.');
  return examples;
}

/** Source of an example of loadExamples. */
export const exampleSource = (example: Pick<ExampleEntry, 'file'>): Buffer =>
  readFileSync(resourcePath('examples', example.file));
