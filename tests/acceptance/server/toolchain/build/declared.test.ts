import { describe, expect, test } from 'vitest';
import { scan, withProjects } from '../../../../support/toolchain/build/projects.ts';
import { hasGhdl } from '../../../../support/toolchain/simulate.ts';

withProjects();

const BUS = `input clk_i, input [3:2] wb_adr_i, input [31:0] wb_dat_i, output [31:0] wb_dat_o,
  input wb_we_i, wb_stb_i, wb_cyc_i, output wb_ack_o`;
const PART = '\nmodule part(input [31:0] a, output [31:0] q);\nassign q = ~a;\nendmodule\n';
const TOP = `// A slave.\nmodule top(${BUS});
part inverts(.a(wb_dat_i), .q(wb_dat_o));
assign wb_ack_o = wb_stb_i & wb_cyc_i;
endmodule
`;

const VHDL = `library ieee;
use ieee.std_logic_1164.all;

entity top is port (clk_i : in std_logic; wb_adr_i : in std_logic_vector(3 downto 2);
  wb_dat_i : in std_logic_vector(31 downto 0); wb_dat_o : out std_logic_vector(31 downto 0);
  wb_we_i, wb_stb_i, wb_cyc_i : in std_logic; wb_ack_o : out std_logic); end entity;
architecture rtl of top is
  component part is port (a : in std_logic_vector(31 downto 0); q : out std_logic_vector(31 downto 0)); end component;
begin
  inverts : part port map (a => wb_dat_i, q => wb_dat_o);
  wb_ack_o <= wb_stb_i and wb_cyc_i;
end architecture;
`;
const VHDL_PART = `library ieee; use ieee.std_logic_1164.all;
entity part is port (a : in std_logic_vector(31 downto 0); q : out std_logic_vector(31 downto 0)); end entity;
architecture rtl of part is begin q <= not a; end architecture;
`;

/** The reported places of a project's module declarations, and its slave. */
async function declared(files: Record<string, string>) {
  const { matched, modules } = await scan(files);
  return {
    slave: matched && [matched.module, matched.file, matched.line],
    modules: Object.fromEntries(modules.map(({ name, file, line }) => [name, [file, line]])),
  };
}

test('reports each module of a project at its declaration', async () => {
  expect(await declared({ 'rtl/part.v': PART, 'rtl/top.v': TOP })).toEqual({
    slave: ['top', 'top.v', 2],
    modules: { top: ['top.v', 2], part: ['part.v', 2] },
  });
});

describe.skipIf(!hasGhdl)('in VHDL', () => {
  test('reports the line of the entity, not that of its translation', async () => {
    expect(await declared({ 'top.vhd': VHDL, 'lib/part.vhd': VHDL_PART })).toEqual({
      slave: ['top', 'top.vhd', 4],
      modules: expect.objectContaining({ top: ['top.vhd', 4], part: ['lib/part.vhd', 2] }),
    });
  });

  test('an address range that starts at bit 2 selects word addressing', async () => {
    const { matched, modules } = await scan({ 'top.vhd': VHDL, 'lib/part.vhd': VHDL_PART });
    expect(modules.find(({ name }) => name === 'top')?.ports).toContainEqual(
      expect.objectContaining({ name: 'wb_adr_i', width: 2, offset: 2 }),
    );
    expect(matched?.addressing).toBe('word');
  });

  test('reports VHDL and Verilog modules each in their own source', async () => {
    expect(await declared({ 'top.vhd': VHDL, 'lib/part.v': PART })).toEqual({
      slave: ['top', 'top.vhd', 4],
      modules: expect.objectContaining({ top: ['top.vhd', 4], part: ['lib/part.v', 2] }),
    });
  });

  test('rejects a module that is not a slave with the line of its entity', async () => {
    const { diagnostics } = await scan({
      'a.vhd': VHDL_PART,
      'b.vhd': VHDL_PART.replaceAll('part', 'other'),
    });
    expect(diagnostics.map(({ code, file, line, module }) => [code, file, line, module]).sort()).toEqual([
      ['design_no_slave', 'a.vhd', 2, 'part'],
      ['design_no_slave', 'b.vhd', 2, 'other'],
    ]);
  });
});
