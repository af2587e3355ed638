import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { FlowBench } from '../../support/flow/flow-bench.ts';

const ghdl = spawnSync('ghdl', ['--version']).status === 0;

/** Signed arithmetic at eight addresses, of the word that is written to any of them. */
const SOURCE = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity half is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(2 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic); end;
architecture a of half is
  signal s : signed(15 downto 0) := (others => '0');
  signal lanes : signed(15 downto 0) := (others => '0');
begin
  copies : for i in 0 to 1 generate
    signal part : signed(7 downto 0) := (others => '0');
  begin
    process (clk) begin if rising_edge(clk) then part <= s(8 * i + 7 downto 8 * i); end if; end process;
    lanes(8 * i + 7 downto 8 * i) <= part;
  end generate;
  process (clk) begin
    if rising_edge(clk) then
      wb_ack <= wb_cyc and wb_stb;
      if wb_cyc = '1' and wb_stb = '1' and wb_we = '1' then s <= signed(wb_dat_w(15 downto 0)); end if;
      case wb_adr is
        when "000" => wb_dat_r <= std_logic_vector(resize(shift_right(s, 4), 32));
        when "001" => wb_dat_r <= std_logic_vector(resize(s / 4, 32));
        when "010" => wb_dat_r <= std_logic_vector(resize(s(7 downto 0) rem 7, 32));
        when "011" => wb_dat_r <= std_logic_vector(resize(s(7 downto 0) mod 7, 32));
        when "100" => wb_dat_r <= std_logic_vector(resize(abs s, 32));
        when "101" => wb_dat_r <= std_logic_vector(resize(5 - s, 32));
        when "110" => wb_dat_r <= std_logic_vector(resize(resize(s, 6), 32));
        when others => wb_dat_r <= std_logic_vector(resize(lanes, 32));
      end case;
    end if;
  end process;
end;
`;
const LINES = SOURCE.split('\n').length;

let bench: FlowBench;
beforeAll(async () => {
  if (ghdl) bench = await FlowBench.start([{ filename: 'half.vhd', source: Buffer.from(SOURCE) }]);
}, 1_200_000);
afterAll(() => bench?.stop());

test.skipIf(!ghdl)(
  'signed VHDL arithmetic gives the same results on a virtual board as in simulation',
  async () => {
    const job = await bench.submit(0, 'half.vhd', Buffer.from(SOURCE));
    expect(job.status, job.log).toBe('complete');
    const words = [-7, -25, -2, 5, 100, 105, -4, -100].map((word) => word >>> 0);
    const steps = [
      { op: 'write' as const, address: 0, data: [-100 >>> 0] },
      { op: 'read' as const, address: 0, count: words.length, expect: words },
    ];
    const report = await bench.client.runScript({ fpga_id: 0, body: { script: { steps } } });
    expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
    const { signals } = await bench.client.listSignals({ fpga_id: 0 });
    const own = new Map(signals.map(({ name, line }) => [name, line ?? 0]));
    expect(own.get('s')).toBe(5);
    expect(own.get('copies[1].part')).toBe(9);
    // Signals of the bus are the bench's.
    expect(
      [...own].filter(([name, line]) => !name.startsWith('bus.') && (/^n\d+_/.test(name) || line > LINES)),
    ).toEqual([]);
  },
);
