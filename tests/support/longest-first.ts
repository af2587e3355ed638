import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { appRoot } from '../../server/paths.ts';

/** Test files that take long, the longest first: one that began last would be waited for alone. */
const MAX_SOURCE_LENGTH = path.join(appRoot, 'tests', 'support', 'longest-first.json');

/** The list of long test files, with slashes, from the root of the repository. */
export const longestFiles = (): string[] => JSON.parse(readFileSync(MAX_SOURCE_LENGTH, 'utf8')) as string[];

/** The order of the groups of files; see `groupOf`. */
const GROUPS = ['long alone', 'shared', 'pages', 'alone'];

/**
 * Files of one project stay together, because those that share a process hand it on to each other, and it ends when a
 * file of another project comes. What is long and has a process of its own begins before all others: some of it waits
 * more than it computes, and at the end of the run nobody would compute meanwhile.
 */
const groupOf = (project: string, listed: boolean): number =>
  GROUPS.indexOf(listed && project === 'alone' ? 'long alone' : project);

/**
 * Within its group, runs the files of the list first, in its order, then the others by name, the same on every machine:
 * what Vitest keeps of durations is not there in a fresh clone.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const ranks = new Map(longestFiles().map((file, rank) => [file, rank]));
    const keyed = files.map((spec) => {
      const file = path.relative(appRoot, spec.moduleId).split(path.sep).join('/');
      const group = groupOf(spec.project.config.name ?? '', ranks.has(file));
      return { spec, file, group, rank: ranks.get(file) ?? ranks.size };
    });
    keyed.sort((a, b) => a.group - b.group || a.rank - b.rank || (a.file < b.file ? -1 : 1));
    return keyed.map(({ spec }) => spec);
  }
}
