import { expect, test } from 'vitest';
import { check } from '../../../check.mjs';

test('runs every rule after a failure and prints the output of the failed rule', () => {
  const printed: string[] = [];
  const rules = {
    first: { run: ['-e', 'console.log("all is well")'] },
    broken: {
      run: ['-e', 'console.log("line 3"); console.error("is wrong"); process.exit(2)'],
      mend: 'Mend it.',
    },
    last: { run: ['-e', ''] },
  };
  expect(check(rules, (text) => printed.push(text))).toBe(1);
  const text = printed.join('');
  expect(text).toMatch(
    /^first: holds \(\d+\.\d s\)\nbroken: FAILED \(node -e .*\)\nline 3\nis wrong\nMend it\.\nlast: holds/,
  );
  expect(text).not.toContain('all is well');
  expect(text).toMatch(/\nFailed: broken\.\n$/);
});

test('reports nothing when every rule holds', () => {
  const printed: string[] = [];
  expect(check({ only: { run: ['-e', ''] } }, (text) => printed.push(text))).toBe(0);
  expect(printed.at(-1)).toBe('\nEvery rule holds.\n');
});
