import { afterAll, describe, expect, test } from 'vitest';
import { freshToolchain, record, requestOf } from '../../../../support/toolchain/build/support.ts';
import { hasGhdl } from '../../../../support/toolchain/simulate.ts';
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
  ['reset', true, `always @(posedge clk or negedge reset) if (!reset) wb_dat_o <= 0; else ${WRITE}`],
  ['rst_n', true, `always @(posedge clk) if (rst_n) ${WRITE}`],
  ['rst_n', false, `always @(posedge clk or posedge rst_n) if (rst_n) wb_dat_o <= 0; else ${WRITE}`],
])('%s is active low: %s, in %s', async (reset, isLow, logic) => {
  expect(await levelOf(reset, logic)).toEqual([reset, isLow]);
});

describe.skipIf(!hasGhdl)('in VHDL a generic has the level of the reset', () => {
  const { toolchain, dispose } = freshToolchain();
  afterAll(dispose);

  const source = (logic: string, level: number) => `library ieee;
use ieee.std_logic_1164.all;
entity slave is
  generic (LEVEL : std_logic := '${level}');
  port (clk, reset, wb_stb, wb_we : in std_logic; wb_dat_i : in std_logic_vector(7 downto 0);
    wb_dat_o : out std_logic_vector(7 downto 0); wb_ack : out std_logic);
end entity;
architecture rtl of slave is
  signal r : std_logic;
begin
  wb_ack <= wb_stb;
  ${logic}
end architecture;
`;
  const clear = (test: string) => `if ${test} then wb_dat_o <= x"55";`;
  const write = "if wb_we = '1' then wb_dat_o <= wb_dat_i; end if; end if; end process;";
  const atOnce = (test: string) =>
    `process (clk, reset, r) begin ${clear(test)} elsif rising_edge(clk) then ${write}`;
  const clocked = (test: string) =>
    `process (clk) begin if rising_edge(clk) then ${clear(test)} else ${write.replace('end if; end process', 'end if; end if; end process')}`;

  test.each([
    ['r <= reset xor LEVEL;', atOnce("r = '0'"), true],
    ['r <= LEVEL xnor reset;', atOnce("r = '1'"), true],
    ['r <= reset;', atOnce('r = LEVEL'), true],
    ['', clocked('reset = LEVEL'), true],
    ['', clocked('LEVEL /= reset'), false],
    ['', atOnce('reset = LEVEL'), true],
  ])('%s %s: low at level 0 is %s', async (assigned, logic, isLowAtZero) => {
    const found = [];
    for (const level of [0, 1]) {
      const request = requestOf(source(`${assigned} ${logic}`, level), 'slave.vhd');
      const { matched } = await toolchain.scan(request, record());
      found.push(matched && [matched.roles['rst'], matched.resetActiveLow]);
    }
    expect(found).toEqual([
      ['reset', isLowAtZero],
      ['reset', !isLowAtZero],
    ]);
  });
});
