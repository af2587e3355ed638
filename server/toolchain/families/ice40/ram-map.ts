/**
 * The technology map from Yosys's generic `$__ICE40_RAM4K_` to SB_RAM40_4K, as Verilog for `techmap`.
 *
 * Yosys's own map, `ice40/brams_map.v`, moves each of the 4096 initial bits in a loop of a Verilog function. Evaluating
 * the loop takes 0.8 s for each different content, more than the rest of a small synthesis. Here every bit is named and
 * nothing is evaluated: 30 ms. Source of the order of bits: project IceStorm, "RAM Tile" documentation.
 */

/** Reverses the lowest `bits` bits of `value`. */
function reversed(value: number, bits: number): number {
  let result = 0;
  for (let i = 0; i < bits; i++) if (value & (1 << i)) result |= 1 << (bits - 1 - i);
  return result;
}

/** Lane of bit `i` of a port in the 16 bits of the block. */
const lane = (i: number, width: number): number => {
  const bits = Math.log2(width);
  const first = { 16: 0, 8: 0, 4: 1, 2: 3 }[width] ?? 0;
  return reversed(i, bits) * (16 / width) + first;
};

/** Place of a bit of a generic memory in a block RAM: its INIT parameter, and the bit in it. */
export const ramBit = (n: number): { slice: number; at: number } => ({
  slice: n >> 8,
  at: (n & 0xf0) | reversed(n & 15, 4),
});

const descending = (count: number) => Array.from({ length: count }, (_, i) => count - 1 - i);

const SLICES = descending(16).reverse();
const hex = (slice: number) => slice.toString(16).toUpperCase();

/** Initial contents: bit i of slice s is bit {s, i[7:4], i[0], i[1], i[2], i[3]} of INIT. */
const initialContents = (): string =>
  SLICES.map((slice) => {
    const bits = descending(256).map((i) => `INIT[${slice * 256 + (i & 0xf0) + reversed(i & 15, 4)}]`);
    return `  localparam [255:0] INIT_${hex(slice)} = {${bits.join(',')}};`;
  }).join('\n');

const WIDTHS = [2, 4, 8, 16];
const lanes = (signal: string, width: number) =>
  `{${descending(width)
    .map((i) => `${signal}[${lane(i, width)}]`)
    .join(', ')}}`;
const enables = `~{${descending(16)
  .map((i) => `PORT_W_WR_BE[${reversed(i, 4)}]`)
  .join(', ')}}`;
const mode = (width: string) =>
  `(${width} == 16 ? 2'd0 : ${width} == 8 ? 2'd1 : ${width} == 4 ? 2'd2 : 2'd3)`;

/** One instance for each pair of clock edges; N stands for a falling edge. */
function instance(readFalling: boolean, writeFalling: boolean): string {
  const type = `SB_RAM40_4K${readFalling ? 'NR' : ''}${writeFalling ? 'NW' : ''}`;
  return `
    if (PORT_R_CLK_POL == ${readFalling ? 0 : 1} && PORT_W_CLK_POL == ${writeFalling ? 0 : 1})
      ${type} #(
        ${SLICES.map((slice) => `.INIT_${hex(slice)}(INIT_${hex(slice)})`).join(', ')},
        .READ_MODE(${mode('PORT_R_WIDTH')}),
        .WRITE_MODE(${mode('PORT_W_WIDTH')})
      ) _TECHMAP_REPLACE_ (
        .RDATA(rdata), .${readFalling ? 'RCLKN' : 'RCLK'}(PORT_R_CLK), .RCLKE(PORT_R_RD_EN), .RE(1'b1),
        .RADDR({PORT_R_ADDR[0], PORT_R_ADDR[1], PORT_R_ADDR[2], PORT_R_ADDR[10:3]}),
        .WDATA(wdata), .${writeFalling ? 'WCLKN' : 'WCLK'}(PORT_W_CLK), .WCLKE(PORT_W_WR_EN), .WE(1'b1),
        .WADDR({PORT_W_ADDR[0], PORT_W_ADDR[1], PORT_W_ADDR[2], PORT_W_ADDR[10:3]}),
        .MASK(mask)
      );`;
}

const technologyMap = (): string => `
module \\$__ICE40_RAM4K_ (
  input PORT_R_CLK, input PORT_R_RD_EN, input [10:0] PORT_R_ADDR, output [PORT_R_WIDTH-1:0] PORT_R_RD_DATA,
  input PORT_W_CLK, input PORT_W_WR_EN, input [15:0] PORT_W_WR_BE, input [10:0] PORT_W_ADDR,
  input [PORT_W_WIDTH-1:0] PORT_W_WR_DATA
);
  parameter INIT = 0;
  parameter OPTION_HAS_BE = 1;
  parameter PORT_R_WIDTH = 16;
  parameter PORT_W_WIDTH = 16;
  parameter PORT_W_WR_BE_WIDTH = 16;
  parameter PORT_R_CLK_POL = 1;
  parameter PORT_W_CLK_POL = 1;
${initialContents()}
  wire [15:0] rdata, wdata, mask;
  generate
${WIDTHS.map((width) => `    if (PORT_R_WIDTH == ${width}) assign PORT_R_RD_DATA = ${lanes('rdata', width)};`).join('\n')}
${WIDTHS.map((width) => `    if (PORT_W_WIDTH == ${width}) assign ${lanes('wdata', width)} = PORT_W_WR_DATA;`).join('\n')}
    if (PORT_W_WIDTH == 16) assign mask = ${enables};
${[false, true].flatMap((read) => [false, true].map((write) => instance(read, write))).join('\n')}
  endgenerate
endmodule
`;

let map: string | undefined;

/** The map as Verilog, the same for every build. */
export const ice40RamMap = (): string => {
  map ??= technologyMap();
  return map;
};
