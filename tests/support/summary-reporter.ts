import path from 'node:path';
import type { Reporter, TestModule, Vitest } from 'vitest/node';
import { allowedSkips, judgeSkips, type Outcome } from './skips.ts';

/**
 * Closes the output with the names of the failed tests and one plain line, `N passed, N failed`, that any CI can read. On
 * Linux where CI is set, a skipped test that is not in tests/skips.json counts as failed: the machine lacks what the tests need.
 */
export default class SummaryReporter implements Reporter {
  #root = process.cwd();
  #judges = false;

  onInit(vitest: Vitest): void {
    this.#root = vitest.config.root;
    // The list is for a machine prepared by .ci/run. A run with test names skips the others on purpose.
    this.#judges =
      Boolean(process.env['CI']) &&
      process.platform === 'linux' &&
      vitest.config.testNamePattern === undefined;
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, errors: ReadonlyArray<unknown>): void {
    let passed = 0;
    let failed = errors.length;
    let skipped = 0;
    const outcomes: Outcome[] = [];
    const failures: string[] = [];
    for (const module of modules) {
      const failedBefore = failed;
      const file = path.relative(this.#root, module.moduleId).split(path.sep).join('/');
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed++;
        else if (state === 'failed') {
          failed++;
          failures.push(`failed: ${file} > ${test.fullName}`);
        } else skipped++;
        outcomes.push({ file, name: test.fullName, skipped: state !== 'passed' && state !== 'failed' });
      }
      // A file that could not be loaded, or whose hook failed, has no failed test, yet it is a failure.
      if (!module.ok() && failed === failedBefore) {
        failed++;
        failures.push(`failed: ${file}`);
      }
    }
    const problems = this.#judges ? judgeSkips(outcomes, allowedSkips()) : [];
    if (problems.length > 0) process.exitCode = 1;
    const closing = `${passed} passed, ${failed + problems.length} failed${skipped ? `, ${skipped} skipped` : ''}`;
    process.on('exit', () => {
      process.stdout.write(`\n${[...failures, ...problems, closing].join('\n')}\n`);
    });
  }
}
