import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { findGhdl } from '../../../../server/toolchain/frontend/ghdl.ts';
import { withFailingFiles } from '../../../../server/toolchain/scan/rewrites/vhdl-file-calls.ts';
import { freshToolchain, record, requestOf } from '../../pipeline/support.ts';

const ghdl = await findGhdl(systemClock);
const { toolchain, dispose } = freshToolchain({ engine: 'embedded' });
afterAll(dispose);

/** A memory that may begin with what a file says. */
const source = (
  name: string,
  declared = 'file f : text;',
  opened = 'file_open(status, f, name, read_mode);',
) => `library ieee;
use ieee.std_logic_1164.all; use ieee.numeric_std.all; use std.textio.all;
entity top is
  generic (INIT : string := "${name}");
  port (clk, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(1 downto 0);
    wb_dat_w : in std_logic_vector(7 downto 0); wb_dat_r : out std_logic_vector(7 downto 0); wb_ack : out std_logic);
end entity;
architecture rtl of top is
  type words is array (0 to 3) of std_logic_vector(7 downto 0);
  impure function first(name : string) return words is
    ${declared}
    variable status : file_open_status;
    variable l : line;
    variable bits : bit_vector(7 downto 0);
    variable all_of : words := (others => (others => '0'));
  begin
    if name = "" then return all_of; end if;
    ${opened}
    for i in words'range loop
      if not endfile(f) then
        readline(f, l);
        read(l, bits);
        all_of(i) := to_stdlogicvector(bits);
      end if;
    end loop;
    file_close(f);
    return all_of;
  end function;
  signal memory : words := first(INIT);
begin
  wb_ack <= wb_cyc and wb_stb;
  process (clk) begin
    if rising_edge(clk) then
      if wb_we = '1' then memory(to_integer(unsigned(wb_adr))) <= wb_dat_w; end if;
      wb_dat_r <= memory(to_integer(unsigned(wb_adr)));
    end if;
  end process;
end architecture;
`;

const scan = (text: string) => toolchain.scan(requestOf(text, 'top.vhd'), record());

describe.skipIf(!ghdl)('a function that may read a file', () => {
  test('is built where it is given none', async () => {
    const { matched } = await scan(source(''));
    expect(matched?.module).toBe('top');
  });

  test.each<[string, Parameters<typeof source>, number]>([
    ['is refused where it comes to open one', ['words.txt'], 18],
    ['is refused where it always opens one', ['', 'file f : text open read_mode is name;', ''], 16],
  ])('%s', async (_, given, line) => {
    const { matched, diagnostics } = await scan(source(...given));
    expect(matched).toBeNull();
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({
        line,
        message:
          'a design reads and writes no files while it is built: write what it would read as a constant',
      }),
    ]);
  });
});

test.each([
  ['a file that is given to another subprogram', source('').replace('file_close(f)', 'other(f)')],
  [
    'a file beside a subprogram within',
    source('').replace('variable l', 'procedure p is begin end; variable l'),
  ],
])('%s stays, and is refused there', (_, text) => {
  expect(withFailingFiles(text)).toBe(text);
});

test('lines stay where they are, and it takes no time', () => {
  const text = source('');
  expect(withFailingFiles(text).split('\n')).toHaveLength(text.split('\n').length);
  const long = source('').replace('file_close(f);', 'file_close(f);\n'.repeat(50_000));
  const began = performance.now();
  expect(withFailingFiles(long)).not.toContain('file_close');
  expect(performance.now() - began).toBeLessThan(5000);
});
