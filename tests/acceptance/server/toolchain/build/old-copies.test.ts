import { describe, expect, test } from 'vitest';
import type { Language } from '../../../../../server/contract/designs/uploads.ts';
import { findOldCopies } from '../../../../../server/toolchain/intake/old-copies.ts';
import { languageOfName } from '../../../../../server/toolchain/languages/language.ts';
import { scan, withProjects } from '../../../../support/toolchain/build/projects.ts';
import { hasGhdl } from '../../../../support/toolchain/simulate.ts';

withProjects();

const slave = (read: string, ports = '') => `module gpio (input clk, rst, wb_cyc, wb_stb, wb_we${ports},
  input [3:0] wb_adr, input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  assign wb_ack = wb_cyc & wb_stb;
  assign wb_dat_r = ${read};
endmodule
`;
const vhdlSlave = (read: string, port: string) => `library ieee; use ieee.std_logic_1164.all;
entity gpio is port (clk, rst, wb_cyc, wb_stb, wb_we, ${port} : in std_logic; wb_adr : in std_logic_vector(3 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic); end entity;
architecture rtl of gpio is begin wb_ack <= wb_cyc and wb_stb; wb_dat_r <= ${read}; end architecture;
`;

describe('an older copy of a source', () => {
  test('is ignored, with a warning in it', async () => {
    const { matched, diagnostics } = await scan({
      'gpio.v': slave('32'),
      'backup/gpio.v': slave('31', ', old'),
      'gpio - Copy (2).v': slave('oops +'),
    });
    expect(matched).toMatchObject({ module: 'gpio', file: 'gpio.v' });
    expect(diagnostics).toMatchObject([
      {
        severity: 'warning',
        file: 'backup/gpio.v',
        line: 1,
        message: expect.stringContaining('and gpio.v also has gpio'),
      },
      { severity: 'warning', file: 'gpio_-_Copy__2_.v' },
    ]);
  });

  test.skipIf(!hasGhdl)('is ignored in VHDL, where the last source read wins', async () => {
    const { matched, modules, diagnostics } = await scan({
      'gpio.vhd': vhdlSlave('wb_dat_w', 'irq_in'),
      'old/gpio.vhd': vhdlSlave('(others => old)', 'old'),
    });
    expect(modules.flatMap(({ ports }) => ports.map(({ name }) => name))).not.toContain('old');
    expect(matched?.module).toBe('gpio');
    expect(diagnostics).toMatchObject([{ severity: 'warning', file: 'old/gpio.vhd' }]);
  });

  test.skipIf(!hasGhdl)('in VHDL ambiguous copies cause a warning and the later one is used', async () => {
    const { diagnostics, log } = await scan({
      'a/gpio.vhd': vhdlSlave('wb_dat_w', 'irq_in'),
      'b/gpio.vhd': vhdlSlave('(others => old)', 'old'),
    });
    const message = 'entity gpio is also in a/gpio.vhd, but this one is used: remove one of the two';
    expect(diagnostics).toMatchObject([{ severity: 'warning', file: 'b/gpio.vhd', message }]);
    expect(log).toContain(`warning: b/gpio.vhd:1: ${message}`);
  });

  test('ambiguous copies in Verilog are an error that names both', async () => {
    const { matched, diagnostics } = await scan({ 'a/gpio.v': slave('1'), 'b/gpio.v': slave('2') });
    expect(matched).toBeNull();
    expect(diagnostics).toMatchObject([
      {
        severity: 'error',
        file: 'b/gpio.v',
        message: expect.stringContaining("duplicate definition of 'gpio'"),
        notes: [{ file: 'a/gpio.v', message: 'previous definition here' }],
      },
    ]);
  });
});

const read = (files: Record<string, string>) =>
  findOldCopies(
    Object.entries(files).map(([path, text]) => ({
      path,
      text,
      language: languageOfName(path) as Language,
    })),
  ).map(({ path }) => path);

test('a source with a module, package or macro of its own is read under any file name', () => {
  const m = (name: string) => `module ${name}; endmodule\n`;
  expect(read({ 'a.v': m('a'), 'a_old.v': m('a') })).toEqual(['a_old.v']);
  expect(read({ 'a.v': m('a'), 'a_old.v': m('a') + m('b') })).toEqual([]);
  expect(read({ 'a.v': m('a'), 'a_old.v': `\`define WIDTH 3\n${m('a')}` })).toEqual([]);
  expect(read({ 'old/a.v': m('a'), 'old/b.v': m('a') })).toEqual([]);
  expect(read({ 'a.v': m('a'), 'old/top.v': m('top') })).toEqual([]);
  expect(read({ 'a.vhd': 'entity a is end entity;', 'legacy/a.v': m('a') })).toEqual([]);
  // A part of a name is not a word.
  expect(
    read({ 'a.v': m('a'), 'threshold.v': m('a'), 'goldens/a.v': m('a'), 'photocopy.v': m('a') }),
  ).toEqual([]);
  for (const name of [
    'a.bak.v',
    'a_copy2.v',
    'a_-_Kopie.v',
    'a__1_.v',
    '_old/a.v',
    'rtl/archive/a.v',
    'a-orig.sv',
  ])
    expect(read({ 'rtl/a.v': m('a'), [name]: m('a') })).toEqual([name]);
});
