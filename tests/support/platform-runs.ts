import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Set while a run is recorded for the table of docs/notes/platforms.md. */
export const RECORD_RUN = 'WISHBENCH_RECORD_RUN';

/** The last whole run of one level on one system. */
export interface PlatformRun {
  system: string;
  /** Version of Node.js. */
  node: string;
  tests: string;
  passed: number;
  /** Names of the failed tests, each after its file. */
  failed: string[];
  skipped: number;
  /** Day of the run, UTC. */
  date: string;
}

export const RUNS_FILE = path.join(import.meta.dirname, '..', 'platform-runs.json');

export const readRuns = (): PlatformRun[] => JSON.parse(readFileSync(RUNS_FILE, 'utf8'));

const rowOf = ({ system, node, tests }: PlatformRun): string =>
  [system, `Node ${(node.split('.')[0] ?? '').padStart(3)}`, tests].join(' ');

/** The runs with a new one, which replaces the run of the same tests on the same system and major version of Node.js. */
export const withRun = (runs: readonly PlatformRun[], run: PlatformRun): PlatformRun[] =>
  [...runs.filter((other) => rowOf(other) !== rowOf(run)), run].toSorted((a, b) =>
    rowOf(a) < rowOf(b) ? -1 : 1,
  );

/** Records a run that has just ended. */
export function recordRun(run: Omit<PlatformRun, 'date'>): void {
  const date = new Date().toISOString().slice(0, 10);
  writeFileSync(RUNS_FILE, `${JSON.stringify(withRun(readRuns(), { ...run, date }), null, 2)}\n`);
}
