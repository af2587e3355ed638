import { describe, expect, test } from 'vitest';
import { isSynthesised, scan, withProjects } from '../../../../support/toolchain/build/projects.ts';
import { hasGhdl } from '../../../../support/toolchain/simulate.ts';

withProjects();

const BUS = `input clk_i, input [3:2] wb_adr_i, input [31:0] wb_dat_i, output [31:0] wb_dat_o,
  input wb_we_i, wb_stb_i, wb_cyc_i, output wb_ack_o`;

/** A slave in Verilog with a part that is elsewhere. */
const slave = (part = 'Adder part') => `module top(${BUS});
reg [31:0] x = 0;
wire [7:0] q;
${part}(.Clk(clk_i), .A(x[7:0]), .B(x[15:8]), .Q(q));
always @(posedge clk_i) if (wb_stb_i & wb_cyc_i & wb_we_i) x <= wb_dat_i;
assign wb_ack_o = wb_stb_i & wb_cyc_i, wb_dat_o = wb_adr_i == 1 ? q : x;
endmodule
`;
const ADDER = `module Adder #(parameter STEP = 8) (input Clk, input [7:0] A, B, output reg [7:0] Q);
always @(posedge Clk) Q <= A + B + STEP;
endmodule
`;

/** The same two in VHDL. */
const vhdlSlave = (part = 'Adder') => `library ieee; use ieee.std_logic_1164.all;
entity top is port (clk_i : in std_logic; wb_adr_i : in std_logic_vector(3 downto 2);
  wb_dat_i : in std_logic_vector(31 downto 0); wb_dat_o : out std_logic_vector(31 downto 0);
  wb_we_i, wb_stb_i, wb_cyc_i : in std_logic; wb_ack_o : out std_logic); end entity;
architecture rtl of top is
  component Adder is generic (STEP : integer := 8);
    port (Clk : in std_logic; A, B : in std_logic_vector(7 downto 0); Q : out std_logic_vector(7 downto 0)); end component;
  signal x : std_logic_vector(31 downto 0) := (others => '0');
  signal q : std_logic_vector(7 downto 0);
begin
  part : ${part} generic map (STEP => 4) port map (Clk => clk_i, A => x(7 downto 0), B => x(15 downto 8), Q => q);
  process (clk_i) begin
    if rising_edge(clk_i) then if (wb_stb_i and wb_cyc_i and wb_we_i) = '1' then x <= wb_dat_i; end if; end if;
  end process;
  wb_ack_o <= wb_stb_i and wb_cyc_i;
  wb_dat_o <= x"000000" & q when wb_adr_i = "01" else x;
end architecture;
`;
const vhdlAdder = (begin = 'begin') => `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity Adder is generic (STEP : integer := 8);
  port (Clk : in std_logic; A, B : in std_logic_vector(7 downto 0); Q : out std_logic_vector(7 downto 0)); end entity;
architecture rtl of Adder is ${begin}
  process (Clk) begin if rising_edge(Clk) then Q <= std_logic_vector(unsigned(A) + unsigned(B) + STEP); end if; end process;
end architecture;
`;

const errorsOf = (found: Awaited<ReturnType<typeof scan>>) =>
  found.diagnostics.filter(({ severity }) => severity === 'error');

describe.skipIf(!hasGhdl)('a project in Verilog and VHDL', () => {
  test('may have its slave in Verilog and a part in VHDL', async () => {
    await isSynthesised({ 'rtl/top.v': slave(), 'rtl/adder.vhd': vhdlAdder() });
  });

  test('may have its slave in VHDL and a part in Verilog, with its parameters', async () => {
    await isSynthesised({ 'rtl/top.vhd': vhdlSlave(), 'rtl/adder.v': ADDER });
    const { diagnostics, matched } = await scan({ 'rtl/top.vhd': vhdlSlave(), 'rtl/adder.v': ADDER });
    expect(diagnostics).toEqual([]);
    expect(matched?.addressing).toBe('word');
  });

  test('uses the Verilog source of a module that exists in both languages', async () => {
    const found = await scan({
      'verilog/top.v': slave(),
      'verilog/adder.v': ADDER,
      'vhdl/top.vhd': vhdlSlave().replace('3 downto 2', '7 downto 2'),
      'vhdl/adder.vhd': vhdlAdder(),
    });
    expect(errorsOf(found)).toEqual([]);
    expect(found.log).toContain('the address is declared [3:2]');
  });

  test('reads no VHDL if no module uses it', async () => {
    const other = vhdlAdder('begn').replaceAll('Adder', 'Other');
    const found = await scan({ 'top.v': slave(), 'adder.v': ADDER, 'other.vhd': other });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: the VHDL sources are not read, because the Verilog');
  });

  test('ignores broken VHDL that the slave does not need', async () => {
    const other = vhdlAdder('begn').replaceAll('Adder', 'Other');
    const more = `module more(input clk); Other part(.Clk(clk)); endmodule\n`;
    const found = await scan({ 'top.v': slave(), 'adder.v': ADDER + more, 'other.vhd': other });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toMatch(/note: the VHDL sources are not read: other\.vhd:4: a `begin` is missing/);
    expect(found.log).not.toContain('error:');
  });

  test('ignores broken Verilog that the slave does not need', async () => {
    const files = { 'top.vhd': vhdlSlave(), 'adder.v': ADDER };
    const found = await scan({
      ...files,
      'more.v': 'module more(input clk);\nalway @(posedge clk);\nendmodule\n',
    });
    expect(found.matched?.module).toBe('top');
    expect(found.diagnostics).toMatchObject([
      {
        severity: 'warning',
        file: 'more.v',
        message: expect.stringMatching(/^this file is excluded, because top does not need it: /),
      },
    ]);
    const needed = await scan({ ...files, 'adder.v': ADDER.replace('always', 'alway') });
    expect(needed.matched).toBeNull();
    expect(errorsOf(needed)).toMatchObject([{ file: 'adder.v', line: 2 }]);
  });

  test('reads no Verilog if the chosen entity needs none', async () => {
    const own = vhdlSlave('entity work.Own');
    const files = {
      'top.vhd': own,
      'own.vhd': vhdlAdder().replaceAll('Adder', 'Own'),
      'adder.v': '`include "nowhere.v"\n',
    };
    const found = await scan(files, 'top');
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: top does not need adder.v: not read');
  });

  test('is rejected for an error in the VHDL that the slave needs', async () => {
    const found = await scan({ 'top.v': slave(), 'adder.vhd': vhdlAdder('begn') });
    expect(errorsOf(found)).toMatchObject([
      {
        file: 'top.v',
        line: 5,
        message: expect.stringMatching(
          /^unknown module 'Adder': it is VHDL \(adder\.vhd\), which could not be read: adder\.vhd:4: a `begin`/,
        ),
      },
    ]);
  });

  test('is rejected if Verilog sets a VHDL generic or VHDL names a module as an entity', async () => {
    const set = await scan({ 'top.v': slave('Adder #(.STEP(3)) part'), 'adder.vhd': vhdlAdder() });
    expect(errorsOf(set)).toMatchObject([
      { file: 'top.v', line: 5, message: expect.stringContaining('sets STEP, but Adder is VHDL') },
    ]);
    const named = await scan({ 'top.vhd': vhdlSlave('entity work.Adder'), 'adder.v': ADDER });
    expect(named.matched).toBeNull();
    expect(errorsOf(named)).toMatchObject([
      {
        file: 'top.vhd',
        line: 11,
        message: expect.stringMatching(
          /^`adder` is a Verilog module \(adder\.v\): declare it as a `component`/,
        ),
      },
    ]);
  });

  test('is rejected for a name in another module, which Yosys would read as a new wire', async () => {
    const inner = 'module Inner(input Clk);\nreg k = 0;\nalways @(posedge Clk) k <= !k;\nendmodule\n';
    const adder = ADDER.replace('always', 'Inner inner(Clk); always').replace('STEP;', 'inner.k;');
    const found = await scan({ 'top.vhd': vhdlSlave(), 'adder.v': adder + inner });
    expect(found.matched).toBeNull();
    expect(errorsOf(found)).toMatchObject([
      {
        file: 'adder.v',
        line: 2,
        message: expect.stringMatching(/implicitly declared.*: connect it through ports$/),
      },
    ]);
  });

  test('ignores a testbench in the other language', async () => {
    const bench =
      'library ieee;\nentity tb is end entity;\narchitecture sim of tb is begin oops end architecture;\n';
    const found = await scan({ 'top.v': slave(), 'adder.v': ADDER, 'sim/tb.vhd': bench });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: sim/tb.vhd is a testbench and is not read');
  });
});

test('reports an unknown parameter at its instance', async () => {
  const found = await scan({ 'top.v': slave('Adder #(.STEPS(3)) part'), 'adder.v': ADDER });
  expect(errorsOf(found)).toMatchObject([
    {
      file: 'top.v',
      line: 5,
      message: expect.stringMatching(/^parameter 'STEPS' does not exist in 'Adder'/),
    },
  ]);
});
