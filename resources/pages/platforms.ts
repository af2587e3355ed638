import { readRuns } from '../../tests/support/platform-runs.ts';
import { table } from './markdown.ts';

/** The table of docs/notes/platforms.md: the last recorded run of each level on each system. */
export const platformsTable = (): string =>
  table(
    ['System', 'Node.js', 'Tests', 'Passed', 'Failed', 'Skipped', 'Run on'],
    readRuns().map(({ system, node, tests, passed, failed, skipped, date }) => [
      system,
      node,
      tests,
      String(passed),
      String(failed.length),
      String(skipped),
      date,
    ]),
  );
