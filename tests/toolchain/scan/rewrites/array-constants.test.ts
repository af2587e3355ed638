import { expect, test } from 'vitest';
import { withoutArrayConstants } from '../../../../server/toolchain/scan/rewrites/array-constants.ts';
import { scanText } from '../../support.ts';
import { provesSame } from '../same-circuit.ts';

test.each<[what: string, declared: string, read: string, meant: string]>([
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
  [
    'of which bits are read',
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
])('a constant that is an array %s', async (_, declared, read, meant) => {
  const made = `module made(input [15:0] i, output [15:0] q);\n${declared}\nassign q = ${read};\nendmodule\n`;
  expect(withoutArrayConstants([made])[0]?.split('\n')).toHaveLength(made.split('\n').length);
  await provesSame(
    made,
    `module meant(input [15:0] i, output [15:0] q); wire [1:0] i01 = i[1:0] + i[3:2];\nassign q = ${meant};\nendmodule\n`,
  );
});

test('a package and a head of a module may have them, and other constants be made of them', async () => {
  const { matched, diagnostics } = await scanText(
    `package p; localparam N = 2; localparam logic [7:0] A [N] = '{1, 2}; localparam logic [7:0] B = A[1]; endpackage
module part #(parameter logic [3:0] V [2] = '{4'd1, 4'd2}, parameter int W = 4) (input i, output [W-1:0] q);
  assign q = V[i];
endmodule
module slave(input wb_clk, wb_rst, wb_cyc, wb_stb, wb_we, input [21:0] wb_adr, input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  import p::*;
  wire [7:0] q;
  for (genvar g = 0; g < 2; g++) begin : l
    if (A[g] == 2) begin : two part u(.i(wb_adr[0]), .q(q[3:0])); end
  end
  assign wb_dat_r = q[3:0] + A[wb_adr[1]] + B, wb_ack = wb_stb;
endmodule
`,
    'design.sv',
  );
  expect(diagnostics).toEqual([]);
  expect(matched?.module).toBe('slave');
});

const ARRAY = "localparam int A [2] = '{1, 2};";
test.each([
  ['with another number of values', "module m; localparam int A [3] = '{1, 2}; endmodule"],
  [
    'of a size that an instance may change',
    "module m #(parameter N = 2); localparam int A [N] = '{1, 2}; endmodule",
  ],
  ['that is read as a whole', `module m; ${ARRAY} part u(.a(A)); endmodule`],
  ['of which some values are read', `module m; ${ARRAY} assign q = A[0:1]; endmodule`],
  ['of a type that is not known', "module m; localparam t A [2] = '{1, 2}; endmodule"],
  ['with values at their places', "module m; localparam int A [2] = '{1: 1, default: 2}; endmodule"],
  [
    'of which a function has another of that name',
    `module m; ${ARRAY} function f(input [1:0] A); endfunction endmodule`,
  ],
  [
    'that an instance sets',
    "module m #(parameter int A [2] = '{1, 2}) (); endmodule module n; m #(.A(b)) u(); endmodule",
  ],
  ['in the middle of a text', "module m; localparam int A [2] = '{1, 2"],
])('one %s stays', (_, text) => {
  expect(withoutArrayConstants([text])).toEqual([text]);
});
