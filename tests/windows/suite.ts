import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Tests that cannot pass under Wine: a line of suite.json. */
export interface CannotRun {
  /** From the root of the project, with slashes; a `*` at the end stands for any ending. */
  file: string;
  /** Names of the groups and of the test, with a space between; a `*` at the end stands for any ending. */
  test: string;
  /** Why it cannot. */
  reason: string;
}

interface Suite {
  /** Folders and files of each level, as vitest takes them. */
  levels: Record<string, string[]>;
  /** The part for CI, where minutes count. */
  brief: string[];
  cannot: CannotRun[];
}

const suite = JSON.parse(readFileSync(path.join(import.meta.dirname, 'suite.json'), 'utf8')) as Suite;

/** Whether all of suite.json runs. */
export const isWholeSuite = (environment: NodeJS.ProcessEnv = process.env): boolean =>
  environment['WISHBENCH_WINDOWS_TESTS'] === undefined && environment['WISHBENCH_WINDOWS_RUN'] !== 'brief';

export const cannotRun = (): readonly CannotRun[] => suite.cannot;

/** Tests that run together. */
export interface Part {
  name: string;
  /** Files and folders, as vitest takes them. */
  tests: string[];
}

/** One part for each level. WISHBENCH_WINDOWS_TESTS names other folders, with commas; WISHBENCH_WINDOWS_RUN=brief takes few. */
export function partsToRun(environment: NodeJS.ProcessEnv = process.env): Part[] {
  const named = environment['WISHBENCH_WINDOWS_TESTS']?.split(',');
  const brief = environment['WISHBENCH_WINDOWS_RUN'] === 'brief' ? suite.brief : undefined;
  const chosen = named ?? brief;
  return Object.entries(chosen ? { chosen } : suite.levels).map(([name, tests]) => ({ name, tests }));
}

/** The used part of the output of vitest's JSON reporter. */
export interface TestReport {
  testResults: {
    /** Path of the file, as the system has it. */
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] | null }[];
  }[];
}

const matches = (pattern: string, text: string) =>
  pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;

/**
 * Counts what became of the tests. Problems are failures that are not on the list, and lines of the list whose tests
 * ran and passed.
 */
export function judge(
  report: TestReport,
  list: readonly CannotRun[],
): { counts: { passed: number; failed: string[]; skipped: number }; problems: string[] } {
  const counts = { passed: 0, failed: [] as string[], skipped: 0 };
  const problems: string[] = [];
  const seen = new Set<string>();
  const needed = new Set<CannotRun>();
  for (const { name, status, message, assertionResults } of report.testResults) {
    const file = name.replaceAll('\\', '/').replace(/^.*\/(?=tests\/)/, '');
    seen.add(file);
    const allowed = (test: string) =>
      list.find((line) => matches(line.file, file) && matches(line.test, test));
    const outcomes = assertionResults.map(({ fullName, status, failureMessages }) => ({
      test: fullName,
      status,
      why: failureMessages?.[0],
    }));
    // A file that fails to load has no tests, but counts as failed.
    if (status === 'failed' && !outcomes.some((one) => one.status === 'failed'))
      outcomes.push({ test: '', status: 'failed', why: message });
    for (const { test, status, why } of outcomes) {
      if (status === 'passed') counts.passed++;
      else if (status !== 'failed') counts.skipped++;
      else {
        counts.failed.push(test === '' ? file : `${file} > ${test}`);
        const line = allowed(test);
        if (line) needed.add(line);
        else problems.push(`${file} > ${test}: ${why?.split('\n')[0] ?? 'failed'}`);
      }
    }
  }
  for (const line of list)
    if ([...seen].some((file) => matches(line.file, file)) && !needed.has(line))
      problems.push(`On the list in tests/windows/suite.json, but it passes: ${line.file} > ${line.test}`);
  return { counts, problems };
}
