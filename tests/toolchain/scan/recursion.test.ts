import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { modulesOf } from '../../../server/toolchain/scan/constant/modules.ts';
import { endlessInstances } from '../../../server/toolchain/scan/constant/recursion.ts';
import { freshToolchain, record, requestOf } from '../pipeline/support.ts';
import { slave } from './slave.ts';

const SOAK = process.env['WISHBENCH_SOAK'] === '1';

const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
afterAll(dispose);

/** Whether the modules below `top` are found to have no end. */
const endless = (text: string, top = 'top') => endlessInstances(modulesOf(text, 'm.v'), top);

describe('modules within themselves without an end are refused', () => {
  test.each([
    [
      'directly',
      slave(
        '  self i(wb_we, wb_dat_r[0]);',
        'module self(input a, output b);\n  self again(a, b);\nendmodule\n',
      ),
      2,
      'module self is within itself without an end: it has the instance again of self (line 2)',
    ],
    [
      'through another one, with the same parameters again',
      slave(
        '  ping #(.N(3)) i(wb_we, wb_dat_r[0]);',
        `module ping #(parameter N = 1) (input a, output b);
  generate if (N > 2) pong #(N + 1) p(a, b); else assign b = a; endgenerate
endmodule
module pong #(parameter M = 1) (input a, output b);
  ping q(a, b);
  defparam q.N = M - 1;
endmodule\n`,
      ),
      2,
      'module ping is within itself without an end: it has the instance p of pong (line 2, with M = 4), that has the instance q of ping (line 5, with N = 3)',
    ],
    [
      'with a parameter that steps over its end',
      slave(
        '  down #(10) i(wb_we, wb_dat_r[0]);',
        `module down #(parameter N = 0) (input a, output b);
  generate if (N != 7) begin : more down #(.N(N - 2)) next(a, b); end else assign b = a; endgenerate
endmodule\n`,
      ),
      2,
      'module down is within itself on more than 4,096 levels, with other parameters on each: it has the instance next of down (line 2, with N = 8)',
    ],
  ])(
    '%s',
    async (_, source, line, message) => {
      const { matched, diagnostics } = await toolchain.scan(requestOf(source), record());
      expect(diagnostics).toEqual([
        expect.objectContaining({
          severity: 'error',
          code: 'design_invalid',
          file: 'design.v',
          line,
          message,
        }),
      ]);
      expect(matched).toBeNull();
    },
    120_000,
  );
});

test('recursion that comes to an end is allowed', async () => {
  const source = slave(
    '  tree #(.N(8), .D(20)) i(wb_dat_w[7:0], wb_dat_r[0]);',
    `module tree #(parameter N = 4, D = 3) (input [N-1:0] a, output b);
  wire x, y, z;
  generate case (N)
    1: assign b = a;
    default: begin : half
      tree #(.N(N / 2)) low(a[N/2-1:0], x);
      if (N > 2) begin tree high(a[N-1:N/2], y); defparam high.N = N - N / 2; end else assign y = a[1];
      assign b = x ^ y;
    end
  endcase
  if (D > 0) chain #(D) c(a[0], z); endgenerate
endmodule
module chain #(parameter D = 1) (input a, output b);
  generate if (D == 0) assign b = a; else chain #(D - 1) next(a, b); endgenerate
endmodule\n`,
  );
  const { matched, diagnostics } = await toolchain.scan(requestOf(source), record());
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched?.module).toBe('slave');
}, 120_000);

describe('conditions around an instance', () => {
  const within = (body: string) =>
    endless(
      `module m #(parameter N = 1) (); localparam M = N;\n${body}\nendmodule\nmodule top(); m #(2) i(); endmodule`,
    );

  test.each([
    'm #(N) i();',
    'if (M) m #(N) i();',
    'if (!M) ; else m #(N) i();',
    'if (!M) begin end else if (N == 2) begin : b m #(N) i(); end',
    'genvar g; for (g = 0; g < M; g = g + 1) begin m #(N) i(); end',
    'case (M) 0, 1: ; 1 + 1: begin : two m #(N) i(); end default: ; endcase',
    'case (M) 0: ; default: m #(N) i(); endcase',
    'case (M) default: m #(N) i(); 0: ; endcase',
    'always @* if (M) begin case (M) 0: ; endcase end else ; m #(N) i();',
    'function f(input a); if (a) f = 0; endfunction m #(N) i();',
    'm #(N + 1) i();',
  ])('that is made: %s', (body) => expect(within(body)).not.toBeNull());

  test.each([
    'if (!M) m #(N) i();',
    'if (M) ; else m #(N) i();',
    'if (M) begin end else if (N == 2) begin : b m #(N) i(); end',
    'if (M == UNKNOWN) m #(N) i();',
    'if (!M) begin if (M) ; else m #(N) i(); end',
    'genvar g; for (g = 0; g < M - 2; g = g + 1) begin m #(N) i(); end',
    'case (M) 0, 2: ; 1 + 1: begin : two m #(N) i(); end default: ; endcase',
    'case (M) 2: ; default: m #(N) i(); endcase',
    'case (M) default: m #(N) i(); 2: ; endcase',
    'if (N < 100) m #(N + 1) i();',
    'm #(UNKNOWN) i();',
  ])('that is not made, ends, or is not known: %s', (body) => expect(within(body)).toBeNull());
});

test('many modules without a recursion, and a long way to one, take their time but once', () => {
  const ways = Array.from({ length: 3000 }, (_, at) => `module m${at}(); m${at + 1} a(), b(); endmodule`);
  expect(endless(`${ways.join('\n')} module m3000(); endmodule`, 'm0')).toBeNull();
  const long = endless(`${ways.join('\n')} module m3000(); m0 i(); endmodule`, 'm0');
  expect(long).toMatchObject({ again: true, steps: { length: 3001 } });
});

/** Of a whole number, as Verilog and as JavaScript write it. */
const CONDITIONS: Readonly<Record<string, (n: number) => boolean>> = {
  'N > 0': (n) => n > 0,
  'N < 12': (n) => n < 12,
  'N != 7': (n) => n !== 7,
  'N % 3 == 1': (n) => n % 3 === 1,
  'N[1:0] > 1': (n) => (n & 3) > 1,
  'log2(N) > 2': (n) => n >= 8,
};
const STEPS: Readonly<Record<string, (n: number) => number>> = {
  'N - 1': (n) => n - 1,
  'N + 1': (n) => n + 1,
  'N / 2': (n) => Math.trunc(n / 2),
  'N ^ 1': (n) => n ^ 1,
  '3': () => 3,
};

test('an end is seen where there is one, and no other', () => {
  const recursion = fc.record({
    start: fc.integer({ min: 0, max: 15 }),
    condition: fc.constantFrom(...Object.keys(CONDITIONS)),
    by: fc.constantFrom(...Object.keys(STEPS)),
    back: fc.constantFrom(...Object.keys(STEPS)),
    how: fc.constantFrom('by name', 'by place', 'by defparam'),
    form: fc.constantFrom('if', 'else', 'case', 'for'),
  });
  const ends = ({
    start,
    condition,
    by,
    back,
  }: {
    start: number;
    condition: string;
    by: string;
    back: string;
  }) => {
    let n = start;
    for (let level = 0; level < 5000; level++) {
      if (!CONDITIONS[condition]?.(n)) return true;
      n = STEPS[back]?.(STEPS[by]?.(n) ?? 0) ?? 0;
    }
    return false;
  };
  fc.assert(
    fc.property(recursion, (one) => {
      const { start, condition, by, back, how, form } = one;
      const instance = (of: string, value: string) =>
        ({
          'by name': `${of} #(.N(${value})) i();`,
          'by place': `${of} #(${value}) i();`,
          'by defparam': `defparam i.N = ${value}; ${of} i();`,
        })[how];
      const inner = `begin : in ${instance('other', by)} end`;
      const made = {
        if: `if (${condition}) ${inner}`,
        else: `if (!(${condition})) begin end else ${inner}`,
        case: `case (${condition}) 1'b0: ; default: ${inner} endcase`,
        for: `genvar g; for (g = 0; g < (${condition} ? 2 : 0); g = g + 1) ${inner}`,
      }[form];
      const found = endless(`module m #(parameter integer N = 1) ();
  function integer log2(input integer n); integer i; begin log2 = 0; for (i = n; i > 1; i = i >> 1) log2 = log2 + 1; end endfunction
  generate ${made} endgenerate
endmodule
module other #(parameter integer N = 1) (); ${instance('m', back)} endmodule
module top(); m #(.N(${start})) i(); endmodule\n`);
      // A negative number has no logarithm here: the bits of it are as those of a large one.
      if (found === null && condition.startsWith('log2')) return;
      expect([JSON.stringify(one), found === null]).toEqual([JSON.stringify(one), ends(one)]);
    }),
    { numRuns: SOAK ? 2000 : 40 },
  );
}, 600_000);
