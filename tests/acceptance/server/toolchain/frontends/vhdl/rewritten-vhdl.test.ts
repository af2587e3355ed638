import { describe, expect, test } from 'vitest';
import { seeded } from '../../../../../support/seeded.ts';
import { SOAK } from '../../../../../support/soak.ts';
import { HEAD, PORTS, wrongCircuits } from '../../../../../support/toolchain/frontends/vhdl/simulated.ts';
import { hasGhdl, hasIcarus } from '../../../../../support/toolchain/simulate.ts';

const CIRCUITS = SOAK ? 1000 : 60;

/** Random statements that assign constants and inputs to a vector of eight bits, or to parts of it. */
class Statements {
  readonly #random: () => number;
  readonly #name: string;
  readonly #sign: string;
  readonly #isAscending: boolean;

  constructor(random: () => number, name: string, sign: string, isAscending: boolean) {
    this.#random = random;
    this.#name = name;
    this.#sign = sign;
    this.#isAscending = isAscending;
  }

  below = (limit: number) => Math.floor(this.#random() * limit);

  bits = (width: number) => `"${Array.from({ length: width }, () => this.below(2)).join('')}"`;

  #oneOf = (...texts: readonly string[]) => texts[this.below(texts.length)] ?? '';

  #bit = () => `${this.#oneOf('a', 'b', 'c')}(${this.below(8)})`;

  block(depth: number): string {
    return Array.from({ length: 1 + this.below(3) }, () => this.#statement(depth)).join(' ');
  }

  #statement(depth: number): string {
    const kind = this.below(depth > 0 ? 11 : 6);
    if (kind === 10) return `w := ${this.#oneOf(this.bits(8), 'not w', 'w xor K')};`;
    if (kind === 9)
      return `for i in 0 to ${this.below(3)} loop ${this.block(depth - 1)} ${this.#name} ${this.#sign} std_logic_vector(to_unsigned(i * 41 + 3, 8)); end loop;`;
    if (kind === 8)
      return `case ${this.#oneOf('a', 'b', 'c')}(1 downto 0) is when "00" => ${this.block(depth - 1)} when "10" => ${this.block(depth - 1)} when others => ${this.#oneOf('null;', this.block(depth - 1))} end case;`;
    if (kind >= 6)
      return `if ${this.#oneOf("we = '1'", `${this.#bit()} = '0'`)} then ${this.block(depth - 1)} ${this.#oneOf('', `elsif ${this.#bit()} = '0' then ${this.block(depth - 1)}`)} ${this.#oneOf('', `else ${this.block(depth - 1)}`)} end if;`;
    if (kind >= 3) return `${this.#name} ${this.#sign} ${this.#whole()};`;
    if (kind === 2)
      return `${this.#name}(${this.below(8)}) ${this.#sign} ${this.#oneOf("'0'", "'1'", this.#bit())};`;
    const low = this.below(7);
    const width = 1 + this.below(8 - low);
    const from = this.below(9 - width);
    const [first, last] = this.#isAscending
      ? [low, `to ${low + width - 1}`]
      : [low + width - 1, `downto ${low}`];
    return `${this.#name}(${first} ${last}) ${this.#sign} ${this.#oneOf(this.bits(width), `a(${from + width - 1} downto ${from})`)};`;
  }

  #whole(): string {
    return this.#oneOf(
      ...[this.bits(8), `x"${(0x100 + this.below(256)).toString(16).slice(1)}"`, 'K', 'not K', 'a', 'b'],
      ...['std_logic_vector(to_unsigned(77, 8))', "(6 => '1', 2 => '1', others => '0')", '"0110" & "0001"'],
      ...["(others => '1')", 'not w', 'w', 'w xor K', '"0110" & w(6 downto 3)'],
      // GHDL's simulation has no choices for variables.
      `${this.bits(8)}${this.#sign === ':=' ? '' : ` when ${this.#oneOf('w(3)', 'a(0)')} = '1' else ${this.#oneOf(this.bits(8), 'not w')}`}`,
    );
  }
}

/** What contains the vector. */
interface Shape {
  type: string;
  /** The vector in it, and another one. */
  part: string;
  other: string;
  value(bits: () => string): string;
  read(name: string): string;
}

const VECTOR: Shape = { type: '', part: '', other: '', value: (bits) => bits(), read: (name) => name };
const SHAPES: readonly Shape[] = [
  {
    ...{ type: 'pair', part: '.f', other: '.g' },
    value: (bits) => `(f => ${bits()}, g => ${bits()})`,
    read: (name) => `${name}.f xor ${name}.g`,
  },
  {
    ...{ type: 'single', part: '.f', other: '.f' },
    value: (bits) => `(f => ${bits()})`,
    read: (name) => `${name}.f`,
  },
  {
    ...{ type: 'words', part: '(1)', other: '(2)' },
    value: (bits) => `(${bits()}, ${bits()}, ${bits()})`,
    read: (name) => `${name}(0) xor ${name}(1) xor ${name}(2)`,
  },
  {
    ...{ type: 'pairs', part: '(1).g', other: '(0).f' },
    value: (bits) => `((${bits()}, ${bits()}), (${bits()}, ${bits()}))`,
    read: (name) => `${name}(0).f xor ${name}(1).f xor ${name}(0).g xor ${name}(1).g`,
  },
  {
    ...{ type: 'tree', part: '.p.f', other: '.w(2)' },
    value: (bits) => `((${bits()}, ${bits()}), (${bits()}, ${bits()}, ${bits()}))`,
    read: (name) => `${name}.p.f xor ${name}.p.g xor ${name}.w(0) xor ${name}.w(1) xor ${name}.w(2)`,
  },
];
const typesOf = (vector: string) =>
  `type pair is record f, g : ${vector}; end record; type single is record f : ${vector}; end record; type words is array (0 to 2) of ${vector}; type pairs is array (0 to 1) of pair; type tree is record p : pair; w : words; end record;`;

/** A circuit with such statements: in a process or a function, for a signal, a variable, or a vector in a record. */
function circuit(random: () => number, at: number): string {
  const style = at % 5;
  const isSignal = style < 3 && random() < 0.5;
  const isAscending = random() < 0.3;
  const shape = SHAPES[Math.floor(random() * 2 * SHAPES.length)] ?? VECTOR;
  const [name, sign] = [`v${at}`, isSignal ? '<=' : ':='];
  const statements = new Statements(random, `${name}${shape.part}`, sign, isAscending);
  const vector = `std_logic_vector(${isAscending ? '0 to 7' : '7 downto 0'})`;
  const constant = () => shape.value(() => statements.bits(8));
  const first = `w := ${statements.bits(8)}; ${name} ${sign} ${constant()};`;
  const body = `${statements.block(3)} ${first} ${statements.block(2)}`;
  const declared = `${isSignal ? 'signal' : 'variable'} ${name} : ${shape.type === '' ? vector : shape.type} := ${constant()};`;
  const value = shape.read(name);
  const constants = `variable w : std_logic_vector(7 downto 0) := ${statements.bits(8)};`;
  const [signal, variable] = isSignal ? [declared, constants] : ['', `${declared} ${constants}`];
  const out = isSignal ? '' : `y <= ${value};`;
  const part = `${name}${shape.other}`;
  const set = `procedure set(n : natural; r : inout std_logic_vector) is begin if we = '1' then r(n) := a(n); end if; end;`;
  const [inner, process] = [
    ['', `process (all) ${variable} begin ${first} ${body} ${out} end process;`],
    ['', `process (clk) ${variable} begin if rising_edge(clk) then ${body} ${out} end if; end process;`],
    [
      '',
      `process (clk, we) ${variable} begin if we = '1' then ${first} elsif rising_edge(clk) then ${first} ${body} end if; ${out} end process;`,
    ],
    [
      `function f(a, b, c : std_logic_vector(7 downto 0); we : std_logic) return std_logic_vector is ${variable} begin ${body} return ${value}; end function;`,
      'y <= f(a, b, c, we);',
    ],
    [
      '',
      `process (clk) ${variable} ${set} alias two : std_logic_vector(1 downto 0) is ${part}(${isAscending ? '4 to 5' : '5 downto 4'}); begin if rising_edge(clk) then ${body} set(3, ${part}); if b(0) = '1' then ${first} if b(3) = '1' then set(6, ${part}); elsif b(4) = '1' then two := c(1 downto 0); end if; end if; ${out} end if; end process;`,
    ],
  ][style] ?? ['', ''];
  return `${HEAD}
entity circuit${at} is ${PORTS}; end entity;
architecture rtl of circuit${at} is
constant K : ${vector} := "00" & "011101"; ${typesOf(vector)} ${signal} ${inner} begin
${process} ${isSignal ? `y <= ${value};` : ''}
end architecture;
`;
}

describe.skipIf(!hasGhdl || !hasIcarus)('constants and choices of VHDL', () => {
  test('constants for vectors of which others assign parts have the bits of the simulation', async () => {
    const random = seeded(11);
    const circuits = Array.from({ length: CIRCUITS }, (_, at) => circuit(random, at));
    const wrong = await wrongCircuits(random, circuits);
    expect(wrong.map(({ at, meant, got }) => `${meant}, got ${got}: ${circuits[at]}`)).toEqual([]);
  });

  /** A slave with a circuit of its own. */
  const design = (declared: string, body: string) => [
    `${HEAD}
entity circuit0 is ${PORTS}; end entity;
architecture rtl of circuit0 is ${declared} begin ${body}
end architecture;
`,
  ];

  test('a constant for an array of two dimensions has the bits of the simulation', async () => {
    const process = (kind: string, sign: string) =>
      design(
        `type grid is array (0 to 1, 0 to 3) of std_logic; ${kind === 'signal' ? 'signal g : grid;' : ''}`,
        `process (all) ${kind === 'signal' ? '' : 'variable g : grid;'} begin g ${sign} ("0110", "1011"); if we = '1' then g(1, 2) ${sign} a(0); end if;
         y <= (g(0, 0), g(0, 1), g(0, 2), g(0, 3), g(1, 0), g(1, 1), g(1, 2), g(1, 3)); end process;`,
      );
    expect(await wrongCircuits(seeded(5), process('signal', '<='))).toEqual([]);
    expect(await wrongCircuits(seeded(5), process('variable', ':='))).toEqual([]);
  });

  // GHDL's simulation has the same faults, so another design is the reference.
  test('constants that are concatenations have the elements of their own ranges', async () => {
    const of = (value: string) =>
      design(
        `subtype byte is std_logic_vector(7 downto 0); constant J : std_logic_vector(7 downto 0) := ${value}; constant K : byte := ${value};`,
        "y <= (7 => J(7), 6 => J(6), 5 => J(0), 4 => K(K'left), 3 => K(2), others => '0');",
      );
    expect(await wrongCircuits(seeded(3), of('"0110" & x"3"'), of('"01100011"'))).toEqual([]);
  });

  test('choices with bits that do not matter match them', async () => {
    const cases = design(
      'signal s, t : std_logic_vector(3 downto 0);',
      `process (all) begin case? a is when "1-------" => s <= "0001"; when "01------" | "001---1-" => case b(0) is when '1' => s <= c(3 downto 0); when others => s <= "0010"; end case; when others => s <= "0100"; end case?; end process;
       with c(2 downto 0) select? t <= a(3 downto 0) when "1--", b(3 downto 0) when "01-" | "0-1", "0110" when others; y <= s & t;`,
    );
    const conditions = design(
      'signal s, t : std_logic_vector(3 downto 0);',
      `s <= "0001" when a(7) else "0010" when (a(6) or (a(5) and a(1))) and not b(0) else c(3 downto 0) when a(6) or (a(5) and a(1)) else "0100";
       t <= a(3 downto 0) when c(2) else b(3 downto 0) when c(1) or c(0) else "0110"; y <= s & t;`,
    );
    expect(await wrongCircuits(seeded(4), cases, conditions)).toEqual([]);
  });

  test('choices may depend on generics and functions', async () => {
    const of = (constants: string, first: string, second: string, third: string) =>
      design(
        `${constants} signal s : std_logic_vector(7 downto 0);`,
        `process (all) begin case to_integer(unsigned(a(5 downto 0))) is when 0 to ${first} => s <= b; when ${second} | 40 => s <= c; when 60 downto ${third} => s <= not b; when others => s <= x"a5"; end case; end process;
         with to_integer(unsigned(c)) select y <= s when ${third}, b when ${second}, a when others;`,
      );
    const computed = of(
      'function half (x : natural) return natural is begin return x / 2; end; constant N : natural := half(26); constant M : natural := N + 4;',
      'N - 1',
      'N to M',
      'half(104)',
    );
    expect(await wrongCircuits(seeded(6), computed, of('', '12', '13 to 17', '52'))).toEqual([]);
  });
});
