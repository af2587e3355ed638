import { expect, test } from 'vitest';
import { provesDesign } from '../../../../../support/toolchain/frontends/same-circuit.ts';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

/** Proves that a slave is read by slang, without a word, as another text in plain Verilog means it. */
async function means(body: string, plain: string): Promise<void> {
  const { source, diagnostics } = await scanText(slave(body));
  expect(diagnostics).toEqual([]);
  await provesDesign(source, ['slave', 'meant'], slave(plain).replace('slave', 'meant'));
}

/** Case labels with their values. */
const LABELS: [label: string, value: number][] = [
  ["A + 1'b1", 4],
  ["4'd8 + 4'd9", 17],
  ['A << 1', 6],
  ["1'b1 << 3", 8],
  ["~4'd0", 31],
  ['-A', 29],
  ["(A + 2'd1)", 4],
  ['A', 3],
  ["{A, 1'b1}", 7],
];

test('a case label has the width of the comparison', () =>
  means(
    `  localparam [1:0] A = 3; reg [${LABELS.length - 1}:0] y;
${LABELS.map(([label], at) => `  always @* case (wb_dat_w[4:0]) ${label}: y[${at}] = 1; default: y[${at}] = 0; endcase`).join('\n')}
  assign wb_dat_r = y;`,
    `  wire [${LABELS.length - 1}:0] y;
${LABELS.map(([, value], at) => `  assign y[${at}] = wb_dat_w[4:0] == ${value};`).join('\n')}
  assign wb_dat_r = y;`,
  ));

test('so has one of several labels, after nested case statements', () =>
  means(
    `  localparam [1:0] A = 3; reg [3:0] y;
  always @* case (wb_dat_w[4:0])
    0, 1: y = 1;
    2: begin case (wb_we) 1: y = 2; default: y = 3; endcase end
    5, A + 2'd3: y = 4;
    default: y = 0;
  endcase
  assign wb_dat_r = y;`,
    '  assign wb_dat_r = wb_dat_w[4:0] < 2 ? 1 : wb_dat_w[4:0] == 2 ? (wb_we ? 2 : 3) : wb_dat_w[4:0] == 5 || wb_dat_w[4:0] == 6 ? 4 : 0;',
  ));

test('an argument has the width of its parameter', () =>
  means(
    `  localparam [1:0] A = 3;
  function [4:0] f(input [4:0] q); f = q; endfunction
  assign wb_dat_r = f(A + 1'b1) + f(wb_dat_w[1:0] + A);`,
    "  wire [4:0] sum = wb_dat_w[1:0] + 5'd3; assign wb_dat_r = 4 + sum;",
  ));

test('a part-select that starts below bit 0 assigns the bits above it', () => {
  const bits = [0, 1, 2, 3, 4].map(
    (at) => `wb_adr[2:0] == ${at} ? wb_dat_w[1] : wb_adr[2:0] == ${at + 1} ? wb_dat_w[0] : 1'b0`,
  );
  return means(
    '  reg [4:0] y;\n  always @* begin\n    y = 0;\n    y[wb_adr[2:0] -: 2] = wb_dat_w;\n  end\n  assign wb_dat_r = y;',
    `  assign wb_dat_r = {${bits.reverse().join(', ')}};`,
  );
});

test('non-constant case labels', () =>
  means(
    `  localparam [1:0] A = 3; reg [3:0] y;
  always @* case (1'b1)
    wb_dat_w[0] & wb_dat_w[1], !wb_we: y = 1;
    wb_adr[0]: y = 2;
    default: y = 0;
  endcase
  assign wb_dat_r = y;`,
    '  assign wb_dat_r = wb_dat_w[0] & wb_dat_w[1] | !wb_we ? 1 : wb_adr[0] ? 2 : 0;',
  ));
