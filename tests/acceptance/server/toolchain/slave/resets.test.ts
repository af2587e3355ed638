import { expect, test } from 'vitest';
import { scanText } from '../../../../support/toolchain/support.ts';

const PORTS = `input clk, input wb_stb, wb_cyc, wb_we, input [1:0] wb_adr, input [31:0] wb_dat_i,
  output [31:0] wb_dat_o, output wb_ack`;
const PART = `module part(input clk, r, we, input [31:0] d, output reg [31:0] q);
always @(posedge clk or negedge r) if (!r) q <= 32'h55; else if (we) q <= d;
endmodule
module pair(input clk, r, we, input [31:0] d, output [31:0] q);
wire [31:0] a, b;
part one(clk, r, we, d, a);
part two(clk, r, we, ~d, b);
assign q = a & ~b;
endmodule
`;
const slave = (reset: string) => `module slave(${PORTS}, input ${reset});
pair regs(clk, ${reset}, wb_stb & wb_cyc & wb_we, wb_dat_i, wb_dat_o);
assign wb_ack = wb_stb & wb_cyc;
endmodule
`;

test.each(['reset', 'por'])(
  'the instances below a slave show that its reset %s is active low',
  async (reset) => {
    const { matched } = await scanText(`${PART}${slave(reset)}`);
    expect(matched).toMatchObject({ roles: { clk: 'clk', rst: reset }, resetActiveLow: true, ties: [] });
  },
);

const levelOf = async (declaration: string, logic: string) => {
  const source = `module slave(${PORTS.replace('output [31:0]', 'output reg [31:0]')}, input ${declaration});
${logic}
assign wb_ack = wb_stb & wb_cyc;
endmodule
`;
  const { matched } = await scanText(source);
  return matched && [matched.roles['rst'], matched.resetActiveLow];
};

const WRITE = 'if (wb_we) wb_dat_o <= wb_dat_i;';

test.each([
  ['reset', true, `always @(posedge clk) if (!reset) wb_dat_o <= 32'h55; else ${WRITE}`],
  ['reset', true, `always @(posedge clk) begin ${WRITE} if (reset == 0) wb_dat_o <= 0; end`],
  ['reset', true, `always @(posedge clk) if (reset) begin ${WRITE} end else wb_dat_o <= 0;`],
  ['reset', true, `wire r = ~reset; always @(posedge clk or posedge r) if (r) wb_dat_o <= 0; else ${WRITE}`],
  [
    'reset',
    false,
    `wire r = ~reset; always @(posedge clk or negedge r) if (!r) wb_dat_o <= 0; else ${WRITE}`,
  ],
  ['reset', false, `always @(posedge clk) if (reset) wb_dat_o <= 0; else ${WRITE}`],
  [
    'reset',
    false,
    `reg a, b; always @(posedge clk) begin if (reset) wb_dat_o <= 0; else ${WRITE} if (!reset) a <= 1; if (reset) b <= 0; end`,
  ],
  ['rst_n', true, `always @(posedge clk) if (rst_n) ${WRITE}`],
])('%s is active low: %s, in %s', async (reset, isLow, logic) => {
  expect(await levelOf(reset, logic)).toEqual([reset, isLow]);
});
