import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { readVhdlText, verilogOf } from '../../../../../support/toolchain/frontends/vhdl/vhdl.ts';
import { randomFrom } from '../../../../../support/toolchain/frontends/vhdl/vhdl-operators.ts';
import { hasGhdl, hasIcarus } from '../../../../../support/toolchain/simulate.ts';

const CYCLES = 300;

/** A circuit with a clock, by its declarations and its statements. */
interface Circuit {
  declares: string;
  body: string;
}

const clocked = (body: string, declares = '') => ({
  declares,
  body: `process (clk) begin if rising_edge(clk) then ${body} end if; end process;`,
});

const MEMORY = 'type mem_t is array (0 to 15) of std_logic_vector(7 downto 0);';
const SIGNAL = `${MEMORY} signal mem : mem_t := (3 => x"5a", 15 => x"37", others => x"00");`;
const low = (name: string) => `to_integer(unsigned(${name}(3 downto 0)))`;

const CIRCUITS: Readonly<Record<string, Circuit>> = {
  'a signal of which some bits are never assigned': clocked(
    `s(0) <= a(0); s(4 downto 3) <= b(1 downto 0); y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'a value that is cut to one bit for a function': clocked(
    `y <= (others => '0'); y(0 downto 0) <= std_logic_vector(same(resize(signed(a), 1)));`,
    'function same(x : signed) return signed is variable r : signed(0 downto 0); alias from : signed(0 downto 0) is x; begin r(0) := from(0); return r; end function;',
  ),
  'a variable that only assigns itself': {
    declares: '',
    body: `process (clk) variable v : std_logic_vector(7 downto 0) := x"a6"; begin if rising_edge(clk) then if we = '1' then v := v; end if; y <= v; end if; end process;`,
  },
  'signed values and numbers that they cannot have': clocked(
    `s <= signed(a(2 downto 0)); y <= (others => '0'); if s = 7 then y(0) <= '1'; end if; if shift_right(signed(b(2 downto 0)), 1) /= 6 then y(1) <= '1'; end if;
     if 5 = s then y(2) <= '1'; end if; if s = -1 then y(3) <= '1'; end if; if unsigned(a(2 downto 0)) = 7 then y(4) <= '1'; end if;`,
    "signal s : signed(2 downto 0) := (others => '0');",
  ),
  'a constant for a vector of which others assign parts': clocked(
    `if we = '1' then s <= "00010111"; elsif c(0) = '1' then s <= x"2d"; else s(7 downto 4) <= a(3 downto 0); s(0) <= b(0); end if; y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'the same, ascending, unsigned, in a case': clocked(
    `case c(1 downto 0) is when "00" => s <= "01001101"; when "01" => s <= x"1e"; when "10" => s(2 to 3) <= unsigned(a(1 downto 0)); when others => s(7) <= b(0); end case; y <= std_logic_vector(s);`,
    'signal s : unsigned(0 to 7) := x"a6";',
  ),
  'the same with an asynchronous reset': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"b7";',
    body: `named : process (clk, we) begin if we = '1' then s <= x"b7"; elsif rising_edge(clk) then s(1 downto 0) <= a(1 downto 0); if c(0) = '1' then s(7) <= b(0); end if; end if; end process; y <= s;`,
  },
  'a concatenation of choices between constants': clocked(
    `if we = '1' then y <= x"f" & "100" & '1'; else y <= x"0" & "101" & '0'; end if; if c(0) = '1' then y(7 downto 4) <= a(3 downto 0); end if;`,
  ),
  'constants for parts, and for a record, of which others assign parts': clocked(
    `if we = '1' then s(7 downto 4) <= "0001"; s(3 downto 1) <= "011"; s(0) <= '1'; r <= INIT;
     else s(7 downto 4) <= a(3 downto 0); s(0) <= b(0); if c(0) = '1' then r.hi <= b(3 downto 0); end if; r.lo <= c(1); end if;
     if c(2) = '1' then y <= s; else y <= r.hi & r.mid & r.lo; end if;`,
    `type rec is record hi : std_logic_vector(3 downto 0); mid : std_logic_vector(2 downto 0); lo : std_logic; end record;
     constant INIT : rec := (hi => "0001", mid => "011", lo => '1'); signal r : rec := INIT;
     signal s : std_logic_vector(7 downto 0) := x"a6";`,
  ),
  'a bit at a variable place, of a signal that nothing else assigns': clocked(
    `if we = '1' then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); end if; y <= s;`,
    'signal s : std_logic_vector(7 downto 0) := x"a6";',
  ),
  'two such bits of an ascending vector, one at the falling edge': {
    declares: `signal s : unsigned(0 to 7) := x"a6"; signal t : std_logic_vector(7 downto 0) := x"35";`,
    body: `process (clk) begin if rising_edge(clk) then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); s(to_integer(unsigned(c(2 downto 0)))) <= we; end if; end process;
      process (clk) begin if falling_edge(clk) then t(to_integer(unsigned(b(2 downto 0)))) <= c(0); end if; end process; y <= std_logic_vector(s) xor t;`,
  },
  'four bits at a variable place, and a bit in a variable': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"a6";',
    body: `process (clk) variable v : std_logic_vector(7 downto 0) := x"c3"; variable at : integer range 0 to 4; begin if rising_edge(clk) then
      at := 4 * to_integer(unsigned(a(0 downto 0))); if we = '1' then s(at + 3 downto at) <= b(3 downto 0); end if;
      v(to_integer(unsigned(c(2 downto 0)))) := b(7); y <= s xor v; end if; end process;`,
  },
  'a bit at a variable place, with an asynchronous reset': {
    declares: 'signal s : std_logic_vector(7 downto 0) := x"a6";',
    body: `process (clk, we) begin if we = '1' then s <= x"b7"; elsif rising_edge(clk) then s(to_integer(unsigned(a(2 downto 0)))) <= b(0); end if; end process; y <= s;`,
  },
  'rotations by amounts of all their bits': clocked(
    `if we = '1' then y <= std_logic_vector(rotate_left(unsigned(a), to_integer(unsigned(c(2 downto 0))))); elsif c(7) = '1' then y <= a ror to_integer(unsigned(c(2 downto 0)));
     else y <= std_logic_vector(rotate_right(unsigned(b(3 downto 0)), to_integer(unsigned(c(1 downto 0)))) & rotate_left(unsigned(b(3 downto 0)), to_integer(unsigned(c(2 downto 0))))); end if;`,
  ),
  'an array of records, of which parts are written': clocked(
    `m(to_integer(unsigned(a(1 downto 0)))).hi <= b(3 downto 0); if we = '1' then m(to_integer(unsigned(b(1 downto 0)))).lo <= c(7); end if;
     y <= "000" & m(to_integer(unsigned(c(1 downto 0)))).lo & m(to_integer(unsigned(c(1 downto 0)))).hi;`,
    `type rec is record hi : std_logic_vector(3 downto 0); lo : std_logic; end record; type recs is array (0 to 3) of rec;
     signal m : recs := (others => (hi => x"6", lo => '1'));`,
  ),
  'a memory that is read with the clock': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; y <= mem(${low('c')});`,
    SIGNAL,
  ),
  'a memory that is read at the word that is written': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; y <= mem(${low('a')});`,
    SIGNAL,
  ),
  'a memory in a variable, read behind the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      if we = '1' then v(${low('a')}) := b; end if; y <= v(${low('c')}); end if; end process;`,
  },
  'a memory in a variable, read before the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      y <= v(${low('c')}); if we = '1' then v(${low('a')}) := b; end if; end if; end process;`,
  },
  'a memory in a variable, read into a sum behind the write': {
    declares: MEMORY,
    body: `process (clk) variable v : mem_t := (others => x"11"); begin if rising_edge(clk) then
      if we = '1' then v(${low('a')}) := b; end if; y <= std_logic_vector(unsigned(v(${low('c')})) + unsigned(c)); end if; end process;`,
  },
  'a memory that is read without a clock': {
    ...clocked(`if we = '1' then mem(${low('a')}) <= b; end if;`, SIGNAL),
    body: `process (clk) begin if rising_edge(clk) then if we = '1' then mem(${low('a')}) <= b; end if; end if; end process; y <= mem(${low('c')});`,
  },
  'a memory that is written twice': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; if c(7) = '1' then mem(${low('c')}) <= a; end if; y <= mem(${low('b')});`,
    SIGNAL,
  ),
  'a memory of eleven words that is read at an address in a register': {
    declares: `type mem_t is array (0 to 10) of std_logic_vector(7 downto 0);
      signal mem : mem_t := (3 => x"5a", 7 => x"37", others => x"c1"); signal at : unsigned(3 downto 0) := x"3";`,
    body: `process (clk) begin if rising_edge(clk) then
        if we = '1' and ${low('a')} < 11 then mem(${low('a')}) <= b; elsif c(7) = '1' then mem(10) <= a; end if;
        if c(6) = '1' and ${low('b')} < 11 then at <= unsigned(b(3 downto 0)); end if;
      end if; end process; y <= mem(to_integer(at)) xor mem(3);`,
  },
  'a memory with an enabled read': clocked(
    `if we = '1' then mem(${low('a')}) <= b; end if; if c(6) = '1' then y <= mem(${low('c')}); end if;`,
    SIGNAL,
  ),
  'a table': {
    declares: `${MEMORY} constant table : mem_t := (x"01", x"23", x"45", x"67", x"89", x"ab", x"cd", x"ef", others => x"3c");`,
    body: `y <= table(${low('a')});`,
  },
  'an array of arrays': clocked(
    `if we = '1' then g(to_integer(unsigned(a(1 downto 0))))(to_integer(unsigned(c(1 downto 0)))) <= b(4 downto 0); end if;
     y <= "000" & g(to_integer(unsigned(b(1 downto 0))))(to_integer(unsigned(c(3 downto 2))));`,
    'type row is array (0 to 3) of std_logic_vector(4 downto 0); type grid is array (3 downto 0) of row; signal g : grid := (others => (others => "00000"));',
  ),
  'an element of three': {
    declares:
      'type three is array (0 to 2) of std_logic_vector(7 downto 0); signal t : three := (x"01", x"02", x"03"); signal n : natural range 0 to 2 := 0;',
    body: `process (clk) begin if rising_edge(clk) then if n = 2 then n <= 0; else n <= n + 1; end if; if we = '1' then t(n) <= b; end if; end if; end process; y <= t(n);`,
  },
  'a bit that is chosen and set': clocked(
    "if we = '1' then s <= a; else s(to_integer(unsigned(a(2 downto 0)))) <= c(0); end if; y <= s; y(0) <= s(to_integer(unsigned(b(2 downto 0))));",
    'signal s : std_logic_vector(7 downto 0) := x"00";',
  ),
  'both edges, in two registers': {
    declares: 'signal p, q : std_logic_vector(7 downto 0) := x"00";',
    body: `process (clk) begin if falling_edge(clk) then p <= a; end if; end process;
     process (clk) begin if rising_edge(clk) then q <= p xor b; end if; end process; y <= q;`,
  },
  'an asynchronous reset': {
    declares: 'signal q : std_logic_vector(7 downto 0) := x"00";',
    body: `process (clk, we) begin if we = '1' then q <= x"3c"; elsif rising_edge(clk) then q <= a xor q; end if; end process; y <= q;`,
  },
  'a case with others, and several choices': clocked(
    `case a(2 downto 0) is when "000" | "101" => y <= b; when "001" => y <= c; when "010" => y <= not b; when "110" => y <= x"77"; when others => y <= b xor c; end case;`,
  ),
  'a record': clocked(
    `r.n <= r.n + 1; if we = '1' then r.v <= b; r.f <= a(0); end if; y <= r.v(7 downto 5) & r.f & std_logic_vector(r.n);`,
    'type rec is record f : std_logic; n : unsigned(3 downto 0); v : std_logic_vector(7 downto 0); end record; signal r : rec := (f => \'0\', n => x"0", v => x"00");',
  ),
  'a loop and a function': clocked(
    `y <= reverse(a) xor b;`,
    "function reverse(x : std_logic_vector) return std_logic_vector is variable r : std_logic_vector(x'reverse_range); begin for i in x'range loop r(i) := x(i); end loop; return r; end function;",
  ),
  'four choices by two bits': {
    declares: '',
    body: 'with a(1 downto 0) select y <= a when "00", b when "01", c when "10", x"99" when others;',
  },
};

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
  // All of them in `npm run soak`.
  test.each(Object.keys(CIRCUITS))('%s', async (name) => {
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
