import { afterAll, describe, expect, test } from 'vitest';
import { loopsOf } from '../../../server/toolchain/scan/loops.ts';
import { macroGrowth } from '../../../server/toolchain/scan/macro-growth.ts';
import { runningTime } from '../../support/running-time.ts';
import { freshToolchain, record, requestOf } from '../pipeline/support.ts';
import { scanText, slowYosys } from '../support.ts';
import { slave } from './slave.ts';

const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
afterAll(dispose);

const calling = (loop: string, argument = '4') =>
  slave(`  function integer f(input integer n); integer i;
    begin f = 0; i = 0;
      ${loop}
    end
  endfunction
  localparam X = f(${argument});
  assign wb_dat_r = X;`);

const doubled = (times: number) =>
  ['`define A0 wire w;', ...Array.from({ length: times }, (_, at) => `\`define A${at + 1} \`A${at} \`A${at}`)]
    .join('\n')
    .concat('\n');

describe('what would never come to an end is told with its line', () => {
  const WHILE = calling('while (n > i) f = f + 1;');

  test.each([
    ['a while', WHILE, 5, 'this loop does not end'],
    ['a for', calling('for (i = 0; i < n; i = i) f = f + i;'), 5, 'this loop does not end'],
    ['a while without a condition', calling('while (1) begin f = f + 1; end'), 5, 'this loop does not end'],
    [
      'a macro that grows',
      slave('  `A60\n  assign wb_dat_r = 0;', doubled(60)),
      64,
      'the macro `A60 becomes 10^18 characters; the bench takes on 67,108,864',
    ],
    [
      'a macro that uses itself',
      slave('  wire x = `SELF;\n  assign wb_dat_r = x;', '`define SELF 1 + `SELF\n'),
      4,
      'the macro `SELF uses itself, so it has no end',
    ],
  ])(
    '%s',
    async (_, source, line, message) => {
      const { matched, diagnostics } = await scanText(source, 'design.v', {}, slowYosys);
      expect(matched).toBeNull();
      expect(diagnostics).toEqual([
        { severity: 'error', code: 'design_invalid', file: 'design.v', line, message },
      ]);
    },
    60_000,
  );

  test('where Yosys reads it until it is ended', async () => {
    const { matched, diagnostics } = await toolchain.scan(requestOf(WHILE), record());
    expect(matched).toBeNull();
    expect(diagnostics).toMatchObject([
      { code: 'design_invalid', line: 5, message: 'this loop does not end' },
    ]);
  }, 60_000);

  test('a loop that is not run, or that something ends, is no reason', async () => {
    for (const [loop, argument] of [
      ['while (n > 4) f = f + 1;', '4'],
      ['while (n > i) begin if (f > 3) i = 9; f = f + 1; end', '4'],
    ] as const) {
      const { matched } = await toolchain.scan(requestOf(calling(loop, argument)), record());
      expect(matched?.module, loop).toBe('slave');
    }
  }, 60_000);
});

describe('loops that may end are not taken for endless', () => {
  const endless = (loop: string) => loopsOf(loop).some(({ passes }) => passes === Number.POSITIVE_INFINITY);

  test.each([
    'while (n > 0) n = n - 1;',
    'while (n > 0) begin x = 1; n = n >> 1; end',
    'while (n > 0) begin if (x) y = 1; else n = 0; end',
    'while (n > 0) n[3] = 0;',
    'while (n > 0) {a, n} = b;',
    'while (n > 0) n++;',
    'while (n > 0) --n;',
    'while (n > 0) n -= 1;',
    'while (n > 0) n <<= 1;',
    'while (n > 0) take(x);',
    'while (n > 0) begin step; end',
    'while (n > 0) begin `STEP end',
    'while (n > 0) begin x = 1; disable all; end',
    'while (f(n)) x = 1;',
    'while (n-- > 0) x = 1;',
    'while (`N > 0) x = 1;',
    'while (n > 0) for (n = 9; n > k; n = n - 1) x = 1;',
    'for (i = 0; i < n; i = i + k) x = 1;',
    'for (i = 0; i < n; i = i) begin x = 1; i = i + 1; end',
    'for (i = 0; i < n; i = i) n = i;',
    'while (n > 0) begin',
  ])('%s', (loop) => expect(endless(loop)).toBe(false));

  test.each([
    'while (n <= k) x = n;',
    'while (n == 0) begin x[n] = n == 1; if (x >= n) y = n < 3; else y = 0; end',
    'for (i = 0; i < n; i = i) begin case (i) 0: x = 1; default: x = 2; endcase end',
  ])('%s does not end', (loop) => expect(endless(loop)).toBe(true));
});

describe('how long macros become is reckoned without expanding them', () => {
  const characters = (text: string) => macroGrowth(text, 0)?.characters;

  test.each([
    ['`define A abc\n`A', 3],
    ['`define A abc\n`define B `A+`A\n`B', 7],
    ['`define D(x) x x\n`D(`D(`D(ab)))', 16],
    ['`define D(x, y = 1) x x y\n`D(ab, (c, d))', 9],
    ['`define A `A\n`A', Number.POSITIVE_INFINITY],
    ['`define A `B x\n`define B `A\n`B', Number.POSITIVE_INFINITY],
    ['`define N(x) a\n`define A `A\n`N(`A)', 1],
    ['`define A `B\n`define B abcd\n`A\n`undef B', 4],
    ['`ifdef NOT\n`define A `A\n`else\n`define A ab\n`endif\n`A', 2],
  ])('%j', (text, expected) => expect(characters(text)).toBe(expected));

  test.each([
    '`define A `A\n',
    '`define A `A\n`ifdef NOT\n`A\n`endif\n',
    '`define A `A\n`undef A\n`A\n',
    '`define A `A\n`undefineall\n`A\n',
    '`A',
    '`define D(x) x\n`D',
  ])('nothing is said of %j', (text) => expect(characters(text)).toBeUndefined());

  test('text of any kind is read, in a time that grows with it', async () => {
    const ranFor = await runningTime();
    for (const piece of [
      '`define A `A(',
      '`A(',
      '`define A(x) `A(x\n',
      '`define A `A `A\n`undef A\n',
      '`define D(x) x x\n`D(',
    ]) {
      const before = ranFor();
      expect(() => macroGrowth(piece.repeat(20_000), 1 << 26), piece).not.toThrow();
      expect(ranFor() - before, piece).toBeLessThan(4000);
    }
    const chain = Array.from({ length: 20_000 }, (_, at) => `\`define A${at + 1} \`A${at}\n`).join('');
    expect(macroGrowth(`${chain}\`A20000`, 1 << 26)).toBeNull();
  });
});
