import { Choices } from './choices.ts';
import { INPUT_WIDTH, OUTPUT_WIDTH } from './expression.ts';

type Kind = 'unsigned' | 'signed' | 'std_logic_vector';

interface Vector {
  text: string;
  kind: Kind;
  width: number;
  /** Whether bits of it may be selected. */
  isIndexed: boolean;
  isAscending?: boolean;
}

/** A memory: words of a vector. */
interface Words {
  name: string;
  kind: Kind;
  width: number;
  addressBits: number;
}

const OPERANDS: readonly Vector[] = [
  { text: 'a', kind: 'signed', width: 8, isIndexed: true },
  { text: 'b', kind: 'unsigned', width: 8, isIndexed: true },
  { text: 'c', kind: 'signed', width: 32, isIndexed: true },
  { text: 'd', kind: 'std_logic_vector', width: 16, isIndexed: true },
  { text: 'e', kind: 'unsigned', width: 4, isIndexed: true },
];
/** Operands in the input, with the single bit `f`. */
const OPERAND_COUNT = OPERANDS.length + 1;

const STATES = ['idle', 'load', 'busy', 'done', 'fail'];

/** What a process assigns. */
interface Target {
  vectors: readonly Vector[];
  states: readonly string[];
  memory: Words | null;
  assign: '<=' | ':=';
}

const typeOf = ({ kind, width, isAscending }: Pick<Vector, 'kind' | 'width' | 'isAscending'>): string =>
  `${kind}(${isAscending ? `0 to ${width - 1}` : `${width - 1} downto 0`})`;

/**
 * Random designs in VHDL: vectors with and without a sign, records, memories, states, functions and procedures with
 * arguments of any width, the statements of processes, entities with generics. Every signal has a value from the start
 * and no index is out of range, so that a simulator knows all bits.
 */
export class VhdlMaker {
  readonly choices: Choices;
  #reads: Vector[] = [...OPERANDS];
  #states: string[] = [];
  #memories: Words[] = [];
  readonly #declarations: string[] = [];
  #named = 0;

  constructor(random: () => number) {
    this.choices = new Choices(random);
  }

  make(): { text: string; outputs: number } {
    const { choices } = this;
    const pieces = [
      ...choices.some(4, () => this.#process()),
      this.#concurrent(),
      this.#instances(),
      this.#block(),
    ];
    const shown = pieces.flatMap((piece) => piece.shown);
    const text = `${PACKAGE}
${CHILD}
library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all; use work.parts.all;
entity slave is port (clk, rst, wb_cyc, wb_stb, wb_we : in std_logic; wb_adr : in std_logic_vector(3 downto 0);
  wb_dat_w : in std_logic_vector(31 downto 0); wb_dat_r : out std_logic_vector(31 downto 0); wb_ack : out std_logic;
  stimulus : in std_logic_vector(${OPERAND_COUNT * INPUT_WIDTH - 1} downto 0);
  ${shown.map((_, at) => `y${at}`).join(', ')} : out std_logic_vector(${OUTPUT_WIDTH - 1} downto 0));
end entity;
architecture rtl of slave is
  type state_t is (${STATES.join(', ')});
${OPERANDS.map((one) => `  signal ${one.text} : ${typeOf(one)};`).join('\n')}
  signal f : std_logic;
  signal n : natural range 0 to 7;
${this.#declarations.map((one) => `  ${one}`).join('\n')}
begin
  wb_ack <= wb_stb;
  wb_dat_r <= std_logic_vector(resize(unsigned(wb_adr), 32));
${OPERANDS.map(({ text: name, kind, width }, at) => `  ${name} <= ${kind}(stimulus(${at * INPUT_WIDTH + width - 1} downto ${at * INPUT_WIDTH}));`).join('\n')}
  f <= stimulus(${OPERANDS.length * INPUT_WIDTH});
  n <= to_integer(unsigned(stimulus(102 downto 100)));
${pieces.flatMap((piece) => piece.lines).join('\n')}
${shown.map((value, at) => `  y${at} <= ${value};`).join('\n')}
end architecture;
`;
    return { text, outputs: shown.length };
  }

  #name(prefix: string): string {
    return `${prefix}${this.#named++}`;
  }

  #shown = ({ text, kind }: Vector): string =>
    `std_logic_vector(resize(${kind === 'std_logic_vector' ? `unsigned(${text})` : text}, ${OUTPUT_WIDTH}))`;

  /** A number from 0 to below 2 ** bits. */
  #index(bits: number): string {
    const { text, width } = this.choices.of(OPERANDS.filter((one) => one.width > bits));
    const low = this.choices.below(width - bits + 1);
    return `to_integer(unsigned(${text}(${low + bits - 1} downto ${low})))`;
  }

  /** An index within a width. */
  #position(count: number): string {
    if (count === 1 || this.choices.once(2)) return String(this.choices.below(count));
    const bits = Math.ceil(Math.log2(count));
    return 2 ** bits === count ? this.#index(bits) : `${this.#index(bits + 1)} mod ${count}`;
  }

  #bit(): string {
    const { choices } = this;
    const { text, width } = choices.of(this.#reads.filter(({ isIndexed }) => isIndexed));
    return choices.of([
      () => 'f',
      () => `${text}(${this.#position(width)})`,
      () => `${text}(${this.#position(width)})`,
    ])();
  }

  #condition(depth: number): string {
    const { choices } = this;
    const compare = choices.of(['=', '/=', '<', '<=', '>', '>=']);
    const kind = choices.of(['unsigned', 'signed'] as const);
    const width = () => 1 + choices.below(12);
    return choices.of([
      () => `${this.#bit()} = '${choices.below(2)}'`,
      () =>
        `(${this.#vector(kind, width(), depth - 1)} ${compare} ${this.#vector(kind, width(), depth - 1)})`,
      () => `(${this.#vector('unsigned', width(), depth - 1)} ${compare} ${choices.below(40)})`,
      () => `(${this.#vector('signed', width(), depth - 1)} ${compare} ${choices.below(20) - 10})`,
      () => (this.#states.length > 0 ? `(${choices.of(this.#states)} = ${choices.of(STATES)})` : 'f = f'),
      () =>
        `(${this.#condition(depth - 1)} ${choices.of(['and', 'or', 'xor', 'nand'])} ${this.#condition(depth - 1)})`,
      () => `not (${this.#condition(depth - 1)})`,
    ])();
  }

  /** A value of exactly this type. */
  #vector(kind: Kind, width: number, depth: number): string {
    const { choices } = this;
    const same = (bits = width) => this.#vector(kind, bits, depth - 1);
    if (depth <= 0) return this.#leaf(kind, width);
    const number = kind === 'std_logic_vector' ? [] : this.#numbers(kind, width, depth);
    const other = choices.of(['unsigned', 'signed', 'std_logic_vector'] as const);
    return choices.of([
      () => `(${same()} ${choices.of(['and', 'or', 'xor', 'nor', 'xnor'])} ${same()})`,
      () => `(not ${same()})`,
      () => `${kind}(${this.#vector(other === kind ? 'unsigned' : other, width, depth - 1)})`,
      () => {
        if (width === 1) return same();
        const left = 1 + choices.below(width - 1);
        return `${kind}'(${same(left)} & ${same(width - left)})`;
      },
      () => `choose(${this.#condition(depth - 1)}, ${same()}, ${same()})`,
      () => `mirrored(${same()})`,
      () => this.#leaf(kind, width),
      ...number,
      ...number,
    ])();
  }

  /** Forms of numbers. */
  #numbers(kind: 'unsigned' | 'signed', width: number, depth: number): (() => string)[] {
    const { choices } = this;
    const same = (bits = width) => this.#vector(kind, bits, depth - 1);
    const any = () => 1 + choices.below(choices.of([6, 16, 34]));
    const constant = () =>
      kind === 'unsigned'
        ? choices.below(2 ** Math.min(width, 8))
        : choices.below(2 ** Math.min(width - 1, 7));
    return [
      () => `(${same()} ${choices.of(['+', '-'])} ${same(1 + choices.below(width))})`,
      () => `(${same()} ${choices.of(['+', '-'])} ${constant()})`,
      () => `resize(${same(any())}, ${width})`,
      () => `resize(${same(any())}, ${width})`,
      () => `resize(${same(1 + choices.below(9))} * ${same(1 + choices.below(9))}, ${width})`,
      () =>
        `${choices.of(['shift_left', 'shift_right', ...(kind === 'signed' ? [] : ['rotate_left', 'rotate_right'])])}(${same()}, ${this.#index(1 + choices.below(3))})`,
      () => `(${same()} ${choices.of(['sll', 'srl', 'rol', 'ror'])} ${choices.below(width + 2)})`,
      () =>
        kind === 'signed'
          ? `(${choices.of(['-', 'abs '])}${same()})`
          : `to_unsigned(${this.#index(Math.min(3, width))}, ${width})`,
      () =>
        `resize(${same(6)} ${choices.of(['mod', 'rem', '/'])} ${kind === 'signed' ? choices.of(['(-3)', '5', '(-7)']) : choices.of(['3', '8', '7'])}, ${width})`,
      () => `summed(${same()}, ${this.#index(2)})`,
    ];
  }

  #leaf(kind: Kind, width: number): string {
    const { choices } = this;
    const whole = this.#reads.filter((one) => one.kind === kind && one.width === width);
    const wider = this.#reads.filter((one) => one.width > width && one.isIndexed && !one.isAscending);
    const words = this.#memories.filter((one) => one.kind === kind && one.width === width);
    return choices.of([
      ...whole.map(
        ({ text }) =>
          () =>
            text,
      ),
      ...words.map(
        ({ name, addressBits }) =>
          () =>
            `${name}(${this.#index(addressBits)})`,
      ),
      () => {
        if (wider.length === 0) return this.#constant(kind, width);
        const { text, width: bits } = choices.of(wider);
        const low = choices.below(bits - width + 1);
        if (bits - width >= 7 && choices.once(2)) return `${kind}(${text}(n + ${width - 1} downto n))`;
        return `${kind}(${text}(${low + width - 1} downto ${low}))`;
      },
      () => this.#constant(kind, width),
    ])();
  }

  /** One of two literals: GHDL refuses many operators of constants. */
  #constant(kind: Kind, width: number): string {
    return `choose(f = '1', ${this.#literal(kind, width)}, ${this.#literal(kind, width)})`;
  }

  #literal(kind: Kind, width: number): string {
    const digits = Array.from({ length: width }, () => this.choices.below(2)).join('');
    return `${kind}'("${digits}")`;
  }

  #statements(target: Target, depth: number): string[] {
    return this.choices.some(3, () => this.#statement(target, depth - 1)).flat();
  }

  #statement(target: Target, depth: number): string[] {
    const { choices } = this;
    const within = () => this.#statements(target, depth);
    const plain = [
      () => [this.#assignment(target)],
      () => [this.#assignment(target)],
      () => [this.#assignment(target)],
    ];
    if (depth <= 0) return choices.of(plain)();
    return choices.of([
      ...plain,
      () => [
        `if ${this.#condition(2)} then`,
        ...within(),
        ...(choices.once(3) ? [`elsif ${this.#condition(1)} then`, ...within()] : []),
        ...(choices.once(2) ? ['else', ...within()] : []),
        'end if;',
      ],
      () => this.#case(within),
      () => this.#loop(target),
      () => this.#loop(target),
      () => {
        const variables = target.vectors.filter(
          ({ kind }) => target.assign === ':=' && kind !== 'std_logic_vector',
        );
        if (variables.length === 0) return [this.#assignment(target)];
        const { text, kind, width } = choices.of(variables);
        return [`accumulate(${text}, ${this.#vector(kind, width, 2)});`];
      },
    ])();
  }

  #assignment(target: Target): string {
    const { choices } = this;
    const { assign, memory, states } = target;
    if (memory && choices.once(3)) {
      const { name, kind, width, addressBits } = memory;
      const whole = `${name}(${this.#index(addressBits)})`;
      if (choices.once(2)) return `${whole} ${assign} ${this.#vector(kind, width, 2)};`;
      const half = width >> 1;
      const [high, low] = choices.of([
        [half - 1, 0],
        [width - 1, half],
      ] as const);
      return `${whole}(${high} downto ${low}) ${assign} ${this.#vector(kind, high - low + 1, 2)};`;
    }
    if (states.length > 0 && choices.once(4)) return `${choices.of(states)} ${assign} ${choices.of(STATES)};`;
    const { text, kind, width, isAscending, isIndexed } = choices.of(target.vectors);
    const depth = 1 + choices.below(3);
    const whole = () => `${text} ${assign} ${this.#vector(kind, width, depth)};`;
    if (!isIndexed || width === 1) return whole();
    return choices.of([
      whole,
      whole,
      () => `${text}(${this.#position(width)}) ${assign} ${this.#bit()};`,
      () => `${text} ${assign} (${choices.below(width)} => ${this.#bit()}, others => ${this.#bit()});`,
      () => {
        const bits = 1 + choices.below(width);
        const low = choices.below(width - bits + 1);
        const range = isAscending ? `${low} to ${low + bits - 1}` : `${low + bits - 1} downto ${low}`;
        return `${text}(${range}) ${assign} ${this.#vector(kind, bits, depth)};`;
      },
      () => {
        if (width < 8) return whole();
        const bits = 1 + choices.below(width - 7);
        const range = isAscending ? `n to n + ${bits - 1}` : `n + ${bits - 1} downto n`;
        return `${text}(${range}) ${assign} ${this.#vector(kind, bits, depth)};`;
      },
    ])();
  }

  #case(within: () => string[]): string[] {
    const { choices } = this;
    const items = (labels: readonly string[]) => [
      ...labels.flatMap((label) => [`when ${label} =>`, ...within()]),
      ...['when others =>', ...(choices.once(2) ? within() : ['null;'])],
    ];
    if (this.#states.length > 0 && choices.once(2))
      return [
        `case ${choices.of(this.#states)} is`,
        ...items([STATES[0]!, `${STATES[1]} | ${STATES[2]}`]),
        'end case;',
      ];
    const bits = 2 + choices.below(2);
    const wide = OPERANDS.filter(({ width }) => width > bits);
    const { text } = choices.of(wide);
    const low = choices.below(2);
    const selector = `${text}(${low + bits - 1} downto ${low})`;
    const pad = (value: number) => value.toString(2).padStart(bits, '0');
    if (choices.once(4))
      return [
        `case? std_logic_vector(${selector}) is`,
        ...items([`"1${'-'.repeat(bits - 1)}"`, `"0${'-'.repeat(bits - 2)}1"`]),
        'end case?;',
      ];
    if (choices.once(2))
      return [`case to_integer(unsigned(${selector})) is`, ...items(['0 to 1', '3']), 'end case;'];
    return [
      `case ${selector} is`,
      ...items([`"${pad(choices.below(2))}"`, `"${pad(2)}" | "${pad(3)}"`]),
      'end case;',
    ];
  }

  #loop(target: Target): string[] {
    const { choices } = this;
    const { text, width, isIndexed } = choices.of(target.vectors);
    if (!isIndexed) return [this.#assignment(target)];
    const i = this.#name('i');
    const other = choices.of(OPERANDS);
    const bits = Math.min(width, other.width);
    const leave = choices.of([
      '',
      '',
      `exit when ${this.#condition(1)};`,
      `next when ${i} = ${choices.below(4)};`,
    ]);
    return [
      choices.of([`for ${i} in 0 to ${bits - 1} loop`, `for ${i} in ${bits - 1} downto 0 loop`]),
      leave,
      `${text}(${i}) ${target.assign} ${choices.of([`${other.text}(${bits - 1} - ${i})`, `${other.text}(${i}) xor ${this.#bit()}`])};`,
      'end loop;',
    ];
  }

  #kindAndWidth(): Pick<Vector, 'kind' | 'width'> {
    const { choices } = this;
    return {
      kind: choices.of(['unsigned', 'signed', 'std_logic_vector']),
      width: choices.of([1, 4, 8, 8, 16, 32, 1 + choices.below(20)]),
    };
  }

  #process(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const kind = choices.of([
      'plain',
      'synchronous',
      'asynchronous',
      'falling',
      'enabled',
      'combinational',
      'variables',
    ] as const);
    const usesVariables = kind === 'variables';
    const word = usesVariables ? 'variable' : 'signal';
    const own: string[] = [];
    const initial: string[] = [];
    const declare = (text: string) => (usesVariables ? own : this.#declarations).push(text);
    const vectors = choices.some(3, (): Vector => {
      const type = this.#kindAndWidth();
      const vector = { text: this.#name('r'), ...type, isIndexed: true, isAscending: choices.once(5) };
      const bits = Array.from({ length: type.width }, () => choices.of(['0', '1']));
      const value = choices.of(["(others => '0')", `"${bits.join('')}"`]);
      declare(`${word} ${vector.text} : ${typeOf(vector)} := ${value};`);
      initial.push(`${vector.text} ${usesVariables ? ':=' : '<='} ${value};`);
      return vector;
    });
    const states = choices.once(2) ? [this.#name('s')] : [];
    for (const state of states) {
      declare(`${word} ${state} : state_t := idle;`);
      initial.push(`${state} ${usesVariables ? ':=' : '<='} idle;`);
    }
    // What only an asynchronous reset assigns is a latch: there every vector has a value at the clock first.
    const isPartly = kind !== 'combinational' && kind !== 'asynchronous';
    const record = kind !== 'asynchronous' && choices.once(3) ? this.#record(word, declare, initial) : [];
    const isClocked = kind !== 'combinational';
    const memory = isPartly && choices.once(3) ? this.#memory(word, declare) : null;
    const target: Target = {
      vectors: [...vectors, ...record],
      states,
      memory,
      assign: usesVariables ? ':=' : '<=',
    };
    const [reads, seen, memories] = [this.#reads, this.#states, this.#memories];
    const firsts = isPartly
      ? []
      : [
          ...target.vectors.map(
            ({ text, kind: type, width }) => `${text} <= ${this.#vector(type, width, 2)};`,
          ),
          ...states.map((state) => `${state} <= busy;`),
        ];
    if (isClocked) {
      this.#reads = [...reads, ...target.vectors];
      this.#states = [...seen, ...states];
      if (memory) this.#memories = [...memories, memory];
    }
    const body = [...(isClocked ? firsts : []), ...this.#statements(target, 2)];
    const shown = target.vectors.map(this.#shown);
    const lines: string[] = [];
    if (usesVariables) [this.#reads, this.#states, this.#memories] = [reads, seen, memories];
    const signals = usesVariables ? target.vectors.map((one) => this.#copied(one)) : [];
    const copies = signals.map(({ copy, from }) => `${copy.text} <= ${from};`);
    const reset = kind === 'synchronous' || kind === 'asynchronous';
    const clocked = kind === 'falling' ? 'falling_edge(clk)' : 'rising_edge(clk)';
    if (kind === 'asynchronous')
      lines.push(
        'process (clk, rst)',
        'begin',
        "if rst = '1' then",
        ...initial,
        `elsif ${clocked} then`,
        ...body,
        'end if;',
        'end process;',
      );
    else if (!isClocked) lines.push('process (all)', 'begin', ...firsts, ...body, 'end process;');
    else
      lines.push(
        ...[
          'process (clk)',
          ...own,
          'begin',
          `if ${clocked}${kind === 'enabled' ? ` and ${this.#bit()} = '1'` : ''} then`,
        ],
        ...(reset ? ["if rst = '1' then", ...initial, 'else', ...body, 'end if;'] : body),
        ...[...copies, 'end if;', 'end process;'],
      );
    return { lines, shown: usesVariables ? signals.map(({ copy }) => this.#shown(copy)) : shown };
  }

  /** A signal that shows a variable. */
  #copied(from: Vector): { copy: Vector; from: string } {
    const copy = { ...from, text: this.#name('q') };
    this.#declarations.push(`signal ${copy.text} : ${typeOf(copy)} := (others => '0');`);
    return { copy, from: from.text };
  }

  /** The fields of a record, and of records in an array. */
  #record(word: string, declare: (text: string) => void, initial: string[]): Vector[] {
    const fields = [this.#kindAndWidth(), this.#kindAndWidth()];
    const [type, list, name] = [this.#name('rec'), this.#name('list'), this.#name('g')];
    this.#declarations.push(
      `type ${type} is record ${fields.map((field, at) => `x${at} : ${typeOf(field)};`).join(' ')} end record;`,
      `type ${list} is array (0 to 2) of ${type};`,
    );
    const value = `(others => (${fields.map((_, at) => `x${at} => (others => '${at}')`).join(', ')}))`;
    declare(`${word} ${name} : ${list} := ${value};`);
    initial.push(`${name} ${word === 'variable' ? ':=' : '<='} ${value};`);
    return fields.flatMap((field, at) =>
      [0, 2].map((element): Vector => ({ ...field, text: `${name}(${element}).x${at}`, isIndexed: true })),
    );
  }

  #memory(word: string, declare: (text: string) => void): Words {
    const { choices } = this;
    const [type, name] = [this.#name('mem'), this.#name('m')];
    const words: Words = {
      ...{ name, kind: choices.of(['unsigned', 'std_logic_vector', 'signed']) },
      ...{ width: choices.of([4, 8, 16]), addressBits: 2 + choices.below(3) },
    };
    const range = choices.once(4)
      ? `${2 ** words.addressBits - 1} downto 0`
      : `0 to ${2 ** words.addressBits - 1}`;
    this.#declarations.push(`type ${type} is array (${range}) of ${typeOf(words)};`);
    const value = () => this.#literal(words.kind, words.width);
    declare(`${word} ${name} : ${type} := (1 => ${value()}, 3 => ${value()}, others => ${value()});`);
    return words;
  }

  /** Concurrent assignments of each kind. */
  #concurrent(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const made = choices.some(3, () => {
      const vector: Vector = { text: this.#name('w'), ...this.#kindAndWidth(), isIndexed: true };
      const { kind, width, text } = vector;
      this.#declarations.push(`signal ${text} : ${typeOf(vector)};`);
      const value = () => this.#vector(kind, width, 2);
      const line = choices.of([
        () =>
          `${text} <= ${value()} when ${this.#condition(2)} else ${value()} when ${this.#condition(1)} else ${value()};`,
        () =>
          `with e(${choices.of(['2 downto 1', '3 downto 2'])} ) select ${text} <= ${value()} when "00" | "11", ${value()} when "10", ${value()} when others;`,
        () => `${text} <= ${value()};`,
        () =>
          `gen_${text} : for i in ${text}'range generate ${text}(i) <= c(i mod 32) xor ${this.#bit()}; end generate;`,
      ])();
      return { line, vector };
    });
    return { lines: made.map(({ line }) => line), shown: made.map(({ vector }) => this.#shown(vector)) };
  }

  /** Instances of an entity with generics. */
  #instances(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const made = choices.some(3, () => {
      const [name, width] = [this.#name('u'), 2 + choices.below(9)];
      this.#declarations.push(`signal x_${name}, y_${name} : unsigned(${width - 1} downto 0);`);
      const generics = `width => ${width}, offset => ${choices.below(30) - 15}, registered => ${choices.of(['true', 'false'])}`;
      return {
        lines: [
          `x_${name} <= ${this.#vector('unsigned', width, 2)};`,
          `${name} : entity work.child generic map (${generics}) port map (clk => clk, x => x_${name}, y => y_${name});`,
        ],
        shown: [`std_logic_vector(resize(y_${name}, ${OUTPUT_WIDTH}))`],
      };
    });
    return { lines: made.flatMap(({ lines }) => lines), shown: made.flatMap(({ shown }) => shown) };
  }

  /** A block with an alias and a constant table. */
  #block(): { lines: string[]; shown: string[] } {
    const width = 4 + this.choices.below(8);
    const name = this.#name('z');
    const entries = Array.from({ length: 8 }, (_, at) => `${at} => ${this.choices.below(2 ** (width - 1))}`);
    this.#declarations.push(`signal ${name} : signed(${width - 1} downto 0);`);
    return {
      lines: [
        `b_${name} : block`,
        `  type table_t is array (0 to 7) of integer range 0 to ${2 ** (width - 1) - 1};`,
        `  constant TABLE : table_t := (${entries.join(', ')});`,
        '  alias low : signed(2 downto 0) is a(2 downto 0);',
        '  alias up : std_logic_vector(0 to 15) is d;',
        'begin',
        `  ${name} <= to_signed(TABLE(to_integer(unsigned(low))), ${width}) - signed(up(2 to 3));`,
        'end block;',
      ],
      shown: [`std_logic_vector(resize(${name}, ${OUTPUT_WIDTH}))`],
    };
  }
}

/** Functions and procedures for arguments of any width. */
const PACKAGE = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
package parts is
${(['unsigned', 'signed', 'std_logic_vector'] as const)
  .map(
    (kind) => `  function choose(c : boolean; x, y : ${kind}) return ${kind};
  function mirrored(x : ${kind}) return ${kind};`,
  )
  .join('\n')}
${(['unsigned', 'signed'] as const)
  .map(
    (kind) => `  function summed(x : ${kind}; n : natural) return ${kind};
  procedure accumulate(x : inout ${kind}; y : in ${kind});`,
  )
  .join('\n')}
end package;
package body parts is
${(['unsigned', 'signed', 'std_logic_vector'] as const)
  .map(
    (kind) => `  function choose(c : boolean; x, y : ${kind}) return ${kind} is begin
    if c then return x; end if; return y;
  end function;
  function mirrored(x : ${kind}) return ${kind} is
    variable r : ${kind}(x'length - 1 downto 0); alias from : ${kind}(x'length - 1 downto 0) is x;
  begin for i in r'range loop r(i) := from(from'high - i); end loop; return r; end function;`,
  )
  .join('\n')}
${(['unsigned', 'signed'] as const)
  .map(
    (
      kind,
    ) => `  function summed(x : ${kind}; n : natural) return ${kind} is variable r : ${kind}(x'length - 1 downto 0) := x;
  begin for i in 0 to 3 loop exit when i = n; r := r + x; end loop; return r; end function;
  procedure accumulate(x : inout ${kind}; y : in ${kind}) is begin x := x + y; if x(x'left) = '1' then x := not x; end if; end procedure;`,
  )
  .join('\n')}
end package body;`;

const CHILD = `library ieee; use ieee.std_logic_1164.all; use ieee.numeric_std.all;
entity child is generic (width : positive := 4; offset : integer := 0; registered : boolean := false);
  port (clk : in std_logic; x : in unsigned(width - 1 downto 0); y : out unsigned(width - 1 downto 0));
end entity;
architecture rtl of child is
  signal sum : unsigned(x'range);
begin
  each : for i in x'range generate
    even : if i mod 2 = 0 generate sum(i) <= x(width - 1 - i); end generate;
    odd : if i mod 2 = 1 generate sum(i) <= not x(i); end generate;
  end generate;
  clocked : if registered generate
    signal r : unsigned(width - 1 downto 0) := (others => '0');
  begin
    process (clk) begin if rising_edge(clk) then r <= unsigned(signed(sum) + offset); end if; end process;
    y <= r;
  end generate;
  direct : if not registered generate y <= unsigned(resize(signed(sum) * to_signed(offset, 6), width)); end generate;
end architecture;`;
