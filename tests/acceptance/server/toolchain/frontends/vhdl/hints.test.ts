import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { findGhdl } from '../../../../../../server/toolchain/frontends/vhdl/ghdl.ts';
import { freshToolchain, record, requestOf } from '../../../../../support/toolchain/build/support.ts';

const ghdl = await findGhdl(systemClock);
const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const PART = `library ieee;
use ieee.std_logic_1164.all;
entity part is port (a : in std_logic; b : out std_logic; c : in std_logic_vector(3 downto 0)); end entity;
architecture rtl of part is begin b <= a and c(0); end architecture;
`;
const HEAD = `library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
`;
/**
 * Begins in line 1 after the library; the statement of the architecture is in line 17, that of the process in line 22.
 */
const ENTITY = `
entity slave is
  port (
    clk, cyc, stb, we : in std_logic;
    dat_i : in std_logic_vector(7 downto 0);
    dat_o : out std_logic_vector(7 downto 0);
    ack : out std_logic
  );
end entity;
architecture rtl of slave is
  signal count : unsigned(7 downto 0) := (others => '0');
  signal busy : std_logic := '0';
`;
const design = (statement: string, { outside = 'dat_o <= dat_i;', head = HEAD, entity = ENTITY } = {}) =>
  `${head}${entity}begin
  ${outside}
  process (clk)
    variable n : integer;
  begin
    if rising_edge(clk) then
      ${statement}
      ack <= cyc and stb and busy;
    end if;
  end process;
end architecture;
`;

type Case = [what: string, source: string, line: number, said: string];
const ASSIGN = 'assign it with';

describe.skipIf(!ghdl)('mistakes in VHDL', () => {
  async function refused(source: string) {
    const context = record();
    const { matched, diagnostics } = await toolchain.scan(requestOf(source, 'slave.vhd'), context);
    expect(matched).toBeNull();
    return { first: diagnostics[0], log: context.text() };
  }

  test('reads the source without a mistake, with its assertions and attributes', async () => {
    const asserted = 'count <= count + 1; busy <= we; assert busy = \'0\' report "busy" severity failure;';
    const kept = '  attribute keep : string; attribute keep of busy : signal is "true";\n';
    const source = design(asserted, { entity: ENTITY + kept });
    const { diagnostics, matched } = await toolchain.scan(requestOf(source, 'slave.vhd'), record());
    expect(diagnostics).toEqual([]);
    expect(matched?.module).toBe('slave');
  });

  test.each<Case>([
    ['a semicolon', design("busy <= '1'"), 22, "a `;` is missing after `'1'`, before `ack`"],
    [
      'an end if',
      design("if we = '1' then\n        busy <= '0';"),
      26,
      'an `end if;` is missing above this `end process`',
    ],
    [
      'an else if',
      design(
        "if we = '1' then\n        busy <= '0';\n      else if cyc = '1' then\n        busy <= '1';\n      end if;",
      ),
      29,
      'an `end if;` is missing above this `end process`: an `else if` begins another `if` with its own end; `elsif` does not',
    ],
    [
      'a comparison',
      design("busy = '1';"),
      22,
      '`=` compares: assign a signal with `<=`, a variable with `:=`',
    ],
    ['a signal with a slip', design("bsuy <= '1';"), 22, '`bsuy` is not declared; did you mean `busy`?'],
    [
      'a vector for a number',
      design('count <= dat_i;'),
      22,
      '`dat_i` has the type `std_logic_vector`, but `unsigned` is expected here: write `unsigned(dat_i)`',
    ],
    [
      'a number for a vector',
      design('', { outside: 'dat_o <= count;' }),
      17,
      '`count` has the type `unsigned`, but `std_logic_vector` is expected here: write `std_logic_vector(count)`',
    ],
    [
      'a sum of vectors',
      design('count <= unsigned(dat_i + 1);'),
      22,
      '`+` is not defined for these types: a `std_logic_vector` has no arithmetic, so convert it with `unsigned(…)`, and the result with `std_logic_vector(…)` (`use ieee.numeric_std.all;`)',
    ],
    ['a number for a bit', design('busy <= 0;'), 22, "a number is not a `std_logic`: write `'0'` or `'1'`"],
    [
      'a string for a bit',
      design('busy <= "0";'),
      22,
      "write one bit in `' '`, as in `'0'`: `\" \"` is a vector",
    ],
    [
      'no library',
      design('count <= count + 1;', { head: HEAD.replace('library ieee;', '') }),
      2,
      'the library `ieee` is not declared: write `library ieee;` above its first `use`',
    ],
    [
      'no package for bits',
      design('count <= count + 1;', { head: HEAD.replace('use ieee.std_logic_1164.all;', '') }),
      7,
      '`std_logic` comes from a package that is not used: write `use ieee.std_logic_1164.all;` above, after `library ieee;`',
    ],
    [
      'no package for numbers',
      design('count <= count + 1;', { head: HEAD.replace('use ieee.numeric_std.all;', '') }),
      14,
      '`unsigned` comes from a package that is not used: write `use ieee.numeric_std.all;` above, after `library ieee;`',
    ],
    [
      'a then',
      design("if we = '1'\n        busy <= '0';\n      end if;"),
      22,
      "a `then` is missing after `'1'`, before `busy`",
    ],
    [
      'an architecture of another name',
      design('', { entity: ENTITY.replace('of slave', 'of slvae') }),
      13,
      'the entity `slave` has no architecture in the upload: write one, or correct the name after `of` in its architecture',
    ],
    [
      'a signal as a variable',
      design("busy := '1';"),
      22,
      `\`busy\` is a signal: ${ASSIGN} \`<=\`; \`:=\` is for variables`,
    ],
    [
      'a variable as a signal',
      design('n <= 1;'),
      22,
      `\`n\` is a variable: ${ASSIGN} \`:=\`; \`<=\` is for signals`,
    ],
    [
      'a begin',
      design('').replace(/(std_logic := '0';\n)begin\n/, '$1'),
      16,
      'a `begin` is missing above `dat_o`: this is not a declaration, and statements come after the `begin` of their architecture or process',
    ],
    [
      'a semicolon between ports',
      design('', { entity: ENTITY.replace('(7 downto 0);', '(7 downto 0)') }),
      8,
      'a `;` is missing after `)`: it separates ports and generics',
    ],
    [
      'a semicolon behind the last port',
      design('', { entity: ENTITY.replace('ack : out std_logic', 'ack : out std_logic;') }),
      10,
      'remove the `;` after the last port or generic',
    ],
    [
      'operators of C',
      design("if we = '1' && cyc = '1' then busy <= '0'; end if;"),
      22,
      '`&&` is written `and` in VHDL',
    ],
    [
      'an elseif',
      design("if we = '1' then busy <= '0'; elseif cyc = '1' then busy <= '1'; end if;"),
      22,
      '`elseif` is written `elsif` in VHDL',
    ],
    [
      'an endif',
      design("if we = '1' then\n        busy <= '0';\n      endif;"),
      24,
      '`endif` is written `end if` in VHDL',
    ],
    ['a comment of C', design('// now\n'), 22, 'a comment begins with `--` in VHDL, not with `//`'],
    ['an index of C', design('busy <= dat_i[0];'), 22, 'an index or a range needs `( )` in VHDL, not `[ ]`'],
    [
      'a case that names too little',
      design('case dat_i(1 downto 0) is when "00" => busy <= we; end case;'),
      22,
      'this `case` does not cover every value: add `when others =>` at its end',
    ],
    [
      'bits at a variable place in an element at a variable place',
      design(
        'm(to_integer(count(1 downto 0))).x(to_integer(count(1 downto 0)) + 1 downto to_integer(count(1 downto 0))) <= dat_i(1 downto 0);',
        {
          entity: `${ENTITY}  type r is record y : std_logic; x : std_logic_vector(7 downto 0); end record; type t is array (0 to 3) of r; signal m : t;\n`,
        },
      ),
      23,
      'GHDL cannot assign a range of bits at a variable place of an element at a variable place: assign the element to a variable, change the bits in it, and assign it to the element',
    ],
  ])('%s', async (_, source, line, said) => {
    const { first } = await refused(source);
    expect(first).toMatchObject({
      severity: 'error',
      code: 'ghdl_error',
      file: 'slave.vhd',
      line,
      message: said,
    });
  });

  test.each<[string, string, string]>([
    [
      'a port that is none',
      'a => we, z => busy, c => dat_i(3 downto 0)',
      'the instance has no port or generic `z`',
    ],
    [
      'a width',
      'a => we, b => busy, c => dat_i',
      'this connection and the port differ in width: make them equally wide',
    ],
    [
      'an unconnected input',
      'b => busy, c => dat_i(3 downto 0)',
      'the input `a` is not connected and has no default value: connect it in the `port map`',
    ],
    [
      'a type',
      'a => we, b => busy, c => we',
      '`we` cannot be connected to the port `c`: it has the type `std_logic`, and the port has the type `std_logic_vector`',
    ],
    ['an equals sign', 'a = we, b => busy', 'a port is connected with `=>`, as in `a => x`, not with `=`'],
  ])('a port map: %s', async (_, map, said) => {
    const source = PART + design('', { outside: `u0: entity work.part port map (${map});` });
    const { first } = await refused(source);
    expect(first).toMatchObject({ file: 'slave.vhd', line: 21, message: said });
  });

  test('a function that reads a signal, but has no parameter', async () => {
    const parity = `impure function parity return std_logic is
    variable one : std_logic;
  begin
    one := '0';
    for i in 0 to 7 loop one := one xor dat_i(i); end loop;
    return one;
  end function;
begin`;
    const { first } = await refused(design('busy <= parity;').replace('begin', parity));
    expect(first).toMatchObject({
      line: 20,
      message: expect.stringMatching(/pass the signals that this function reads as its parameters$/),
    });
  });

  test.each<[what: string, process: string, line: number, said: RegExp]>([
    [
      'a wait in the midst of a process',
      "process begin\n    busy <= '0';\n    wait until rising_edge(clk);\n    busy <= '1';\n  end process;",
      18,
      /^a process without a sensitivity list begins with `wait until/,
    ],
    [
      'an else behind an edge',
      'process (clk) begin\n    if rising_edge(clk) then dat_o <= dat_i; else dat_o <= x"00"; end if;\n  end process;',
      18,
      /^`if rising_edge\(clk\)` has no `else`/,
    ],
    [
      'an else after an edge, for a signal with an initial value: GHDL makes it a constant',
      "process (clk) begin\n    if rising_edge(clk) then busy <= '1'; else busy <= '0'; end if;\n  end process;",
      18,
      /^`if rising_edge\(clk\)` has no `else`/,
    ],
  ])('a process that no circuit can implement: %s', async (_, process, line, said) => {
    const { first } = await refused(design('', { outside: process }));
    expect(first).toMatchObject({ line, message: expect.stringMatching(said) });
  });

  test.each<[what: string, source: string, line: number, said: string]>([
    [
      'a generic without a value',
      design('busy <= PLUS;', {
        entity: ENTITY.replace('port (', 'generic (WIDTH : natural := 8;\n    PLUS : std_logic); port ('),
      }),
      7,
      "the generic `plus` of `slave` has no value, and no instance sets one: write one after its type, as in `:= '0'`, or also upload the design that instantiates it",
    ],
    [
      'two of them',
      design('busy <= MINE(0);', {
        entity: ENTITY.replace(
          'port (',
          'generic (\n    MINE : std_logic_vector(3 downto 0); PLUS : std_logic); port (',
        ),
      }),
      7,
      'the generic `mine` of `slave` has no value, nor has `plus`',
    ],
    [
      'a port without a range',
      design('', {
        entity: ENTITY.replace('dat_i : in std_logic_vector(7 downto 0)', 'dat_i : in std_logic_vector'),
      }),
      8,
      'the port `dat_i` of `slave` has no range, and no instance sets its width: write one after its type, as in `std_logic_vector(31 downto 0)`',
    ],
    [
      'a unit at its number',
      design('', { outside: 'dat_o <= dat_i after 10ns;' }),
      17,
      'a space is missing between number and unit: write `10 ns`',
    ],
    [
      'a word for a name',
      design('', { entity: ENTITY.replace('clk, cyc', 'next, cyc') }),
      7,
      '`next` is a reserved word and cannot be a name',
    ],
    [
      'a choice that a loop decides',
      design(
        'for i in 0 to 1 loop case to_integer(count) is when i => busy <= cyc; when others => null; end case; end loop;',
      ),
      22,
      'a choice of a `case` must be a constant, and not depend on a loop',
    ],
    [
      'a latch',
      design('', {
        outside: "process (we, dat_i) begin if we = '1' then dat_o <= dat_i; end if; end process;",
      }),
      17,
      '`dat_o` keeps its value without a clock where nothing assigns it: that is a latch',
    ],
    [
      'a bit for a vector',
      design('', { outside: 'dat_o <= dat_i(0);' }),
      17,
      'a `std_logic_vector` is expected here, not a single bit or element: write a range',
    ],
    ['only a statement', 'busy <= cyc;\n', 1, 'found `busy` outside any entity'],
    [
      'a part that is cut off',
      design('').split('ack <=')[0] ?? '',
      21,
      'the file ends too early; part of it may be missing',
    ],
  ])('an incomplete source: %s', async (_, source, line, said) => {
    const { first } = await refused(source);
    expect(first).toMatchObject({ line, message: expect.stringContaining(said) });
  });

  test('only a package', async () => {
    const { first } = await refused(`${HEAD}package words is constant SIZE : natural := 3; end package;\n`);
    expect(first).toMatchObject({
      file: 'slave.vhd',
      message: expect.stringMatching(/^the upload has no entity, only a package/),
    });
  });

  test('the log has GHDL’s own messages', async () => {
    const { log } = await refused(design("busy = '1';"));
    expect(log.split('\n').slice(-2)).toEqual([
      `ghdl: slave.vhd:22: "<=" or ":=" expected instead of '='`,
      'error: slave.vhd:22: `=` compares: assign a signal with `<=`, a variable with `:=`',
    ]);
  });
});
