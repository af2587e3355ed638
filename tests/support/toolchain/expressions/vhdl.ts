import { OUTPUT_WIDTH } from './expression.ts';
import { CHILD, PACKAGE, slaveOf } from './vhdl-entities.ts';
import { STATES, type Vector, type Words } from './vhdl-expressions.ts';
import { type Target, VhdlStatements } from './vhdl-statements.ts';

const typeOf = ({ kind, width, isAscending }: Pick<Vector, 'kind' | 'width' | 'isAscending'>): string =>
  `${kind}(${isAscending ? `0 to ${width - 1}` : `${width - 1} downto 0`})`;

/**
 * Random designs in VHDL: vectors with and without a sign, records, memories, states, functions and procedures with
 * arguments of any width, the statements of processes, entities with generics. Every signal has a value from the start
 * and no index is out of range, so that a simulator knows all bits.
 */
export class VhdlMaker extends VhdlStatements {
  readonly #declarations: string[] = [];
  make(): { text: string; outputs: number } {
    const { choices } = this;
    const pieces = [
      ...choices.some(4, () => this.#process()),
      this.#concurrent(),
      this.#instances(),
      this.#block(),
    ];
    const shown = pieces.flatMap((piece) => piece.shown);
    const text = slaveOf(
      `${PACKAGE}\n${CHILD}`,
      [`type state_t is (${STATES.join(', ')});`, ...this.#declarations],
      pieces.flatMap((piece) => piece.lines),
      shown,
    );
    return { text, outputs: shown.length };
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
      const vector = { text: this.name('r'), ...type, isIndexed: true, isAscending: choices.once(5) };
      const bits = Array.from({ length: type.width }, () => choices.of(['0', '1']));
      const value = choices.of(["(others => '0')", `"${bits.join('')}"`]);
      declare(`${word} ${vector.text} : ${typeOf(vector)} := ${value};`);
      initial.push(`${vector.text} ${usesVariables ? ':=' : '<='} ${value};`);
      return vector;
    });
    const states = choices.once(2) ? [this.name('s')] : [];
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
    const [reads, seen, memories] = [this.reads, this.states, this.memories];
    const firsts = isPartly
      ? []
      : [
          ...target.vectors.map(
            ({ text, kind: type, width }) => `${text} <= ${this.vector(type, width, 2)};`,
          ),
          ...states.map((state) => `${state} <= busy;`),
        ];
    if (isClocked) {
      this.reads = [...reads, ...target.vectors];
      this.states = [...seen, ...states];
      if (memory) this.memories = [...memories, memory];
    }
    const body = [...(isClocked ? firsts : []), ...this.statements(target, 2)];
    const shown = target.vectors.map(this.shown);
    const lines: string[] = [];
    if (usesVariables) [this.reads, this.states, this.memories] = [reads, seen, memories];
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
          `if ${clocked}${kind === 'enabled' ? ` and ${this.bit()} = '1'` : ''} then`,
        ],
        ...(reset ? ["if rst = '1' then", ...initial, 'else', ...body, 'end if;'] : body),
        ...[...copies, 'end if;', 'end process;'],
      );
    return { lines, shown: usesVariables ? signals.map(({ copy }) => this.shown(copy)) : shown };
  }

  /** A signal that shows a variable. */
  #copied(from: Vector): { copy: Vector; from: string } {
    const copy = { ...from, text: this.name('q') };
    this.#declarations.push(`signal ${copy.text} : ${typeOf(copy)} := (others => '0');`);
    return { copy, from: from.text };
  }

  /** The fields of a record, and of records in an array. */
  #record(word: string, declare: (text: string) => void, initial: string[]): Vector[] {
    const fields = [this.#kindAndWidth(), this.#kindAndWidth()];
    const [type, list, name] = [this.name('rec'), this.name('list'), this.name('g')];
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
    const [type, name] = [this.name('mem'), this.name('m')];
    const words: Words = {
      ...{ name, kind: choices.of(['unsigned', 'std_logic_vector', 'signed']) },
      ...{ width: choices.of([4, 8, 16]), addressBits: 2 + choices.below(3) },
    };
    const range = choices.once(4)
      ? `${2 ** words.addressBits - 1} downto 0`
      : `0 to ${2 ** words.addressBits - 1}`;
    this.#declarations.push(`type ${type} is array (${range}) of ${typeOf(words)};`);
    const value = () => this.literal(words.kind, words.width);
    declare(`${word} ${name} : ${type} := (1 => ${value()}, 3 => ${value()}, others => ${value()});`);
    return words;
  }

  /** Concurrent assignments of each kind. */
  #concurrent(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const made = choices.some(3, () => {
      const vector: Vector = { text: this.name('w'), ...this.#kindAndWidth(), isIndexed: true };
      const { kind, width, text } = vector;
      this.#declarations.push(`signal ${text} : ${typeOf(vector)};`);
      const value = () => this.vector(kind, width, 2);
      const line = choices.of([
        () =>
          `${text} <= ${value()} when ${this.condition(2)} else ${value()} when ${this.condition(1)} else ${value()};`,
        () =>
          `with e(${choices.of(['2 downto 1', '3 downto 2'])} ) select ${text} <= ${value()} when "00" | "11", ${value()} when "10", ${value()} when others;`,
        () => `${text} <= ${value()};`,
        () =>
          `gen_${text} : for i in ${text}'range generate ${text}(i) <= c(i mod 32) xor ${this.bit()}; end generate;`,
      ])();
      return { line, vector };
    });
    return { lines: made.map(({ line }) => line), shown: made.map(({ vector }) => this.shown(vector)) };
  }

  /** Instances of an entity with generics. */
  #instances(): { lines: string[]; shown: string[] } {
    const { choices } = this;
    const made = choices.some(3, () => {
      const [name, width] = [this.name('u'), 2 + choices.below(9)];
      this.#declarations.push(`signal x_${name}, y_${name} : unsigned(${width - 1} downto 0);`);
      const generics = `width => ${width}, offset => ${choices.below(30) - 15}, registered => ${choices.of(['true', 'false'])}`;
      return {
        lines: [
          `x_${name} <= ${this.vector('unsigned', width, 2)};`,
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
    const name = this.name('z');
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
