import { TestRunner } from 'vitest';

/** Prints what a command wrote to standard error when the test that runs now fails: what it did not print is seldom the reason. */
export function showOnFailure(command: string, code: number | null, stderr: string): void {
  TestRunner.getCurrentTest()?.context.onTestFailed(() => {
    console.error(`${command}: exit code ${code}, standard error:\n${stderr || '(nothing)'}`);
  });
}
