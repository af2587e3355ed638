import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyNth } from '../../../../../support/soak.ts';
import { readVhdlText, verilogOf } from '../../../../../support/toolchain/frontends/vhdl/vhdl.ts';
import { CIRCUITS, type Circuit } from '../../../../../support/toolchain/frontends/vhdl/vhdl-circuits.ts';
import { randomFrom } from '../../../../../support/toolchain/frontends/vhdl/vhdl-operators.ts';
import { hasGhdl, hasIcarus } from '../../../../../support/toolchain/simulate.ts';

const CYCLES = 300;

const HEAD = 'library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;';

const entity = ({ declares, body }: Circuit) => `${HEAD}
entity ops is port (clk, we : in std_logic; a, b, c : in std_logic_vector(7 downto 0); y : out std_logic_vector(7 downto 0)); end entity;
architecture rtl of ops is ${declares} begin
${body}
end architecture;
`;

interface Cycle {
  we: number;
  a: string;
  b: string;
  c: string;
}

const cyclesOf = (seed: number): Cycle[] => {
  const random = randomFrom(seed);
  const byte = () => random(256).toString(2).padStart(8, '0');
  return Array.from({ length: CYCLES }, () => ({ we: random(2), a: byte(), b: byte(), c: byte() }));
};

const vhdlBench = (cycles: readonly Cycle[]) => `${HEAD} use std.textio.all;
entity bench is end entity;
architecture sim of bench is
signal clk, we : std_logic := '0'; signal a, b, c : std_logic_vector(7 downto 0) := x"00"; signal y : std_logic_vector(7 downto 0);
begin
dut : entity work.ops port map (clk, we, a, b, c, y);
process
procedure step(w : std_logic; x, z, u : std_logic_vector) is variable l : line; begin
we <= w; a <= x; b <= z; c <= u; wait for 1 ns; clk <= '1'; wait for 1 ns; write(l, to_string(y)); writeline(output, l); clk <= '0'; wait for 1 ns;
end procedure;
begin
${cycles.map(({ we, a, b, c }) => `step('${we}', "${a}", "${b}", "${c}");`).join('\n')}
wait;
end process;
end architecture;
`;

const verilogBench = (cycles: readonly Cycle[]) => `module bench;
reg clk = 0, we = 0; reg [7:0] a = 0, b = 0, c = 0; wire [7:0] y;
ops dut (.clk(clk), .we(we), .a(a), .b(b), .c(c), .y(y));
task step(input w, input [7:0] x, z, u); begin
we = w; a = x; b = z; c = u; #1 clk = 1; #1 $display("%b", y); clk = 0; #1;
end endtask
initial begin
#1;
${cycles.map(({ we, a, b, c }) => `step(1'b${we}, 8'b${a}, 8'b${b}, 8'b${c});`).join('\n')}
end
endmodule
`;

/** The values of GHDL's simulation after each cycle, and those of the circuit after these passes of Yosys. */
async function bothOf(
  circuit: Circuit,
  seed: number,
  passes: readonly string[],
): Promise<[string[], string[]]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-circuit-'));
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: 'pipe', timeout: 60_000 });
  try {
    const cycles = cyclesOf(seed);
    const files = {
      'ops.vhd': entity(circuit),
      'bench.vhd': vhdlBench(cycles),
      'ops.v': await verilogOf(await readVhdlText(entity(circuit), 'ops'), passes),
      'bench.v': verilogBench(cycles),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    run('ghdl', '-a', '--std=08', '-frelaxed', 'ops.vhd', 'bench.vhd');
    const simulated = run('ghdl', '-r', '--std=08', '-frelaxed', 'bench', '--ieee-asserts=disable');
    run('iverilog', '-g2005-sv', '-s', 'bench', '-o', 'sim', 'ops.v', 'bench.v');
    return [simulated.trim().split('\n'), run('vvp', '-n', 'sim').trim().split('\n')];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe.skipIf(!hasGhdl || !hasIcarus)('a circuit from VHDL matches its simulation', () => {
  test.each(everyNth(3, Object.keys(CIRCUITS)))('%s', async (name) => {
    const [simulated, built] = await bothOf(CIRCUITS[name]!, 5, ['proc', 'memory', 'opt', 'pmuxtree']);
    expect(simulated.length).toBe(CYCLES);
    // Where the simulation has no value, any is right.
    const known = built.map((bits, at) =>
      [...bits]
        .map((bit, n) => (/[01]/.test(simulated[at]?.[n] ?? '') ? bit : (simulated[at]?.[n] ?? '')))
        .join(''),
    );
    expect(known).toEqual(simulated);
  });
});
