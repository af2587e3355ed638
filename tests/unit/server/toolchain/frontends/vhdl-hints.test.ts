import { describe, expect, test } from 'vitest';
import { vhdlInPlainWords } from '../../../../../server/toolchain/frontends/vhdl/hints.ts';

describe('omits consequential errors', () => {
  const error = (line: number, message: string, column = 1) =>
    ({ severity: 'error', code: 'ghdl_error', file: 'a.vhd', line, column, message }) as const;
  const linesOf = (...errors: ReturnType<typeof error>[]) =>
    vhdlInPlainWords(errors, new Map([['a.vhd', 'a\n'.repeat(9)]])).map(({ line }) => line);

  test('after the point where the parser lost its way', () =>
    expect(
      linesOf(
        error(3, 'missing ";" at end of statement'),
        error(5, "'if' is expected instead of 'process'"),
        error(6, "'end' is expected instead of 'process'"),
      ),
    ).toEqual([2, 5]));

  test('but not if the parser resynchronises', () =>
    expect(linesOf(error(3, 'misspelling, "a" expected'), error(5, 'misspelling, "b" expected'))).toEqual([
      3, 5,
    ]));

  test('for names of one package', () =>
    expect(
      linesOf(
        error(2, 'no declaration for "std_logic"'),
        error(3, 'no declaration for "std_logic_vector"'),
        error(4, 'no function declarations for operator "="'),
        error(5, 'no declaration for "other"'),
      ),
    ).toEqual([2, 5]));
});
