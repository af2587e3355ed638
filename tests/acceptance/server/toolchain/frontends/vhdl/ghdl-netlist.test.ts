import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { GATES } from '../../../../../../server/toolchain/frontends/vhdl/ghdl-netlist/gates.ts';
import { readVhdlText } from '../../../../../support/toolchain/frontends/vhdl/vhdl.ts';
import { hasGhdl } from '../../../../../support/toolchain/simulate.ts';

/** Every `Id_…` of `src/synth/netlists-gates.ads` of GHDL 2.0.0 and of GHDL 6.0 (commit 753dfcf). */
const KINDS =
  `And Or Xor Nand Nor Xnor Add Sub Umin Smin Umax Smax Umul Smul Udiv Sdiv Umod Smod Srem Not Neg Abs
  Lsl Lsr Asr Rol Ror Eq Ne Ule Sle Ult Slt Uge Sge Ugt Sgt Red_And Red_Or Red_Xor Concat2 Concat3 Concat4 Concatn
  Mux2 Mux4 Pmux Bmux Signal Isignal Output Ioutput Port Inout Iinout Enable Nop Dff Adff Idff Iadff Mdff Midff Dlatch
  Tri Resolver Utrunc Strunc Uextend Sextend Extract Dyn_Extract Dyn_Insert Dyn_Insert_En Memidx Addidx Memory
  Memory_Init Mem_Rd Mem_Rd_Sync Mem_Wr_Sync Mem_Multiport Posedge Negedge Assert Assume Cover Assert_Cover Allconst
  Anyconst Allseq Anyseq Const_X Const_Z Const_0 Const_1 Const_UB32 Const_SB32 Const_UL32 Const_Bit Const_Log`.split(
    /\s+/,
  );

test('writes every kind of gate of GHDL, or rejects it by name', () => {
  expect(
    Object.keys(GATES)
      .map((kind) => kind.slice(1).toLowerCase())
      .sort(),
  ).toEqual(KINDS.map((kind) => kind.toLowerCase()).sort());
});

describe.skipIf(!hasGhdl)('the netlist of GHDL', () => {
  test('has only known gates', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-kinds-'));
    try {
      writeFileSync(
        path.join(folder, 'a.vhd'),
        'entity a is port (x : in bit; y : out bit); end; architecture r of a is begin y <= x; end;',
      );
      const dump = execFileSync('ghdl', ['--synth', '--std=08', '--out=dump', 'a.vhd', '-e', 'a'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      const kinds = [...dump.matchAll(/^ {2}module \{m\d+\} (\$\w+)$/gm)].map(([, kind]) => kind);
      expect(kinds.length).toBeGreaterThan(70);
      expect(kinds.filter((kind) => !(kind! in GATES))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  const refusalOf = async (text: string): Promise<BenchError> => {
    const error = await readVhdlText(text).catch((thrown: unknown) => thrown);
    return error instanceof BenchError ? error : expect.unreachable();
  };
  const entity = (
    declares: string,
    body: string,
  ) => `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity e is port (c, d : in std_logic; x : in signed(7 downto 0); q : out signed(7 downto 0)); end;
architecture r of e is
${declares}
begin
${body}
end;
`;

  test('of a register with two clocks is rejected at its line', async () => {
    const error = await refusalOf(
      entity(
        '',
        'process (c, d) begin if rising_edge(c) then q <= x; elsif rising_edge(d) then q <= not x; end if; end process;',
      ),
    );
    expect(error.code).toBe('design_invalid');
    expect(error.diagnostics[0]).toMatchObject({ file: 'design.vhd', line: 6 });
  });

  test('of a signal that only an asynchronous reset assigns is rejected, or has a warning without initial value', async () => {
    const design = (initial: string) =>
      entity(
        `signal k, n : signed(7 downto 0)${initial};`,
        'process (c, d) begin if d = \'1\' then k <= x"34"; n <= x"00"; elsif rising_edge(c) then n <= x; end if; end process; q <= n xor k;',
      );
    const found = { line: 4, message: expect.stringContaining('only an asynchronous reset') };
    expect((await refusalOf(design(' := x"12"'))).diagnostics).toEqual([expect.objectContaining(found)]);
    expect((await readVhdlText(design(''))).diagnostics).toEqual([expect.objectContaining(found)]);
  });

  test('of bits that only an asynchronous reset assigns is rejected where they begin with others', async () => {
    const design = (initial: string) =>
      entity(
        `signal k : signed(7 downto 0)${initial};`,
        'process (c, d) begin if d = \'1\' then k <= x"34"; elsif rising_edge(c) then k(1 downto 0) <= x(1 downto 0); end if; end process; q <= k;',
      );
    expect((await refusalOf(design(' := x"12"'))).diagnostics).toEqual([
      expect.objectContaining({ line: 4, message: expect.stringContaining('some bits of this signal') }),
    ]);
    for (const initial of ['', ' := x"37"']) {
      const { diagnostics } = await readVhdlText(design(initial));
      expect(diagnostics).toEqual([]);
    }
  });

  test.each([
    ['q <= x; q(n downto n) <= signed(y(n to n));', 7, 1],
    ['q <= resize(signed(y(n to n + 3)), 18);', 7, 1],
    ['q <= resize(signed(y(n to n + 3)), 18);', 15, 0],
  ])('of a part of an ascending vector is rejected: %s with %i', async (body, most, count) => {
    const text = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity e is port (n : in natural range 0 to ${most}; y : in std_logic_vector(0 to 17); x : in signed(17 downto 0); q : out signed(17 downto 0)); end;
architecture r of e is begin process (all) begin
${body}
end process; end;`;
    const errors = await readVhdlText(text).then(
      () => [],
      (thrown: unknown) => (thrown instanceof BenchError ? thrown.diagnostics : expect.unreachable()),
    );
    expect(errors.map(({ line }) => line)).toEqual(Array.from({ length: count }, () => 4));
  });

  test('has the names and lines of the source, and none of its own', async () => {
    const { files, netlists = [] } = await readVhdlText(
      entity(
        'signal total : signed(7 downto 0) := x"00";',
        `lanes : for i in 2 to 3 generate
  signal step : signed(7 downto 0) := x"01";
begin
  process (c) begin if rising_edge(c) then step <= step + i; end if; end process;
  q(i) <= step(i) and total(i);
end generate;
process (c) variable last : signed(7 downto 0); begin if rising_edge(c) then total <= total + last; last := x; end if; end process;`,
      ),
    );
    const rtlil = String(files[netlists[0] ?? '']);
    const wires = [
      ...rtlil.matchAll(
        /attribute \\src "design\.vhd:(\d+)\.[^\n]*\n(?: {2}attribute[^\n]*\n)* {2}wire [^\n]*\\(\S+)$/gm,
      ),
    ].map(([, line, name]) => [name, Number(line)]);
    expect(wires).toEqual([
      ...['c', 'd', 'x', 'q'].map((port) => [port, 2]),
      ['total', 4],
      ['lanes[2].step', 7],
      ['lanes[3].step', 7],
      ['last', 12],
    ]);
  });

  const warnings = async (declares: string, value: string) =>
    (await readVhdlText(entity(declares, `q <= ${value};`))).diagnostics
      .filter(({ message }) => !/never assigned/.test(message))
      .map(({ line, message }) => `${line}: ${message}`);

  test('distinguishes a number minus a value from a value minus a number, or warns', async () => {
    expect(await warnings('signal n : integer range 0 to 7 := 1;', 'n - x')).toEqual([]);
    expect(await warnings('', '5 - x')).toEqual([]);
    expect(
      await warnings(
        'function f(s : signed) return integer is begin return to_integer(s) / 2; end;',
        'f(x) - x',
      ),
    ).toEqual([expect.stringMatching(/^6: GHDL does not show whether this subtracts a number from a value/)]);
  });

  test('may lack the leading bits of a constant whose other bits are 0, with a warning', async () => {
    const constant = (value: string) =>
      warnings(
        `signal s : signed(63 downto 0) := ${value}; signal k : signed(63 downto 0);`,
        's(63 downto 56)',
      );
    expect(await constant('x"5A00000000000000"')).toEqual([
      expect.stringMatching(/^4: GHDL may take this constant for 0/),
    ]);
    expect(await constant("(63 => '1', others => '0')")).toEqual([expect.stringMatching(/^4: /)]);
    expect(await constant('x"5A00000000000001"')).toEqual([]);
    expect(await constant("(others => '0')")).toEqual([]);
  });
});
