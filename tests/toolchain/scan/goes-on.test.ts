import { afterAll, describe, expect, test } from 'vitest';
import { longComputations } from '../../../server/toolchain/scan/constant/computations.ts';
import { modulesOf } from '../../../server/toolchain/scan/constant/modules.ts';
import { freshToolchain, record, requestOf } from '../pipeline/support.ts';
import { scanText, slowYosys } from '../support.ts';
import { slave } from './slave.ts';

const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
afterAll(dispose);

const ZERO = '  assign wb_dat_r = 0;';

/** From line 3 on: the loop is in line 6. */
const SUM = `  function integer sum(input integer n);
    integer i;
    begin sum = 0;
      for (i = 0; i < n; i = i + 1) sum = sum + i;
    end
  endfunction`;
const LOG = `  function integer log(input integer n);
    integer i;
    begin log = 0; i = n;
      while (i != 0) begin i = i >>> 1; log = log + 1; end
    end
  endfunction`;
const INNER = `module inner #(parameter N = 4) (input a, output b);
  genvar g; generate for (g = 0; g < N; g = g + 1) begin : s wire x; end endgenerate
  assign b = a;
endmodule
`;

const passes = 'this loop has more passes than the 262,144 that the bench elaborates';
const called = (function_: string, given: string, line: number) =>
  `${passes}, when the function ${function_} is called with ${given} in line ${line}`;

/** What, the design, the line, and what is said. */
const REFUSED: [string, string, number, string][] = [
  [
    'a function with a large argument',
    slave(`${SUM}\n  assign wb_dat_r = sum(1000000000);`),
    6,
    called('sum', 'n = 1000000000', 9),
  ],
  [
    'in the range of a wire, from a macro and a parameter',
    slave(
      `${SUM}\n  localparam M = 1 << \`BITS;\n  wire [sum(M - 1):0] x = 0;\n${ZERO}`,
      '`define BITS 30\n',
    ),
    7,
    called('sum', 'n = 1073741823', 11),
  ],
  [
    'a logarithm of what is negative',
    slave(`${LOG}\n  localparam X = log(-1);\n  assign wb_dat_r = X;`),
    6,
    called('log', 'n = -1', 9),
  ],
  [
    'a counter that is too narrow to end it',
    slave(`  function [7:0] f(input [7:0] n); reg [3:0] i;
    begin f = 0; for (i = 0; i <= 15; i = i + 1) f = f + n; end
  endfunction
  assign wb_dat_r = f(3);`),
    4,
    'this loop does not end: its condition holds for every value that i can have',
  ],
  [
    'loops within each other',
    slave(`  function integer f(input integer n); integer i, j;
    begin f = 0; for (i = 0; i < n; i = i + 1)
      for (j = 0; j < n; j = j + 1) f = f + 1; end
  endfunction
  assign wb_dat_r = f(10000);`),
    5,
    called('f', 'n = 10000', 7),
  ],
  [
    'a repeat',
    slave(`  function integer f(input integer n); begin f = 0; repeat (n) f = f + 1; end endfunction
  assign wb_dat_r = f(1000000000);`),
    3,
    called('f', 'n = 1000000000', 4),
  ],
  [
    'a function that calls itself for ever',
    slave(`  function automatic integer f(input integer n);
    begin if (n == 0) f = 1; else f = n * f(n - 2); end
  endfunction
  assign wb_dat_r = f(5);`),
    6,
    'the function f, called with n = 5, goes on calling itself: there is no end to it that the bench could elaborate',
  ],
  [
    'a generate loop up to the result of a function',
    slave(`  function integer f(input integer n); f = 1 << n; endfunction
  genvar g; generate for (g = 0; g < f(30); g = g + 1) begin : s wire x; end endgenerate\n${ZERO}`),
    4,
    passes,
  ],
  [
    'a generate loop that steps over its end',
    slave(`  genvar g; generate for (g = 0; g != 9; g = g + 2) begin : s wire x; end endgenerate\n${ZERO}`),
    3,
    passes,
  ],
  [
    'a loop of a process that stands still',
    slave(`  integer i; reg [31:0] q;
  always @(posedge wb_clk) for (i = 0; i < 9; i = i << 1) q[i] <= wb_dat_w[i];
  assign wb_dat_r = q;`),
    4,
    passes,
  ],
];

/** Yosys is ended by its deadline with the one, and ends by itself with the other. */
const REALLY_READ = ['a function with a large argument', 'a function that calls itself for ever'];

describe('what goes on for too long is told with its line', () => {
  test.each(REFUSED)(
    '%s',
    async (_, source, line, message) => {
      const { matched, diagnostics } = await scanText(source, 'design.sv', {}, slowYosys);
      expect(matched).toBeNull();
      expect(diagnostics).toEqual([
        { severity: 'error', code: 'design_invalid', file: 'design.sv', line, message },
      ]);
    },
    120_000,
  );

  test.each(REFUSED.filter(([what]) => REALLY_READ.includes(what)))(
    'where Yosys reads it until it is ended: %s',
    async (_, source, line, message) => {
      const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'design.sv'), record());
      expect(matched).toBeNull();
      expect(diagnostics).toMatchObject([{ code: 'design_invalid', line, message }]);
    },
    120_000,
  );
});

/** As long, and not in use. */
const NOT_IN_USE: [string, string][] = [
  [
    'a call in a branch that is not taken',
    slave(
      `${SUM}\n  generate if (0) begin wire [sum(1000000000):0] x = 0; end endgenerate\n  assign wb_dat_r = sum(9);`,
    ),
  ],
  [
    'an instance in one, where another is in use',
    slave(
      `  inner #(.N(7)) i(wb_we, );\n  generate if (0) begin inner #(.N(1000000000)) i(wb_we, ); end endgenerate\n${ZERO}`,
      INNER,
    ),
  ],
  [
    'a part that is not live',
    slave(`\`ifdef NOT\n  wire [sum(1000000000):0] x = 0;\n\`endif\n${SUM}\n  assign wb_dat_r = sum(9);`),
  ],
];

describe('what is as long and not in use is no reason', () => {
  test.each(NOT_IN_USE)(
    '%s',
    async (_, source) => {
      const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'design.sv'), record());
      expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(matched?.module).toBe('slave');
    },
    120_000,
  );
});

describe('what the text says of how long a design takes', () => {
  const long = (text: string, most = 100) => longComputations(modulesOf(text, 'm.v'), most);

  test('the bound is the passes, of one loop or of loops within each other', () => {
    const loop = (end: number) => `module m; ${SUM} localparam X = sum(${end}); endmodule`;
    expect(long(loop(100))).toEqual([]);
    expect(long(loop(101))).toHaveLength(1);
  });

  test('a function that is called often with the same values is called once', () => {
    const fib = `function automatic integer fib(input integer n);
      fib = n < 2 ? n : fib(n - 1) + fib(n - 2); endfunction`;
    expect(long(`module m; ${fib} localparam X = fib(60); endmodule`)).toEqual([]);
    expect(long(`module m; ${fib} localparam X = fib(160); endmodule`)).toMatchObject([
      { what: { kind: 'recursion', name: 'fib', given: 'n = 160' } },
    ]);
  });

  test.each([
    'module m; endmodule',
    'module',
    'module m; function',
    'module m; function integer f(input integer n); for (;;) endfunction endmodule',
    'module m; function integer f(input integer n); while (1) #1 f = 1; endfunction wire x = f(1); endmodule',
    'module m; localparam A = B, B = A; wire x = f(A); endmodule',
    'module m #(parameter N = 1) (); m #(.N(N + 1)) i(); endmodule',
    'module m; function integer f(input integer n); f = g(n); endfunction wire x = f(1); endmodule',
    'module m; for (i = 0; i < nowhere; i = i + 1) x; endmodule',
  ])('nothing is said of %j', (text) => expect(long(text)).toEqual([]));
});
