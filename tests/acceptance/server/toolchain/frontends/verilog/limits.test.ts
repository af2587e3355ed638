import { afterAll, describe, expect, test } from 'vitest';
import { errorsOf } from '../../../../../../server/toolchain/diagnostics/findings.ts';
import { everyNth } from '../../../../../support/soak.ts';
import { freshToolchain, record, requestOf } from '../../../../../support/toolchain/build/support.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const ZERO = '  assign wb_dat_r = 0;';

/** In four lines. */
const STAGES = `module stages #(parameter N = 4, parameter W = 1) (input a, output b);
  genvar g; generate for (g = 0; g < N; g = g + 1) begin : s wire x; end endgenerate
  assign b = a;
endmodule
`;
const SUM = `  function integer sum(input integer n);
    integer i;
    begin sum = 0;
      for (i = 0; i < n; i = i + 1) sum = sum + i;
    end
  endfunction`;

/** Title, design, and line of the loop. */
const ENDLESS: [string, string, number][] = [
  [
    'a loop up to a parameter that an instance gives',
    slave(`  stages #(.N(1000000000)) i(wb_we, );\n${ZERO}`, STAGES),
    2,
  ],
  [
    'loops within each other, and a localparam of the parameter',
    slave(
      `  square #(.N(1000)) i(wb_we, );\n${ZERO}`,
      `module square #(parameter N = 2) (input a); localparam M = N * 2;
  genvar g, h; generate for (g = 0; g < M; g = g + 1) begin : s
    for (h = 0; h < M; h = h + 1) begin : t wire x; end end endgenerate
endmodule\n`,
    ),
    3,
  ],
  [
    'a function that is called with the parameter',
    slave(
      `  sums #(.N(1000000000)) i(wb_we, );\n${ZERO}`,
      `module sums #(parameter N = 2) (input a);\n${SUM}\n  localparam S = sum(N);\nendmodule\n`,
    ),
    5,
  ],
  [
    'a repeat of a process',
    slave(
      `  times #(.N(1000000000)) i(wb_clk, wb_dat_r);`,
      `module times #(parameter N = 2) (input c, output reg [31:0] q);
  always @(posedge c) repeat (N) q = q + 1;
endmodule\n`,
    ),
    2,
  ],
  [
    'a loop of an initial block',
    slave(
      `  reg [31:0] m [0:15]; integer i; initial for (i = 0; i < 1000000000; i = i + 1) m[i] = i;\n${ZERO}`,
    ),
    3,
  ],
  [
    'a repeat of an initial block',
    slave(`  reg [31:0] m; initial begin m = 0; repeat (1 << 30) m = m + 1; end\n${ZERO}`),
    3,
  ],
  [
    'a repeat of a process',
    slave(`  reg [31:0] m; always @(posedge wb_clk) repeat (1 << 30) m = m + 1;\n${ZERO}`),
    3,
  ],
  [
    'a loop of a task that an initial block calls',
    slave(`  reg [31:0] m; task fill; integer i;
    for (i = 0; i < 1000000000; i = i + 1) m = m + i;
  endtask
  initial fill;\n${ZERO}`),
    4,
  ],
  [
    'a loop of an initial block that stands still',
    slave(`  reg [31:0] m; integer i; initial for (i = 0; i < 9; i = i) m = i;\n${ZERO}`),
    3,
  ],
  [
    'a function that an initial block calls',
    slave(`${SUM}\n  reg [31:0] m; initial m = sum(1000000000);\n${ZERO}`),
    6,
  ],
  [
    'a count down to 0 of a variable without a sign',
    slave(`  reg [31:0] q; reg [4:0] i; always @(posedge wb_clk)
    for (i = 31; i >= 0; i = i - 1) q[i] <= wb_dat_w[i];
  assign wb_dat_r = q;`),
    4,
  ],
];

/** Takes no time: what is not built, and what ends soon. */
const RIGHT = slave(
  `  generate if (0) begin stages #(.N(1000000000)) i(wb_we, ); end else begin stages #(.N(5)) i(wb_we, ); end endgenerate
  stages j(wb_we, );
  generate if (0) begin stages k(wb_we, ); defparam k.N = 1000000000; end endgenerate
  defparam j.N = 5; defparam j.N = 1000000000;
  generate if (1) begin : b stages i(wb_we, ); defparam i.N = 6; end endgenerate
  maybe #(.N(1000000000), .LOOP(0)) m0(wb_we, );
  clock #(.HZ(1000000000)) c0(wb_clk, );
  narrow #(.N(1000000003)) n0(wb_we, );
  depth #(.N(1000000000)) d0(wb_we, );
${SUM}
  reg [31:0] m; task fill; integer i; for (i = 0; i < 1000000000; i = i + 1) m = m + i; endtask
  always @(posedge wb_clk) begin repeat (-1) m = m + 1; repeat (2) m = m + 1; end
  integer i; reg [31:0] q;
  function [7:0] f(input [7:0] n); reg [3:0] i; begin f = 0; for (i = 0; i < 15; i = i + 1) f = f + n; end endfunction
  always @(posedge wb_clk) for (i = 0; i < 32; i = i + 1) q[i] <= wb_dat_w[31 - i];
  assign wb_dat_r = q + f(1);`,
  `${STAGES}module maybe #(parameter N = 2, LOOP = 1) (input a, output b);
  genvar g; generate if (LOOP) for (g = 0; g < N; g = g + 1) begin : s wire x; end endgenerate
endmodule
module clock #(parameter HZ = 1000) (input c, output reg b); reg [31:0] n; integer i; reg [7:0] m [0:15];
  initial for (i = 0; i < 16; i = i + 1) m[i] = HZ;
  always @(posedge c) if (n == HZ - 1) begin n <= 0; b <= ~b; end else n <= n + 1;
endmodule
module narrow #(parameter [3:0] N = 2) (input a); genvar g;
  generate for (g = 0; g < N; g = g + 1) begin : s wire x; end endgenerate
endmodule
module depth #(parameter N = 2) (input a); function integer log2(input integer n); integer i;
    begin log2 = 0; for (i = n - 1; i > 0; i = i >> 1) log2 = log2 + 1; end endfunction
  wire [log2(N)-1:0] x;
endmodule\n`,
);

test('accepts loops that are not built, or end soon', async () => {
  const { matched, diagnostics } = await toolchain.scan(requestOf(RIGHT, 'design.v'), record());
  expect(errorsOf(diagnostics)).toEqual([]);
  expect(matched?.module).toBe('slave');
});

describe('rejects excessive or endless constructs with their line', () => {
  test.each(everyNth(4, ENDLESS))(
    '%s',
    async (_, source, line) => {
      const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'design.v'), record());
      expect(matched).toBeNull();
      expect(diagnostics[0]).toMatchObject({
        severity: 'error',
        code: 'slang_error',
        file: 'design.v',
        line,
      });
    },
    120_000,
  );
});

test('folds thousands of identical slang messages in the log', async () => {
  const { diagnostics, log } = await scanText(`1 ? ${'/*'.repeat(6000)}\nmodule m; endmodule\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', line: 1 });
  expect(log.filter((line) => line.includes('nested block comments')).length).toBeLessThan(70);
  expect(log.some((line) => /\d+ more lines like this one were left out/.test(line))).toBe(true);
});
