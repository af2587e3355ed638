import { describe, expect, test } from 'vitest';
import { ownNames } from '../../../../../server/toolchain/frontends/vhdl/ghdl-modules.ts';
import { isSynthesised, scan, withProjects } from '../../../../support/toolchain/build/projects.ts';
import { hasGhdl } from '../../../../support/toolchain/simulate.ts';

withProjects();

describe.skipIf(!hasGhdl)('a project in VHDL', () => {
  const files = (register: string) => ({
    'a_top.vhd': `library ieee; use ieee.std_logic_1164.all; use work.z_words.all;
entity top is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(1 downto 0);
  wb_dat_w : in word; wb_dat_r : out word; wb_ack : out std_logic); end entity;
architecture rtl of top is begin
  wb_ack <= wb_cyc and wb_stb;
  r : entity work.b_register port map (clk => clk, load => wb_cyc and wb_stb and wb_we, d => wb_dat_w, q => wb_dat_r);
end architecture;
`,
    'rtl/b_register.vhd': register,
    'rtl/z_words.vhd': `library ieee; use ieee.std_logic_1164.all;
package z_words is subtype word is std_logic_vector(31 downto 0); end package;
`,
  });
  const REGISTER = `library ieee; use ieee.std_logic_1164.all; use work.z_words.all;
entity b_register is port (clk, load : in std_logic; d : in word; q : out word); end entity;
architecture rtl of b_register is begin
  process (clk) begin
    if rising_edge(clk) then if load = '1' then q <= d; end if; end if;
  end process;
end architecture;
`;

  test('is read in the order that its units need, and synthesised', async () => {
    await isSynthesised(files(REGISTER));
  });

  test('ignores a testbench, and builds an entity that needs generics only within others', async () => {
    const generic = REGISTER.replace('port (', 'generic (START : natural; STEP : natural := 1); port (');
    const found = await scan({
      ...files(generic),
      'a_top.vhd': files('')['a_top.vhd'].replace('port map', 'generic map (START => 3) port map'),
      'sim/tb.vhd': `library ieee; use ieee.std_logic_1164.all;
entity tb is end entity;
architecture sim of tb is signal clk : std_logic := '0'; begin
  clk <= not clk after 5 ns
  oops
end architecture;
`,
    });
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: sim/tb.vhd is a testbench and is not read');
    expect(found.log).toContain(
      'note: b_register can only be built as part of another entity: a generic has no default',
    );
  });

  test('may write the ports of a component in any case', async () => {
    const top = files('')
      ['a_top.vhd'].replace(
        'architecture rtl of top is begin',
        `architecture rtl of top is
  component B_Register is port (CLK, Load : in std_logic; D : in word; Q : out word); end component;
begin`,
      )
      .replace('entity work.b_register', 'B_Register');
    const register = REGISTER.replace(
      'clk, load : in std_logic; d : in word; q',
      'Clk, LOAD : in std_logic; D : in word; Q',
    );
    await isSynthesised({ ...files(register), 'a_top.vhd': top });
  });

  test('may be in a library of its own name', async () => {
    const named = Object.fromEntries(
      Object.entries(files(REGISTER)).map(([path, text]) => [
        path,
        `library own;\n${text.replaceAll('work.', 'own.').replaceAll('library ieee;', 'library ieee, OWN;')}`,
      ]),
    );
    expect((await scan(named)).matched?.module).toBe('top');
  });

  test('may be in several libraries, and use those of FPGA vendors', async () => {
    const found = await scan({
      'a_top.vhd': `library base, ieee_proposed;\nlibrary UNISIM;\nuse UNISIM.vcomponents.all; use ieee_proposed.fixed_pkg.all;\n${files('')['a_top.vhd'].replace('work.z', 'base.z').replace('entity work.b', 'entity parts.b')}`,
      'parts/b_register.vhd': `library BASE, parts;\n${REGISTER.replace('work.z', 'Base . z')}`,
      'base/z_words.vhd': files('')['rtl/z_words.vhd'],
    });
    expect(found.diagnostics).toEqual([]);
    expect(found.matched?.module).toBe('top');
    expect(found.log).toContain('note: unisim: the bench does not have this library');
  });

  test.each([
    [
      'unisim.vcomponents',
      'BUFG',
      '`bufg` is a cell of Xilinx FPGAs, which this board does not have: write an entity',
    ],
    ['ice40.components', 'SB_GB', '`sb_gb` is a cell of the iCE40, which needs a `component` declaration'],
  ])('a cell of the library %s is reported as a vendor’s cell', async (name, cell, said) => {
    const top = files('')['a_top.vhd'].replace('  r :', `  c : ${cell} port map (clk, wb_ack);\n  r :`);
    const { matched, diagnostics } = await scan({
      ...files(REGISTER),
      'a_top.vhd': `library ${name.split('.')[0]};\nuse ${name}.all;\n${top}`,
    });
    expect(matched).toBeNull();
    expect(diagnostics[0]).toMatchObject({ file: 'a_top.vhd', line: 8 });
    expect(diagnostics[0]?.message).toContain(said);
  });

  test('may use the packages of Synopsys and shared variables of VHDL-93', async () => {
    const old = REGISTER.replace(
      'use work.z_words.all;',
      'use ieee.std_logic_arith.all; use ieee.std_logic_unsigned.all; use work.z_words.all;',
    )
      .replace('begin\n  process', "  shared variable v : word := (others => '0');\nbegin\n  process")
      .replace('q <= d;', "v := d + '1'; q <= v;");
    expect((await scan(files(old))).matched?.module).toBe('top');
  });

  test('a slave within another is not a second candidate, even with generics', async () => {
    const slave = (
      name: string,
      generics: string,
      body: string,
    ) => `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity ${name} is ${generics} port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(1 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic); end entity;
architecture rtl of ${name} is begin
${body}
end architecture;
`;
    const found = await scan({
      'z_inner.vhd': slave(
        'Inner',
        'generic (SIZE : natural := 4);',
        '  wb_ack <= wb_cyc and wb_stb;\n  wb_dat_r <= std_logic_vector(to_unsigned(SIZE, 32));',
      ),
      'a_outer.vhd': slave(
        'Outer',
        '',
        `  i : entity work.Inner generic map (SIZE => 7) port map (clk, rst, wb_cyc, wb_stb, wb_we, wb_adr, wb_dat_w, wb_dat_r, wb_ack);`,
      ),
    });
    expect(found.diagnostics).toEqual([]);
    expect(found.matched?.module).toBe('Outer');
    // An entity by itself has its own name, without the values of its generics.
    expect(found.modules.map(({ name }) => name).sort()).toEqual(['Outer', 'inner']);
  });

  test('a slave in capitals that another one instantiates as a component is listed once', async () => {
    const ports =
      'clk, wb_cyc, wb_stb : in std_logic; wb_dat_r : out std_logic_vector(7 downto 0); wb_ack : out std_logic';
    const found = await scan({
      'all.vhd': `library ieee; use ieee.std_logic_1164.all;
entity ALL_OF_IT is port (clk : in std_logic; x : out std_logic); end entity;
architecture rtl of ALL_OF_IT is
  component MEM is port (${ports}); end component;
begin
  m : MEM port map (clk, '1', '1', open, x);
end architecture;
`,
      'mem.vhd': `library ieee; use ieee.std_logic_1164.all;
entity MEM is port (${ports}); end entity;
architecture rtl of MEM is begin wb_ack <= wb_cyc and wb_stb; wb_dat_r <= x"5a"; end architecture;
`,
    });
    expect(found.matched?.module).toBe('mem');
    expect(found.modules.map(({ name }) => name).sort()).toEqual(['ALL_OF_IT', 'mem']);
  });
});

test('a single variant takes the name of its entity, but never the name of another entity', () => {
  const named = ownNames(['top', 'mail_4', 'a_1', 'a_1_9'], ['top', 'mail', 'a', 'a_1']);
  expect([...named]).toEqual([['mail_4', 'mail']]);
  expect([...ownNames(['fifo_8', 'fifo_16'], ['fifo'])]).toEqual([]);
});
