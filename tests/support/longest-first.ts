import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { appRoot } from '../../server/paths.ts';

/** Test files that take long, the longest first: one that began last would be waited for alone. */
const LONGEST = path.join(appRoot, 'tests', 'support', 'longest-first.json');

/** The list of long test files, with slashes, from the root of the repository. */
export const longestFiles = (): string[] => JSON.parse(readFileSync(LONGEST, 'utf8')) as string[];

/**
 * Runs the files of the list first, in its order, then the others by name, the same on every machine: what Vitest keeps
 * of durations is not there in a fresh clone. Files of one project stay together, because those that share a process
 * hand it on to each other.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(longestFiles().map((file, rank) => [file, rank]));
    const keyed = files.map((spec) => {
      const file = path.relative(appRoot, spec.moduleId).split(path.sep).join('/');
      const { isolate, name } = spec.project.config;
      // A process that is shared takes long to fill: files that have their own come after them, and are short.
      return { spec, file, group: `${isolate ? 1 : 0} ${name}`, rank: ranks.get(file) ?? ranks.size };
    });
    keyed.sort((a, b) => compare(a.group, b.group) || a.rank - b.rank || compare(a.file, b.file));
    return keyed.map(({ spec }) => spec);
  }
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
