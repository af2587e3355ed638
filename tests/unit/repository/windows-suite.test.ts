import { expect, test } from 'vitest';
import { judge, partsToRun, type TestReport } from '../../windows/suite.ts';

const report = (outcomes: Record<string, string>): TestReport => ({
  testResults: [
    {
      name: 'C:/w/wishbench/tests/store/store.test.ts',
      status: 'passed',
      message: '',
      assertionResults: Object.entries(outcomes).map(([fullName, status]) => ({
        fullName,
        status,
        failureMessages: status === 'failed' ? ['it is not so\n  at …'] : [],
      })),
    },
  ],
});
const listed = (test: string) => [{ file: 'tests/store/*', test, reason: 'Wine has no such thing.' }];

test('an unlisted failure under Wine is a problem, and so is an unneeded entry', () => {
  const outcomes = report({ 'a one': 'passed', 'a two': 'failed', 'a three': 'skipped' });
  expect(judge(outcomes, listed('a two'))).toEqual({
    counts: { passed: 1, failed: ['tests/store/store.test.ts > a two'], skipped: 1 },
    problems: [],
  });
  expect(judge(outcomes, []).problems).toEqual(['tests/store/store.test.ts > a two: it is not so']);
  expect(judge(outcomes, [...listed('a t*'), ...listed('a one')]).problems).toEqual([
    'On the list in tests/windows/suite.json, but it passes: tests/store/* > a one',
  ]);
  expect(judge({ testResults: [] }, listed('a one')).problems).toEqual([]);
});

test('a file that fails to load is a failure', () => {
  const [result] = report({}).testResults;
  const outcomes = { testResults: [{ ...result!, status: 'failed', message: 'no such module' }] };
  expect(judge(outcomes, []).problems).toEqual(['tests/store/store.test.ts > : no such module']);
});

test('the tests to run are those of each level, or those that are named', () => {
  const named = partsToRun({ WISHBENCH_WINDOWS_TESTS: 'tests/a,tests/b' });
  expect(named.map(({ tests }) => tests)).toEqual([['tests/a', 'tests/b']]);
  expect(partsToRun({ WISHBENCH_WINDOWS_RUN: 'brief' })).toHaveLength(1);
  expect(partsToRun({}).map(({ name }) => name)).toEqual(['unit', 'integration', 'acceptance']);
});
