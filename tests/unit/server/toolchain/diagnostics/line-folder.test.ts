import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Diagnostic } from '../../../../../server/contract/diagnostics.ts';
import { LineFolder } from '../../../../../server/toolchain/diagnostics/line-folder.ts';

/** The part of these lines that reaches the log. */
function folded(lines: readonly (string | [line: string, finding: Diagnostic])[]): string[] {
  const passed: string[] = [];
  const folder = new LineFolder((line) => passed.push(line));
  for (const line of lines)
    if (typeof line === 'string') folder.add(line, null);
    else folder.add(...line);
  folder.end();
  return passed;
}

const warning = (line: number, message: string, net?: string): [string, Diagnostic] => [
  `warning: m.v:${line}: ${message}`,
  { severity: 'warning', code: 'yosys_warning', message, file: 'm.v', line, ...(net && { net }) },
];

const unused = (bit: number) =>
  warning(bit, `Wire chain [${bit}] is used but has no driver.`, `chain [${bit}]`);

test('a flood of one diagnostic retains its beginning and end, and counts the omitted lines', () => {
  const flood = Array.from({ length: 5000 }, (_, bit) => unused(bit));
  const log = folded([...flood.slice(0, 2500), 'Executing OPT pass.', ...flood.slice(2500)]);
  expect(log.slice(0, 50)).toEqual(flood.slice(0, 50).map(([line]) => line));
  expect(log.slice(50)).toEqual([
    'Executing OPT pass.',
    `… 4940 more lines like this one were left out: ${flood[0]?.[0]}`,
    ...flood.slice(-10).map(([line]) => line),
  ]);
});

test('consecutive equal lines are folded in place', () => {
  const log = folded(['a', ...Array.from({ length: 100 }, () => 'tick'), 'b', 'tick']);
  expect(log).toEqual([
    'a',
    ...Array.from({ length: 50 }, () => 'tick'),
    '… 40 more lines like this one were left out: tick',
    ...Array.from({ length: 10 }, () => 'tick'),
    'b',
    'tick',
  ]);
});

test('different diagnostics are all retained, whatever their number', () => {
  const words = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];
  const different = words.flatMap((a) => words.map((b) => warning(1, `${a} of ${b} is odd`)));
  expect(folded([...different, ...different])).toEqual([...different, ...different].map(([line]) => line));
});

test('no line is lost or invented: printed and counted lines add up to the input', () => {
  const line = fc.oneof(
    fc.constantFrom('x', 'y'),
    fc.nat(3).map((kind) => warning(kind, `kind ${'abcd'[kind]}`)),
  );
  const runs = fc.array(fc.tuple(line, fc.constantFrom(1, 2, 49, 50, 60, 61, 200)), { maxLength: 12 });
  fc.assert(
    fc.property(runs, (made) => {
      const lines = made.flatMap(([one, times]) => Array.from({ length: times }, () => one));
      const log = folded(lines);
      const left = log.flatMap((text) =>
        [...text.matchAll(/^… (\d+) more lines/g)].map(([, n]) => Number(n)),
      );
      expect(log.length - left.length + left.reduce((sum, n) => sum + n, 0)).toBe(lines.length);
      const counted = (text: string) => log.filter((one) => one === text).length;
      for (const one of new Set(lines.map((each) => (typeof each === 'string' ? each : each[0]))))
        expect(counted(one)).toBeGreaterThan(0);
    }),
  );
});
