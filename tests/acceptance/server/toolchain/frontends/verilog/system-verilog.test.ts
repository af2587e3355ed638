import { expect, test } from 'vitest';
import { provesSame } from '../../../../../support/toolchain/frontends/same-circuit.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

/** What it is, its declaration, an expression of it, and the same without it. */
const CONSTANT_ARRAYS: [what: string, declared: string, read: string, meant: string][] = [
  [
    'from 0 on',
    "localparam logic [7:0] A [4] = '{8'd9, 8'd200 + 8'd100,\n  3, // three\n 'h7f};",
    'A[i[1:0]]',
    "i[1] ? i[0] ? 8'h7f : 8'd3 : i[0] ? 8'd44 : 8'd9",
  ],
  [
    'counting down, with an index that has a carry of its own',
    "localparam int unsigned A [3:0] = '{4, 3, 2, 1};",
    'A[i[1:0] + i[3:2]]',
    'i01 + 1',
  ],
  [
    'of numbers with a sign',
    "localparam byte A [1:2] = '{-5, 7};",
    'A[i[0] ? 1 : 2] + $signed(i)',
    "i[0] ? i - 16'd5 : i + 16'd7",
  ],
  [
    'of two dimensions',
    "localparam logic [7:0] A [2][3:1] = '{'{1, 2, 3}, '{4, 5, 6}};",
    'A[i[0]][i[1] ? 1 : 3]',
    'i[0] ? i[1] ? 6 : 4 : i[1] ? 3 : 1',
  ],
  ['with one value for all', "localparam logic [3:0] A [8] = '{default: 4'd5};", 'A[i[2:0]]', '5'],
  ['with values at their places', "localparam int A [2] = '{1: 3, default: 2};", 'A[i[0]]', 'i[0] ? 3 : 2'],
  [
    'with bit and part selects',
    "localparam logic [7:0] A [2] = '{8'h12, 8'h34};",
    '{A[i[0]][7:4], A[i[0]][i[2:1]], A[i[0]][2 +: 2], A[1][3:0]}',
    "i[0] ? {4'd3, i[2:1] == 2, 2'd1, 4'd4} : {4'd1, i[2:1] == 1, 2'd0, 4'd4}",
  ],
  [
    'of an enumeration',
    "typedef enum logic [1:0] {X = 2, Y = 1} t; localparam t A [2] = '{Y, X};",
    'A[i[0]] == X',
    'i[0]',
  ],
];

test('reads constants that are arrays', async () => {
  const inputs = 'input [15:0] i';
  const part = (prefix: string, at: number, text: string) =>
    `// ${CONSTANT_ARRAYS[at]?.[0]}\nmodule ${prefix}_${at}(${inputs}, output [15:0] q); ${text}\nendmodule\n`;
  const all = (prefix: string) =>
    `module ${prefix}(${inputs}, output [${16 * CONSTANT_ARRAYS.length - 1}:0] q);\n${CONSTANT_ARRAYS.map(
      (_, at) => `${prefix}_${at} u${at}(i, q[${16 * at} +: 16]);\n`,
    ).join('')}endmodule\n`;
  const made = CONSTANT_ARRAYS.map(([, declared, read], at) =>
    part('made', at, `${declared}\nassign q = ${read};`),
  );
  const meant = CONSTANT_ARRAYS.map(([, , , value], at) =>
    part('meant', at, `wire [1:0] i01 = i[1:0] + i[3:2];\nassign q = ${value};`),
  );
  await provesSame(made.join('') + all('made'), meant.join('') + all('meant'));
});

test('a parameter’s type works in ports and constants', async () => {
  await provesSame(
    `module made #(parameter type t = logic signed [7:0], localparam t LOW = -3) (input t a, output t q, output logic s);
  assign q = a + LOW, s = a < LOW;
endmodule
`,
    'module meant(input signed [7:0] a, output [7:0] q, output s); assign q = a - 3, s = a < -3; endmodule\n',
  );
});

test.each([
  [
    'arrays of constants in a package and in the head of a module',
    slave(
      `  import p::*;
  wire [7:0] q;
  for (genvar g = 0; g < 2; g++) begin : l
    if (A[g] == 2) begin : two part #(.N(2)) u(.i(wb_adr[0]), .q(q[3:0])); end
  end
  assign wb_dat_r = q[3:0] + A[wb_adr[1]] + B;`,
      `package p; localparam N = 2; localparam logic [7:0] A [N] = '{1, 2}; localparam logic [7:0] B = A[1]; endpackage
module part #(parameter N = 2, parameter logic [3:0] V [N] = '{default: 4'd1}, parameter int W = 4) (input i, output [W-1:0] q);
  assign q = V[i];
endmodule
`,
    ),
  ],
  [
    'packages that re-export others',
    slave(
      "  word_t r; always_ff @(posedge wb_clk) if (wb_rst) r <= RESET; else r <= word_t'(wb_dat_w); assign wb_dat_r = r;",
      `package base; typedef logic [15:0] word_t; endpackage
package regs; import base::*; export base::*; localparam word_t RESET = 5; endpackage
import regs::*;
`,
    ),
  ],
])('reads a design: %s', async (_, text) => {
  const { matched, diagnostics } = await scanText(text, 'design.sv');
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched?.module).toBe('slave');
});
