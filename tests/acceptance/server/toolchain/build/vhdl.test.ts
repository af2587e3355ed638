import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../server/clock.ts';
import { findGhdl } from '../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
} from '../../../../support/toolchain/build/support.ts';

const ghdl = await findGhdl(systemClock);
if (!ghdl) process.stderr.write('GHDL is not installed: the builds from VHDL are not tested\n');

describe.skipIf(!ghdl)('a design in VHDL', () => {
  const { toolchain, dispose } = freshToolchain();
  afterAll(dispose);

  test('is read by GHDL and built, and its entity is the slave', async () => {
    const context = record();
    const { report } = await toolchain.build(requestOf(example('stopwatch.vhd'), 'stopwatch.vhd'), context);
    expect(report.design.module).toBe('stopwatch');
    expect(report.versions['ghdl']).toMatch(/^GHDL \d/);
    expect(context.text()).toMatch(/GHDL .*: reading stopwatch\.vhd/);
    // GHDL 2 makes latches of `when others`.
    expect(context.text()).not.toMatch(/warning: .*latch/);
  });

  test('may have a name in capitals, and a case whose last branch GHDL 2 omits', async () => {
    const source = example('stopwatch.vhd').replaceAll('stopwatch', 'StopWatch');
    const context = record();
    const { matched, modules } = await toolchain.scan(requestOf(source, 'watch.vhd'), context);
    expect(matched?.module).toBe('StopWatch');
    expect(modules.map(({ name }) => name)).toEqual(['StopWatch']);
  });

  /** A memory of words of 32 bits, written at once or byte by byte in an array of each. */
  const memory = (bits: number, lanes: boolean) => `library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
entity memory is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(${bits - 1} downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic);
end entity;
architecture rtl of memory is
  type Lane is array (0 to ${2 ** bits - 1}) of std_logic_vector(${lanes ? 7 : 31} downto 0);
  type Lanes is array (0 to 3) of Lane;
  signal Words : ${lanes ? 'Lanes' : 'Lane'};
begin
  process (clk)
    variable at : integer range 0 to ${2 ** bits - 1};
  begin
    if rising_edge(clk) then
      at := to_integer(unsigned(wb_adr));
${
  lanes
    ? `      for i in 0 to 3 loop
        if wb_cyc and wb_stb and wb_we then Words(i)(at) <= wb_dat_w(8 * i + 7 downto 8 * i); end if;
        wb_dat_r(8 * i + 7 downto 8 * i) <= Words(i)(at);
      end loop;`
    : `      if wb_cyc and wb_stb and wb_we then Words(at) <= wb_dat_w; end if;
      wb_dat_r <= Words(at);`
}
      wb_ack <= wb_cyc and wb_stb;
    end if;
  end process;
end architecture;
`;

  test('with a memory that becomes more registers than the part has is rejected at its declaration', async () => {
    const error = await refusal(toolchain.build(requestOf(memory(9, true), 'memory.vhd'), record()));
    expect(error.code).toBe('build_too_large');
    expect(error.message).toBe(
      'memory.vhd:10: the memory Words has 16,384 bits and is used in a way that block RAM does not support; hx8k-ct256 has only 7,680 registers',
    );
    expect(error.diagnostics[0]).toMatchObject({ line: 10, net: 'Words' });
    // Synthesis handles memories that fit the part, and those that GHDL recognises.
    for (const fits of [memory(4, true), memory(9, false)]) {
      const { matched } = await toolchain.scan(requestOf(fits, 'memory.vhd'), record());
      expect(matched?.module).toBe('memory');
    }
  });

  test('may use names that are keywords of Verilog, or of VHDL since 2008', async () => {
    const source = example('stopwatch.vhd')
      .replaceAll('running', 'reg')
      .replaceAll('wb_ack_o', 'Output')
      .replaceAll('wb_stb_i', 'force')
      .replace(/^(architecture)/im, '-- an output that is no name: "reg"\n$1');
    const context = record();
    const { modules, diagnostics } = await toolchain.scan(requestOf(source, 'words.vhd'), context);
    expect(diagnostics.filter(({ code }) => code === 'yosys_error')).toEqual([]);
    expect(modules[0]?.ports.map(({ name }) => name)).toContain('Output');
    expect(context.text()).toContain('note: force is a reserved word of VHDL-2008: it is renamed to force_0');
  });

  test('that is nested too deeply is rejected with the reason', async () => {
    const deep = example('stopwatch.vhd').replace(
      'wb_ack_o <= ack;',
      () => `wb_ack_o <= ${'std_logic('.repeat(30_000)}ack${')'.repeat(30_000)};`,
    );
    const { diagnostics } = await toolchain.scan(requestOf(deep, 'deep.vhd'), record());
    expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'design_invalid', file: 'deep.vhd' });
    expect(diagnostics[0]?.message).toContain('are nested too deeply');
  });

  test('may have single-value number ranges, which need no bits', async () => {
    const source = `library ieee; use ieee.std_logic_1164.all;
entity one is
  generic (SIZE : positive := 1);
  port (clk, wb_cyc, wb_stb, wb_we : in std_logic; wb_dat_w : in std_logic_vector(7 downto 0);
    wb_dat_r : out std_logic_vector(7 downto 0); wb_ack : out std_logic; last : out natural range 0 to SIZE - 1);
end;
architecture rtl of one is
  type words is array (0 to SIZE - 1) of std_logic_vector(7 downto 0);
  signal w : words;
  signal n, k : natural range 0 to SIZE - 1 := 0;
begin
  wb_ack <= wb_cyc and wb_stb;
  last <= n;
  process (clk) begin
    if rising_edge(clk) then
      if wb_we = '1' then w(n) <= wb_dat_w; else wb_dat_r <= w(k); end if;
      if n = SIZE - 1 then n <= 0; else n <= n + 1; end if;
      k <= n;
    end if;
  end process;
end;
`;
    const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'one.vhd'), record());
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(matched?.pins?.map(({ name }) => name)).toEqual(['last']);
  });

  test('cannot read files of the host', async () => {
    const source = `use std.textio.all;\n${example('stopwatch.vhd').replace(
      'signal running',
      'impure function f return boolean is file h : text open read_mode is "/etc/passwd"; begin return true; end;\n  constant READ : boolean := f;\n  signal running',
    )}`;
    const error = await refusal(toolchain.build(requestOf(source, 'thief.vhd'), record()));
    expect(error.message).toMatch(/^thief\.vhd:\d+: a design cannot read or write files while it is built/);
    const process = source.replace(
      'begin\n',
      'begin\n  process file h : text open read_mode is "x"; begin wait; end process;\n',
    );
    const other = await refusal(toolchain.build(requestOf(process, 'thief.vhd'), record()));
    expect(other.code).toBe('design_file_reference');
  });

  const entity = (name: string) =>
    example('stopwatch.vhd')
      .replaceAll('stopwatch', name)
      .replace(/^--.*$/gm, '');

  test('with two slaves is rejected with both names, unless top selects one', async () => {
    const source = `${entity('first')}\n${entity('second')}`;
    const error = await refusal(toolchain.build(requestOf(source, 'two.vhd'), record()));
    expect(error.code).toBe('design_ambiguous');
    expect(error.message).toMatch(/first, second|second, first/);
    const scan = await toolchain.scan(requestOf(source, 'two.vhd', { top: 'FIRST' }), record());
    expect(scan.matched?.module).toBe('first');
  });
});

describe.skipIf(!ghdl)('without a sandbox', () => {
  let allowed = false;
  const { toolchain, dispose } = freshToolchain({
    sandbox: async () => ({ kind: 'missing', reason: 'bubblewrap (bwrap) is not installed' }),
    vhdlWithoutSandbox: () => allowed,
  });
  afterAll(dispose);
  const request = requestOf(example('stopwatch.vhd'), 'stopwatch.vhd');

  test('rejects a design in VHDL, unless the operator allows unconfined GHDL', async () => {
    allowed = false;
    const error = await refusal(toolchain.build(request, record()));
    expect(error.code).toBe('vhdl_unconfined');
    expect(error.message).toContain('bubblewrap (bwrap) is not installed');
    expect(error.remedy).toContain('docs/security.md');
    allowed = true;
    const context = record();
    expect((await toolchain.scan(request, context)).matched?.module).toBe('stopwatch');
    expect(context.text()).toContain(
      'note: GHDL runs without a sandbox (bubblewrap (bwrap) is not installed)',
    );
    allowed = false;
    await expect(toolchain.scan(request, record())).rejects.toMatchObject({ code: 'vhdl_unconfined' });
  });

  test('still scans a design in Verilog', async () => {
    const scan = await toolchain.scan(requestOf(example('gpio.v'), 'gpio.v'), record());
    expect(scan.matched).not.toBeNull();
  });

  test('a VHDL name may contain any character, and is never treated as code', async () => {
    allowed = true;
    const name = '\\x ; initial $readmemh("/etc/passwd", m); \\';
    const source = example('stopwatch.vhd')
      .replace('signal running', `signal ${name} : std_logic;\n  signal running`)
      .replace('wb_ack_o <= ack;', `${name} <= ack;\n  wb_ack_o <= ${name};`);
    const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'name.vhd'), record());
    expect(diagnostics).toEqual([]);
    expect(matched?.module).toBe('stopwatch');
  });
});

test('without GHDL a VHDL build fails with the package to install', async () => {
  const { toolchain, dispose } = freshToolchain({ paths: { ghdl: '/nowhere/ghdl' } });
  const error = await refusal(toolchain.build(requestOf(example('stopwatch.vhd'), 'a.vhd'), record()));
  expect(error.code).toBe('tool_missing');
  expect(error.message).toContain('GHDL');
  expect(error.remedy).toContain('package ghdl');
  await dispose();
});
