import { expect, test } from 'vitest';
import { type PlatformRun, withRun } from '../../support/platform-runs.ts';

const run = (node: string, tests: string, passed = 1): PlatformRun => ({
  ...{ system: 'Linux', node, tests, passed },
  ...{ failed: [], skipped: 0, date: '2026-01-02' },
});

test('a run replaces the one of the same level on the same major version of Node.js; rows keep an order', () => {
  const runs = [run('9.1.0', 'unit'), run('20.1.0', 'unit'), run('20.1.0', 'integration')].reduce<
    PlatformRun[]
  >(withRun, []);
  const renewed = withRun(runs, run('20.3.0', 'unit', 2));
  expect(renewed.map(({ node, tests, passed }) => [node, tests, passed])).toEqual([
    ['9.1.0', 'unit', 1],
    ['20.1.0', 'integration', 1],
    ['20.3.0', 'unit', 2],
  ]);
});
