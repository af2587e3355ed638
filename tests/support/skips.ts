import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Tests that may be skipped in CI: a line of tests/skips.json. */
export interface AllowedSkip {
  /** Relative to the project, with slashes. */
  file: string;
  /** Names of the groups and of the test, with ` > ` between; a `*` at the end stands for any ending. */
  test: string;
  /** Why it is skipped there. */
  reason: string;
  /** Where it does run. */
  runs: string;
}

/** Result of a test. */
export interface Outcome {
  file: string;
  name: string;
  skipped: boolean;
}

export function allowedSkips(): AllowedSkip[] {
  const file = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', 'skips.json');
  return JSON.parse(readFileSync(file, 'utf8')) as AllowedSkip[];
}

/** Sentences about problems: skipped tests that are not on the list, and entries of the list without a test. */
export function judgeSkips(outcomes: readonly Outcome[], allowed: readonly AllowedSkip[]): string[] {
  const means = (line: AllowedSkip, { file, name }: Outcome) =>
    line.file === file &&
    (line.test.endsWith('*') ? name.startsWith(line.test.slice(0, -1)) : name === line.test);
  const unlisted = outcomes
    .filter((outcome) => outcome.skipped && !allowed.some((line) => means(line, outcome)))
    .map(({ file, name }) => `Skipped without being on the list in tests/skips.json: ${file} > ${name}`);
  const ran = new Set(outcomes.map(({ file }) => file));
  const stale = allowed
    .filter((line) => ran.has(line.file) && !outcomes.some((outcome) => means(line, outcome)))
    .map(({ file, test }) => `On the list in tests/skips.json, but there is no such test: ${file} > ${test}`);
  return [...unlisted, ...stale];
}
