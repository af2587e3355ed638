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
