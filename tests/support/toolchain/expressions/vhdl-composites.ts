import { OUTPUT_WIDTH } from './expression.ts';
import { PACKAGE, slaveOf } from './vhdl-entities.ts';
import { type Kind, OPERANDS, VhdlExpressions } from './vhdl-expressions.ts';

/** A type: a leaf, or a record or an array with a name. */
type Shape =
  | { kind: 'bit' | 'flag' }
  | { kind: 'number'; high: number }
  | { kind: 'vector'; of: Kind; range: string; width: number; isPlain: boolean }
  | { kind: 'record'; name: string; fields: Shape[] }
  | { kind: 'array'; name: string; first: number; count: number; range: string; element: Shape };
type Composite = Extract<Shape, { name: string }>;

/** What has a value: a signal, a variable, or a part of one. */
interface Place {
  text: string;
  shape: Shape;
}

const typeOf = (shape: Shape): string => {
  switch (shape.kind) {
    case 'bit':
      return 'std_logic';
    case 'flag':
      return 'boolean';
    case 'number':
      return `integer range 0 to ${shape.high}`;
    case 'vector':
      return `${shape.of}(${shape.range})`;
    default:
      return shape.name;
  }
};

/** Limit of outputs. */
const MOST_LEAVES = 40;

/**
 * Random designs in VHDL about nested records and arrays: ranges of either direction that begin anywhere, aggregates,
 * slices, dynamic indices, comparisons, functions of whole values, signals and variables.
 */
export class CompositeMaker extends VhdlExpressions {
  readonly #declarations: string[] = [];
  readonly #types: Composite[] = [];
  #places: Place[] = [];

  make(): { text: string; outputs: number } {
    const { choices } = this;
    for (let made = 0; made < 3; made++) this.#types.push(this.#composite());
    const signals = choices.some(2, (at) => this.#declared('signal', `s${at}`));
    const mixed = choices.some(2, (at) => this.#declared('signal', `w${at}`));
    const variables = choices.some(2, (at) => this.#declared('variable', `v${at}`));
    const copies = variables.map(({ shape }, at) => ({ text: `q${at}`, shape }));
    for (const { text, shape } of copies)
      this.#declarations.push(`signal ${text} : ${typeOf(shape)} := ${this.#constant(shape)};`);
    this.#see([...signals]);
    const concurrent = mixed.map(({ text, shape }) => `${text} <= ${this.#value(shape, 2)};`);
    const process = [
      `process (clk) ${variables.map(({ text, shape }) => `variable ${text} : ${typeOf(shape)} := ${this.#constant(shape)};`).join(' ')} begin`,
      'if rising_edge(clk) then',
      ...(choices.once(2)
        ? [
            `if rst = '1' then ${signals.map(({ text, shape }) => `${text} <= ${this.#constant(shape)};`).join(' ')} else`,
          ]
        : ['if true then']),
    ];
    this.#see([...signals, ...mixed, ...variables]);
    const body = choices.some(6, () => this.#statement(signals, variables, 2));
    const tail = [...variables.map(({ text }, at) => `q${at} <= ${text};`), 'end if; end if; end process;'];
    const shown = [...signals, ...mixed, ...copies]
      .flatMap((place) => this.#leaves(place))
      .slice(0, MOST_LEAVES)
      .map((leaf) => this.#word(leaf));
    const text = slaveOf(PACKAGE, this.#declarations, [...concurrent, ...process, ...body, ...tail], shown);
    return { text, outputs: shown.length };
  }

  /** What the expressions read from here on. */
  #see(places: Place[]): void {
    this.#places = places.flatMap((place) => this.#parts(place));
    this.reads = [...OPERANDS];
    for (const { text, shape } of this.#places)
      if (shape.kind === 'vector')
        this.reads.push({ text, kind: shape.of, width: shape.width, isIndexed: shape.isPlain });
  }

  #shape(): Shape {
    const { choices } = this;
    const known = this.#types.length > 0 ? choices.of(this.#types) : null;
    if (known && choices.once(2)) return known;
    const width = choices.of([1, 2, 4, 8, 1 + choices.below(12)]);
    const low = choices.of([0, 0, 1, 3]);
    const isUp = choices.once(3);
    return choices.of<() => Shape>([
      () => ({ kind: 'bit' }),
      () => ({ kind: 'flag' }),
      () => ({ kind: 'number', high: choices.of([1, 3, 7, 15, 9]) }),
      ...Array.from(
        { length: 3 },
        () => (): Shape => ({
          kind: 'vector',
          of: choices.of(['unsigned', 'signed', 'std_logic_vector']),
          range: isUp ? `${low} to ${low + width - 1}` : `${low + width - 1} downto ${low}`,
          width,
          isPlain: low === 0 && !isUp,
        }),
      ),
    ])();
  }

  #composite(): Composite {
    const { choices } = this;
    const name = this.name('t');
    let made: Composite;
    if (choices.once(2)) {
      made = { kind: 'record', name, fields: choices.some(3, () => this.#shape()) };
      this.#declarations.push(
        `type ${name} is record ${made.fields.map((field, at) => `x${at} : ${typeOf(field)};`).join(' ')} end record;`,
      );
    } else {
      const [first, count] = [choices.of([0, 0, 1, 2, 5]), choices.of([2, 3, 4, 1, 5])];
      const range = choices.once(3)
        ? `${first + count - 1} downto ${first}`
        : `${first} to ${first + count - 1}`;
      made = { kind: 'array', name, first, count, range, element: this.#shape() };
      this.#declarations.push(`type ${name} is array (${range}) of ${typeOf(made.element)};`);
    }
    this.#declarations.push(
      `function pick(c : boolean; x, y : ${name}) return ${name} is begin if c then return x; end if; return y; end function;`,
      `function turned(x : ${name}) return ${name} is variable r : ${name} := x; begin ${this.#turn(made)} return r; end function;`,
    );
    return made;
  }

  /** A change of `r` by `x`, which are equal. */
  #turn(shape: Composite): string {
    if (shape.kind === 'array') {
      const sum = 2 * shape.first + shape.count - 1;
      return `for i in ${this.choices.of(["r'range", "x'reverse_range", "x'low to x'high"])} loop r(i) := x(${sum} - i); end loop;`;
    }
    const [one, ...others] = shape.fields.map((field, at) => ({ at, type: typeOf(field) }));
    const same = others.find(({ type }) => type === one!.type);
    return same ? `r.x${one!.at} := x.x${same.at}; r.x${same.at} := x.x${one!.at};` : 'r := x;';
  }

  #declared(word: 'signal' | 'variable', text: string): Place {
    const shape = this.choices.of(this.#types);
    if (word === 'signal')
      this.#declarations.push(`signal ${text} : ${typeOf(shape)} := ${this.#constant(shape)};`);
    return { text, shape };
  }

  /** All parts with static indices, the place first. */
  #parts({ text, shape }: Place): Place[] {
    const inner =
      shape.kind === 'record'
        ? shape.fields.map((field, at) => ({ text: `${text}.x${at}`, shape: field }))
        : shape.kind === 'array'
          ? Array.from({ length: shape.count }, (_, at) => ({
              text: `${text}(${shape.first + at})`,
              shape: shape.element,
            }))
          : [];
    return [{ text, shape }, ...inner.flatMap((part) => this.#parts(part))];
  }

  #leaves = (place: Place): Place[] => this.#parts(place).filter(({ shape }) => !('name' in shape));

  /** A part at random, with static and dynamic indices. */
  #within({ text, shape }: Place): Place {
    const { choices } = this;
    if (choices.once(4)) return { text, shape };
    if (shape.kind === 'record') {
      const at = choices.below(shape.fields.length);
      return this.#within({ text: `${text}.x${at}`, shape: shape.fields[at]! });
    }
    if (shape.kind === 'array')
      return this.#within({ text: `${text}(${this.#at(shape)})`, shape: shape.element });
    return { text, shape };
  }

  /** An index of an array. */
  #at({ first, count }: { first: number; count: number }): string {
    const { choices } = this;
    if (choices.once(2)) return String(first + choices.below(count));
    const number = choices.of(['n', this.index(3)]);
    return first === 0 ? `${number} mod ${count}` : `${first} + (${number} mod ${count})`;
  }

  #constant(shape: Shape): string {
    const { choices } = this;
    switch (shape.kind) {
      case 'bit':
        return choices.of(["'0'", "'1'"]);
      case 'flag':
        return choices.of(['true', 'false']);
      case 'number':
        return String(choices.below(shape.high + 1));
      case 'vector':
        return choices.of([
          `"${Array.from({ length: shape.width }, () => choices.below(2)).join('')}"`,
          "(others => '1')",
        ]);
      default:
        return this.#aggregate(shape, (part) => this.#constant(part));
    }
  }

  #aggregate(shape: Composite, value: (part: Shape) => string): string {
    const { choices } = this;
    if (shape.kind === 'record') {
      const named = shape.fields.length === 1 || choices.once(2);
      return `(${shape.fields.map((field, at) => `${named ? `x${at} => ` : ''}${value(field)}`).join(', ')})`;
    }
    const { first, count, element } = shape;
    const way = choices.below(count === 1 ? 2 : 4);
    if (way === 0) return `(others => ${value(element)})`;
    if (way === 1)
      return `(${first + choices.below(count)} => ${value(element)}, others => ${value(element)})`;
    if (way === 2) return `(${Array.from({ length: count }, () => value(element)).join(', ')})`;
    return `(${Array.from({ length: count }, (_, at) => `${first + count - 1 - at} => ${value(element)}`).join(', ')})`;
  }

  /** A value of a type. */
  #value(shape: Shape, depth: number): string {
    const { choices } = this;
    const same = this.#places.filter((place) => typeOf(place.shape) === typeOf(shape));
    const read = same.map(
      ({ text }) =>
        () =>
          text,
    );
    switch (shape.kind) {
      case 'bit':
        return choices.of([() => this.bit(), () => 'f', ...read.slice(0, 3)])();
      case 'flag':
        return `(${this.#test(depth)})`;
      case 'number':
        return choices.of([() => `${this.index(4)} mod ${shape.high + 1}`, ...read])();
      case 'vector':
        return choices.of([() => this.vector(shape.of, shape.width, Math.min(depth, 2)), ...read])();
    }
    const inner = () => this.#value(shape, depth - 1);
    const whole = [...read, ...read, () => this.#aggregate(shape, (part) => this.#value(part, depth - 1))];
    if (depth <= 0) return choices.of(whole)();
    // A function and an aggregate need the name of the type where several functions share a name.
    const named = (text: string) => (text.startsWith('(') ? `${shape.name}'${text}` : text);
    const dynamic = this.#places.filter(
      ({ shape: of }) => of.kind === 'array' && typeOf(of.element) === shape.name,
    );
    return choices.of([
      ...whole,
      ...dynamic.map(
        ({ text, shape: of }) =>
          () =>
            `${text}(${this.#at(of as Extract<Shape, { kind: 'array' }>)})`,
      ),
      () => `pick(${this.#test(depth - 1)}, ${named(inner())}, ${named(inner())})`,
      () => `turned(${named(inner())})`,
    ])();
  }

  #test(depth: number): string {
    const { choices } = this;
    const composites = this.#places.filter(({ shape }) => 'name' in shape);
    const flags = this.#places.filter(({ shape }) => shape.kind === 'flag');
    return choices.of([
      () => this.condition(Math.min(depth, 1)),
      ...(flags.length > 0 ? [() => choices.of(flags).text] : []),
      ...(composites.length > 0
        ? [
            () => {
              const one = choices.of(composites);
              const value = this.#value(one.shape, 0);
              return `${one.text} ${choices.of(['=', '/='])} ${value.startsWith('(') ? `${typeOf(one.shape)}'${value}` : value}`;
            },
          ]
        : []),
    ])();
  }

  #statement(signals: readonly Place[], variables: readonly Place[], depth: number): string {
    const { choices } = this;
    const block = () => choices.some(3, () => this.#statement(signals, variables, depth - 1)).join(' ');
    if (depth > 0 && choices.once(3))
      return choices.of([
        () => `if ${this.#test(1)} then ${block()} else ${block()} end if;`,
        () =>
          `case n is when 0 | 2 => ${block()} when 3 to 5 => ${block()} when others => ${block()} end case;`,
        () => `for k in 0 to 1 loop ${block()} end loop;`,
      ])();
    const isVariable = choices.once(2);
    const target = this.#within(choices.of(isVariable ? variables : signals));
    const assign = isVariable ? ':=' : '<=';
    const { shape } = target;
    if (shape.kind === 'array' && shape.count > 2 && choices.once(2)) {
      const length = 2;
      const same = this.#places.filter((place) => typeOf(place.shape) === shape.name).map(({ text }) => text);
      const slice = () => {
        const low = shape.first + choices.below(shape.count - length + 1);
        return shape.range.includes('downto')
          ? `(${low + length - 1} downto ${low})`
          : `(${low} to ${low + length - 1})`;
      };
      if (same.length > 0) return `${target.text}${slice()} ${assign} ${choices.of(same)}${slice()};`;
    }
    return `${target.text} ${assign} ${this.#value(shape, 2)};`;
  }

  #word({ text, shape }: Place): string {
    if (shape.kind === 'vector')
      return this.shown({ text, kind: shape.of, width: shape.width, isIndexed: false });
    if (shape.kind === 'number') return `std_logic_vector(to_unsigned(${text}, ${OUTPUT_WIDTH}))`;
    const one = shape.kind === 'bit' ? text : "'1'";
    const shown = `(0 => ${one}, others => '0')`;
    return shape.kind === 'flag' ? `${shown} when ${text} else (others => '0')` : shown;
  }
}
