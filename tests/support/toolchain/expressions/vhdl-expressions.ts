import { Choices } from './choices.ts';
import { OUTPUT_WIDTH } from './expression.ts';

/** Types of vectors. */
export type Kind = 'unsigned' | 'signed' | 'std_logic_vector';

/** A vector, or a part of one. */
export interface Vector {
  text: string;
  kind: Kind;
  width: number;
  /** Whether bits of it may be selected. */
  isIndexed: boolean;
  isAscending?: boolean;
}

/** A memory: words of a vector. */
export interface Words {
  name: string;
  kind: Kind;
  width: number;
  addressBits: number;
}

/** Signals with the words of the input. */
export const OPERANDS: readonly Vector[] = [
  { text: 'a', kind: 'signed', width: 8, isIndexed: true },
  { text: 'b', kind: 'unsigned', width: 8, isIndexed: true },
  { text: 'c', kind: 'signed', width: 32, isIndexed: true },
  { text: 'd', kind: 'std_logic_vector', width: 16, isIndexed: true },
  { text: 'e', kind: 'unsigned', width: 4, isIndexed: true },
];

/** Values of the type of states. */
export const STATES = ['idle', 'load', 'busy', 'done', 'fail'];

/** Random expressions in VHDL, of an exact type. */
export class VhdlExpressions {
  readonly choices: Choices;
  protected reads: Vector[] = [...OPERANDS];
  protected states: string[] = [];
  protected memories: Words[] = [];
  #named = 0;

  constructor(random: () => number) {
    this.choices = new Choices(random);
  }

  protected name(prefix: string): string {
    return `${prefix}${this.#named++}`;
  }

  protected shown = ({ text, kind }: Vector): string =>
    `std_logic_vector(resize(${kind === 'std_logic_vector' ? `unsigned(${text})` : text}, ${OUTPUT_WIDTH}))`;

  /** A number from 0 to below 2 ** bits. */
  protected index(bits: number): string {
    const { text, width } = this.choices.of(OPERANDS.filter((one) => one.width > bits));
    const low = this.choices.below(width - bits + 1);
    return `to_integer(unsigned(${text}(${low + bits - 1} downto ${low})))`;
  }

  /** An index within a width. */
  protected position(count: number): string {
    if (count === 1 || this.choices.once(2)) return String(this.choices.below(count));
    const bits = Math.ceil(Math.log2(count));
    return 2 ** bits === count ? this.index(bits) : `${this.index(bits + 1)} mod ${count}`;
  }

  protected bit(): string {
    const { choices } = this;
    const { text, width } = choices.of(this.reads.filter(({ isIndexed }) => isIndexed));
    return choices.of([
      () => 'f',
      () => `${text}(${this.position(width)})`,
      () => `${text}(${this.position(width)})`,
    ])();
  }

  protected condition(depth: number): string {
    const { choices } = this;
    const compare = choices.of(['=', '/=', '<', '<=', '>', '>=']);
    const kind = choices.of(['unsigned', 'signed'] as const);
    const width = () => 1 + choices.below(12);
    return choices.of([
      () => `${this.bit()} = '${choices.below(2)}'`,
      () => `(${this.vector(kind, width(), depth - 1)} ${compare} ${this.vector(kind, width(), depth - 1)})`,
      () => `(${this.vector('unsigned', width(), depth - 1)} ${compare} ${choices.below(40)})`,
      () => `(${this.vector('signed', width(), depth - 1)} ${compare} ${choices.below(20) - 10})`,
      () => (this.states.length > 0 ? `(${choices.of(this.states)} = ${choices.of(STATES)})` : 'f = f'),
      () =>
        `(${this.condition(depth - 1)} ${choices.of(['and', 'or', 'xor', 'nand'])} ${this.condition(depth - 1)})`,
      () => `not (${this.condition(depth - 1)})`,
    ])();
  }

  /** A value of exactly this type. */
  protected vector(kind: Kind, width: number, depth: number): string {
    const { choices } = this;
    const same = (bits = width) => this.vector(kind, bits, depth - 1);
    if (depth <= 0) return this.#leaf(kind, width);
    const number = kind === 'std_logic_vector' ? [] : this.#numbers(kind, width, depth);
    const other = choices.of(['unsigned', 'signed', 'std_logic_vector'] as const);
    return choices.of([
      () => `(${same()} ${choices.of(['and', 'or', 'xor', 'nor', 'xnor'])} ${same()})`,
      () => `(not ${same()})`,
      () => `${kind}(${this.vector(other === kind ? 'unsigned' : other, width, depth - 1)})`,
      () => {
        if (width === 1) return same();
        const left = 1 + choices.below(width - 1);
        return `${kind}'(${same(left)} & ${same(width - left)})`;
      },
      () => `choose(${this.condition(depth - 1)}, ${same()}, ${same()})`,
      () => `mirrored(${same()})`,
      () => this.#leaf(kind, width),
      ...number,
      ...number,
    ])();
  }

  /** Forms of numbers. */
  #numbers(kind: 'unsigned' | 'signed', width: number, depth: number): (() => string)[] {
    const { choices } = this;
    const same = (bits = width) => this.vector(kind, bits, depth - 1);
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
        `${choices.of(['shift_left', 'shift_right', ...(kind === 'signed' ? [] : ['rotate_left', 'rotate_right'])])}(${same()}, ${this.index(1 + choices.below(3))})`,
      () => `(${same()} ${choices.of(['sll', 'srl', 'rol', 'ror'])} ${choices.below(width + 2)})`,
      () =>
        kind === 'signed'
          ? `(${choices.of(['-', 'abs '])}${same()})`
          : `to_unsigned(${this.index(Math.min(3, width))}, ${width})`,
      () =>
        `resize(${same(6)} ${choices.of(['mod', 'rem', '/'])} ${kind === 'signed' ? choices.of(['(-3)', '5', '(-7)']) : choices.of(['3', '8', '7'])}, ${width})`,
      () => `summed(${same()}, ${this.index(2)})`,
    ];
  }

  #leaf(kind: Kind, width: number): string {
    const { choices } = this;
    const whole = this.reads.filter((one) => one.kind === kind && one.width === width);
    const wider = this.reads.filter((one) => one.width > width && one.isIndexed && !one.isAscending);
    const words = this.memories.filter((one) => one.kind === kind && one.width === width);
    return choices.of([
      ...whole.map(
        ({ text }) =>
          () =>
            text,
      ),
      ...words.map(
        ({ name, addressBits }) =>
          () =>
            `${name}(${this.index(addressBits)})`,
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
    return `choose(f = '1', ${this.literal(kind, width)}, ${this.literal(kind, width)})`;
  }

  protected literal(kind: Kind, width: number): string {
    const digits = Array.from({ length: width }, () => this.choices.below(2)).join('');
    return `${kind}'("${digits}")`;
  }
}
