import { expect, test } from 'vitest';
import { sourceLinks } from '../../../renderer/src/state/jobs/diagnostics.ts';
import type { Diagnostic } from '../../../server/contract/diagnostics.ts';

const finding = (change: Partial<Diagnostic>): Diagnostic => ({
  severity: 'error',
  code: 'yosys_error',
  message: 'syntax error',
  ...change,
});

const linked = (text: string, ...diagnostics: Diagnostic[]) =>
  sourceLinks(text, diagnostics).map(({ from, to, line }) => [text.slice(from, to), line]);

test('a diagnostic’s location links to its line', () => {
  const found = finding({ file: 'echo.v', line: 12 });
  expect(linked('[ 0.1 synthesis] error: echo.v:12: syntax error', found)).toEqual([['echo.v:12', 12]]);
  expect(linked('error: echo.v:12.3-12.9: syntax error', found)).toEqual([['echo.v:12', 12]]);
});

test('a similar location is not linked', () => {
  const found = finding({ file: 'echo.v', line: 1, message: '' });
  for (const text of ['echo.v:12: other', 'my-echo.v:1: other', 'top.echo.v:1', 'at 12:30', 'a.sv:1'])
    expect(linked(text, found)).toEqual([]);
  expect(linked('echo.v:12 and echo.v:1', found)).toEqual([['echo.v:1', 1]]);
});

test('text without a diagnostic is no link, even if it looks like one', () => {
  expect(linked('warning: cells_sim.v:12: replaced')).toEqual([]);
});

test('a diagnostic without a location in the line is linked by its message', () => {
  const found = finding({ file: 'echo.v', line: 7, message: 'latch inferred for q' });
  expect(linked('warning: latch inferred for q in process', found)).toEqual([['latch inferred for q', 7]]);
  expect(
    linked('warning: latch inferred for q', finding({ message: 'latch inferred for q', file: 'echo.v' })),
  ).toEqual([]);
});

test('several diagnostics of a line become adjacent links, never nested', () => {
  const text = 'error: a.v:3: b redefined, first in a.v:1';
  expect(
    linked(
      text,
      finding({ file: 'a.v', line: 1, message: 'b' }),
      finding({ file: 'a.v', line: 3, message: 'b redefined' }),
    ),
  ).toEqual([
    ['a.v:3', 3],
    ['a.v:1', 1],
  ]);
});
