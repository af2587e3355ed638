import { Choices } from './choices.ts';
import { OUTPUT_WIDTH } from './expression.ts';
import { type PackedType, PackedTypes, type Place, partOf } from './packed-types.ts';
import { OPERANDS } from './processes.ts';

type Next = () => string;

/** A vector of so many bits. */
export const bitsOf = (width: number, range?: readonly [number, number]): PackedType => ({
  ...{ name: `logic [${width - 1}:0]`, width },
  ...(range && { range }),
});

/** Random expressions in SystemVerilog, of packed types and their parts. */
export class SystemVerilogExpressions {
  readonly choices: Choices;
  protected readonly types: PackedTypes;
  /** What expressions may read. */
  protected reads: Place[] = [];
  protected functions: { name: string; types: readonly PackedType[] }[] = [];
  /** Packed arrays and parts of them that were read. */
  readonly #arrays = new Set<string>();
  #named = 0;

  constructor(random: () => number) {
    this.choices = new Choices(random);
    this.types = new PackedTypes(this.choices, 10);
  }

  protected name(prefix: string): string {
    return `${prefix}${this.#named++}`;
  }

  /** A value as a type. Verilator has no casts to arrays, and takes the width of one to an enum for that of operators. */
  protected cast = ({ name, width, element, isEnum }: PackedType, value: string): string =>
    isEnum ? `${name}'(${width}'(${value}))` : `${element ? width : name}'(${value})`;

  /** All bits of a value in OUTPUT_WIDTH. */
  protected shown = ({ text }: Place): string =>
    `${OUTPUT_WIDTH}'(80'(${text}) ^ 80'(${text}) >> ${OUTPUT_WIDTH})`;

  /** An unsigned value of so many bits. */
  protected bits = (width: number): string => {
    const wide = OPERANDS.filter((one) => one.width > width);
    const { name, width: most } = this.choices.of(wide);
    const low = this.choices.below(most - width + 1);
    return `${name}[${low} +: ${width}]`;
  };

  /** An index of so many, from the lowest on. */
  protected position = (low: number, count: number): string => {
    if (count === 1 || this.choices.once(2)) return String(low + this.choices.below(count));
    const bits = Math.log2(count);
    const index = Number.isInteger(bits) ? this.bits(bits) : `${this.bits(6)} % ${count}`;
    return low === 0 ? index : `${low} + ${index}`;
  };

  protected read(): string {
    const { text, type } = partOf(this.choices, this.choices.of(this.reads), this.position);
    if (type.element) this.#arrays.add(text);
    return text;
  }

  /** What a shift moves. In a cast to fewer bits Verilator cuts a packed array before it shifts it. */
  #moved(value: string): string {
    return this.#arrays.has(value) ? `{${value}}` : value;
  }

  #constant(): string {
    const { choices } = this;
    const width = 1 + choices.below(12);
    const value = choices.below(2 ** width);
    return choices.of([
      `${width}'d${value}`,
      `${width}'sd${value}`,
      String(choices.below(100)),
      `${width}'h${value.toString(16)}`,
      `$clog2(${1 + choices.below(70)})`,
      `$bits(${this.types.any().name})`,
      ...this.types.enumerators.slice(0, 2),
    ]);
  }

  /** Each makes one kind of expression of parts. */
  readonly #forms: readonly ((next: Next) => string)[] = [
    (next) => `(${next()} ${this.choices.of(['+', '-', '*'])} ${next()})`,
    (next) => `(${next()} ${this.choices.of(['&', '|', '^', '~^'])} ${next()})`,
    (next) => `(${next()} ${this.choices.of(['==', '!=', '<', '<=', '>', '>='])} ${next()})`,
    (next) =>
      `(${this.#moved(next())} ${this.choices.of(['<<', '>>', '<<<', '>>>'])} ${this.bits(this.choices.of([1, 2, 3, 4]))})`,
    (next) => `(${this.choices.of(['~', '-', '!', '^', '&', '|', '+'])}${next()})`,
    (next) => `(${next()} ? ${next()} : ${next()})`,
    (next) => `(${next()} ${this.choices.of(['&&', '||'])} ${next()})`,
    (next) => `{${this.#sized(next)}, ${this.#sized(next)}}`,
    (next) => `{${1 + this.choices.below(3)}{${this.#sized(next)}}}`,
    (next) => `${this.choices.of(['signed', 'unsigned'])}'(${next()})`,
    (next) => this.#sized(next),
    (next) => this.#sized(next),
    () => `$countones(${this.read()})`,
    // Verilator gives an operator in a base its own width.
    (next) => `(${this.#sized(next)} ** ${this.choices.below(4)})`,
    (next) => `(8'(${next()}) ${this.choices.of(['/', '%'])} (${this.bits(3)} | 3'd1))`,
    (next) => `(signed'(6'(${next()})) ${this.choices.of(['/', '%'])} (signed'(${this.bits(3)}) | 3'sd1))`,
    (next) => {
      if (this.functions.length === 0) return this.read();
      const { name, types } = this.choices.of(this.functions);
      return `${name}(${types.map((type) => this.cast(type, next())).join(', ')})`;
    },
    () => `(4'(${this.read()}) ==? 4'b${this.pattern(4, '01?')})`,
  ];

  protected pattern(width: number, digits: string): string {
    return Array.from({ length: width }, () => this.choices.of([...digits])).join('');
  }

  protected expression(depth: number): string {
    if (depth <= 0) return this.choices.once(4) ? this.#constant() : this.read();
    return this.choices.of(this.#forms)(() => this.expression(depth - 1 - this.choices.below(2)));
  }

  /** With a width of its own: a cast, a part of a variable or a pattern. */
  #sized(next: Next): string {
    const { choices } = this;
    const type = this.types.any();
    const width = 1 + choices.below(choices.of([4, 12, 40]));
    return choices.of([
      () => `${width}'(${next()})`,
      () => this.cast(type, next()),
      () => this.read(),
      () => this.read(),
      () => (type.fields && !choices.once(2) ? this.#fields(type, next) : `unsigned'(${width}'(${next()}))`),
    ])();
  }

  /** A pattern that gives each field or element a value. */
  #fields({ name, fields = [], width }: PackedType, next: Next): string {
    if (fields[0]?.type.width === width) return `${name}'(${next()})`;
    const values = fields.map(({ name: field, type }) => `${field}: ${this.cast(type, next())}`);
    return `${name}'{${values.join(', ')}}`;
  }

  protected value = (place: Place, depth = 1 + this.choices.below(3)): string => {
    const value = this.expression(depth);
    return place.type.isEnum ? this.cast(place.type, value) : value;
  };
}
