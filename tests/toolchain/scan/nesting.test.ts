import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import type { BenchError } from '../../../server/errors/bench-error.ts';
import { toolchainError } from '../../../server/errors/toolchain.ts';
import { deepestNesting } from '../../../server/toolchain/scan/nesting.ts';
import type { ToolEngine } from '../../../server/toolchain/toolchain.ts';
import { freshToolchain, record, requestOf, slave } from '../pipeline/support.ts';
import { plainYosys, scanText } from '../support.ts';

const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
afterAll(dispose);

const each = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('');
const bits = (count: number) => Math.round(Math.log2(count));
const quiet = '  assign wb_dat_r = 0;\n  reg x;\n';
const clocked = (statements: string) => slave(`${quiet}  always @(posedge clk)\n${statements}`);
const level = (text: string) => deepestNesting({ 'd.v': text }, ['d.v']);

/** What, a design with so many of it, how many levels each is, and the line. */
const DEEP: [string, (count: number) => string, number, number][] = [
  [
    'operators in brackets',
    (n) => slave(`  assign wb_dat_r = ${'(1 + '.repeat(n)}wb_dat_w${')'.repeat(n)};`),
    1,
    5,
  ],
  ['operands of a sum', (n) => slave(`  assign wb_dat_r = ${'wb_dat_w + '.repeat(n)}1;`), 1, 5],
  ['operators before an operand', (n) => slave(`  assign wb_dat_r = ${'~ '.repeat(n)}wb_dat_w;`), 1, 5],
  ['choices', (n) => slave(`  assign wb_dat_r =\n${each(n, (at) => `wb_adr == ${at} ? ${at} :\n`)}0;`), 1, 6],
  [
    'calls of a function',
    (n) =>
      slave(
        `${quiet} function f(input a); f = ~a; endfunction\n  wire y = ${'f('.repeat(n)}wb_we${')'.repeat(n)};`,
      ),
    1,
    8,
  ],
  [
    'indices',
    (n) =>
      slave(`${quiet} reg [3:0] m [0:15];\n  wire [3:0] y = ${'m['.repeat(n)}wb_adr[3:0]${']'.repeat(n)};`),
    2,
    8,
  ],
  ['blocks', (n) => clocked(`${'begin '.repeat(n)}x <= 1; ${'end '.repeat(n)}`), 1, 8],
  ['conditions', (n) => clocked(`${'if (wb_we) '.repeat(n)}x <= 1;`), 3, 8],
  [
    'conditions with blocks',
    (n) => clocked(`${'if (wb_we) begin\n'.repeat(n)}x <= 1; ${'end '.repeat(n)}`),
    4,
    8,
  ],
  ['alternatives', (n) => clocked(`${each(n, (at) => `if (wb_adr == ${at}) x <= 1;\nelse `)} x <= 0;`), 3, 8],
  ['cases', (n) => clocked(`${'case (wb_we) 1: '.repeat(n)}x <= 1; ${'endcase '.repeat(n)}`), 3, 8],
];

describe('what lies too deep within each other', () => {
  test.each(DEEP)('%s: refused with the line', async (_, make, levels, line) => {
    const { matched, diagnostics } = await toolchain.scan(
      requestOf(make(Math.ceil(3000 / levels))),
      record(),
    );
    expect(matched).toBeNull();
    expect(diagnostics).toEqual([
      expect.objectContaining({ severity: 'error', code: 'design_invalid', file: 'design.v', line }),
    ]);
    expect(diagnostics[0]?.message).toMatch(/ (?:3,00\d|2,99\d) levels deep.*; the bench takes on 2,900: /);
  });

  // The square of their number is what Yosys takes; these are the quick ones.
  test.each([DEEP[2], DEEP[6]].filter((one) => one !== undefined))(
    '%s: as many as the bench takes on are read',
    async (_, make, levels) => {
      const { matched } = await toolchain.scan(requestOf(make(2890 / levels)), record());
      expect(matched?.module).toBe('design');
    },
    120_000,
  );

  test('macros that become an expression of too many operands are named', async () => {
    const doubling = (count: number) =>
      `\`define M0 wb_dat_w\n${each(bits(count), (at) => `\`define M${at + 1} \`M${at} + \`M${at}\n`)}`;
    const use = (count: number) => `${doubling(count)}${slave(`  assign wb_dat_r = \`M${bits(count)};`)}`;
    const { diagnostics } = await toolchain.scan(requestOf(use(1 << 14)), record());
    expect(diagnostics).toEqual([
      expect.objectContaining({ code: 'design_invalid', file: 'design.v', line: 20 }),
    ]);
    expect(diagnostics[0]?.message).toMatch(/^this expression is 16,383 levels deep, from the macro `M14 /);
    const { diagnostics: more } = await toolchain.scan(requestOf(use(1 << 20)), record());
    expect(more[0]?.message).toMatch(
      /^this expression is more than 65,536 levels deep, from the macro `M20 /,
    );
    const { matched } = await toolchain.scan(requestOf(use(1 << 8)), record());
    expect(matched?.module).toBe('design');
  }, 120_000);

  // As many more than the stack has room for, and fewer that are found where the tool has crashed.
  test.each([1500, 3000])(
    '%i parameters that wait for one declared behind them: refused with the line',
    async (count) => {
      const chain = each(count, (at) => `localparam P${at} = P${at + 1} + 1;\n`);
      const { diagnostics } = await toolchain.scan(
        requestOf(slave(`  assign wb_dat_r = P0;\n${chain}localparam P${count} = 1;`)),
        record(),
      );
      expect(diagnostics).toEqual([
        expect.objectContaining({ severity: 'error', code: 'design_invalid', file: 'design.v', line: 6 }),
      ]);
      expect(diagnostics[0]?.message).toMatch(
        /^this parameter waits for others that are declared behind it, (?:3|6),001 levels deep .*: declare each one before/,
      );
    },
  );

  test('as many parameters in the order in which they are needed are read', async () => {
    const chain = each(3000, (at) => `localparam P${at + 1} = P${at} + 1;\n`);
    const { matched } = await toolchain.scan(
      requestOf(slave(`  localparam P0 = 1;\n${chain}assign wb_dat_r = P3000;`)),
      record(),
    );
    expect(matched?.module).toBe('design');
  });

  // What is over in time depends on the machine: here no run of the tool is.
  const never: ToolEngine = { ...plainYosys, run: () => Promise.reject(toolchainError('tool_deadline')) };
  const notInTime = (text: string) =>
    scanText(text, 'design.v', {}, never).then(
      () => expect.unreachable(),
      (error: BenchError) => error,
    );
  const choices = (count: number) =>
    slave(`  assign wb_dat_r =\n${each(count, (at) => `wb_adr == ${at} ? ${at} :\n`)}0;`);
  const deep = (what: string) =>
    `${what} levels deep, and the time of Yosys grows with the square of that or faster`;

  test.each([
    ['an expression', choices(260), 6, deep('this expression is 26\\d')],
    [
      'statements',
      clocked(`${'begin '.repeat(300)}x <= 1; ${'end '.repeat(300)}`),
      8,
      deep('these statements are 30\\d'),
    ],
    [
      'calls of macros',
      `\`define F(x) x\n${slave(`  assign wb_dat_r = ${'`F('.repeat(400)}wb_dat_w${')'.repeat(400)};`)}`,
      6,
      deep('these calls of macros are 400'),
    ],
  ])(
    'what may be why the deadline came is named with its line, as a warning: %s',
    async (_, text, line, message) => {
      const { code, diagnostics } = await notInTime(text);
      expect(code).toBe('tool_deadline');
      expect(diagnostics).toEqual([
        {
          severity: 'warning',
          code: 'design_invalid',
          file: 'design.v',
          line,
          message: expect.stringMatching(new RegExp(`^${message}$`)),
        },
      ]);
    },
  );

  test('nothing is named for a deadline where nothing lies deep', async () => {
    const { code, diagnostics } = await notInTime(choices(200));
    expect(code).toBe('tool_deadline');
    expect(diagnostics).toEqual([]);
  });

  test('in a header of a project', () => {
    const files = {
      'a.v': '`include "h.vh"\nmodule m; endmodule',
      'h.vh': `\`define D (1 + (2 + 3))\n`,
      'b.v': 'wire [`D:0] x;',
    };
    expect(deepestNesting(files, ['a.v', 'b.v'])).toEqual({
      what: 'expression',
      levels: 4,
      path: 'b.v',
      start: 0,
      macro: '`D',
    });
  });
});

describe('levels', () => {
  test.each([
    ['brackets alone have none', `wire x = ${'('.repeat(50)}1 + 2${')'.repeat(50)};`, 1],
    ['operators that bind more tightly lie within the others', 'wire x = a * b + c * d + e * f + g;', 4],
    ['what stands side by side is not within each other', `wire [99:0] x = {${'a + b, '.repeat(99)}c};`, 2],
    ['statements side by side', `always @* begin ${'if (a) x = 1; '.repeat(50)} end`, 4],
    [
      'alternatives side by side',
      `always @* begin ${'if (a) begin x = 1; end else begin x = 0; end '.repeat(50)} end`,
      5,
    ],
    ['values of a case', `always @* case (a) ${each(50, (at) => `${at}: if (a) x = ${at}; `)} endcase`, 6],
    ['what is not live', `\`ifdef NO\nwire x = ${'1 + '.repeat(99)}1;\n\`endif wire y = 1 + 1;`, 1],
    ['arguments that are used twice', '`define F(a, b) a + b + a\nwire x = `F((1 + 2), 3 + (4 + 5));', 4],
    [
      'parameters in order',
      `localparam P0 = 1; ${each(50, (at) => `localparam P${at + 1} = P${at} + 1;`)}`,
      1,
    ],
    ['parameters against it', `localparam ${each(50, (at) => `P${at} = P${at + 1}, `)} P50 = 1;`, 51],
    [
      'parameters in order behind one that needs the last',
      `localparam A = P50; localparam P0 = 1; ${each(50, (at) => `localparam P${at + 1} = P${at};`)}`,
      52,
    ],
    ['a parameter with a long value', 'localparam A = B + 1 + 1 + 1; localparam B = 1;', 3],
    ['parameters that need each other', 'localparam A = B; localparam B = C; localparam C = A;', 3],
    [
      'typed parameters in a header',
      `endmodule module n #(parameter [3:0] A = B0, ${each(9, (at) => `int B${at} = B${at + 1}, `)} B9 = 1) (input x);`,
      11,
    ],
    ['a macro that nothing uses', `\`define F ${'1 + '.repeat(99)}1\nwire x = 1 + 1;`, 1],
    ['a macro that uses itself', '`define F 1 + `F\nwire x = `F;', 65_537],
  ])('%s', (_, text, levels) => {
    expect(level(`module m;\n${text}\nendmodule`)?.levels).toBe(levels);
  });

  test('operators of equal strength in any grouping: the levels are those of the tree', () => {
    const tree = fc.letrec<{ tree: { text: string; levels: number } }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 6 },
        fc.constant({ text: 'a', levels: 0 }),
        fc
          .tuple(tie('tree'), fc.constantFrom('+', '<<', '&&', '?:'), tie('tree'))
          .map(([a, operator, b]) => ({
            text:
              operator === '?:'
                ? `((${a.text}) ? (${b.text}) : (${a.text}))`
                : `((${a.text}) ${operator} (${b.text}))`,
            levels: Math.max(a.levels, b.levels) + 1,
          })),
        tie('tree').map(({ text, levels }) => ({ text: `~(${text})`, levels: levels + 1 })),
      ),
    })).tree;
    fc.assert(
      fc.property(tree, ({ text, levels }) => {
        expect(level(`assign x = ${text};`)?.levels ?? 0).toBe(levels);
      }),
    );
  });
});

test.each([
  ['a signal', 'struct packed ', ' s;'],
  ['a type', 'typedef union packed ', ' t;'],
])(
  'structures within each other are called that: %s',
  async (_, begin, end) => {
    const inner = `${'{ logic a; struct packed '.repeat(3000)}{ logic b; } c;${' } c;'.repeat(3000)}`;
    const body = `  ${begin}${inner.replace(/ c;$/, '')}${end}\n${quiet}`;
    const { matched, diagnostics } = await toolchain.scan(requestOf(slave(body), 'design.sv'), record());
    expect(matched).toBeNull();
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'design_invalid', line: 5 });
    expect(diagnostics[0]?.message).toMatch(
      /^these structures lie within each other 3,00\d levels deep; the bench takes on 2,900: give some of them a type of their own with typedef$/,
    );
  },
  120_000,
);
