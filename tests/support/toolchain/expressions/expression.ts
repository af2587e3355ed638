import { Choices } from './choices.ts';

/** Parts of an expression: a text with `$1`, `$2` … for its parts, or a value that passes through a declaration. */
export type Expression =
  | { kind: 'form'; text: string; parts: readonly Expression[] }
  | { kind: 'through'; way: Way; signed: boolean; width: number; parts: readonly [Expression] };

/** A net, a variable of a process and a function: each has a width and a sign of its own. */
const WAYS = ['net', 'variable', 'function'] as const;
type Way = (typeof WAYS)[number];

/** An operand that all expressions of a design may use: `bits` bits of the input, from `from` on. */
export interface Operand {
  name: string;
  declaration: string;
  width: number;
  /** The declared range, for an index `[a:b]`. */
  range: readonly [left: number, right: number];
}

export const INPUT_WIDTH = 40;
export const OUTPUT_WIDTH = 40;

const UNARY = ['~', '-', '+', '!', '&', '|', '^', '~&', '~|', '~^'];
const BINARY = ['+', '-', '*', '&', '|', '^', '~^', '<<', '>>', '<<<', '>>>', '&&', '||'];
const COMPARISONS = ['==', '!=', '<', '<=', '>', '>='];
const DIVISIONS = ['/', '%'];

/** Makes expressions, the same for the same numbers. */
export class ExpressionMaker {
  readonly operands: readonly Operand[];
  readonly #choices: Choices;

  /** @param random numbers from 0 to below 1 */
  constructor(random: () => number) {
    this.#choices = new Choices(random);
    this.operands = Array.from({ length: 8 }, (_, at) => this.#operand(at));
  }

  /** @param depth levels of operators at most */
  make(depth: number): Expression {
    if (depth === 0 || this.#choices.below(12) === 0) return this.#leaf();
    const kind = this.#choices.below(24);
    const part = () => this.make(depth - 1 - this.#choices.below(2) * Math.min(1, depth - 1));
    const form = (text: string, ...parts: Expression[]): Expression => ({ kind: 'form', text, parts });
    if (kind < 7) return form(`($1 ${this.#choices.of(BINARY)} $2)`, part(), part());
    if (kind < 9) return form(`($1 ${this.#choices.of(COMPARISONS)} $2)`, part(), part());
    if (kind < 10) return form(`(${this.#choices.of(UNARY)} $1)`, part());
    if (kind < 12) return form('($1 ? $2 : $3)', part(), part(), part());
    if (kind < 14) return form(this.#choices.of(['$signed($1)', '$unsigned($1)']), part());
    if (kind < 15) return form('{$1, $2}', this.#sized(), this.#sized());
    if (kind < 16) return form(`{${1 + this.#choices.below(3)}{$1}}`, this.#sized());
    if (kind < 17) {
      // Wide quotients take thousands of look-up tables.
      const narrow = (): Expression => this.#through(part(), 1 + this.#choices.below(9));
      return form(`($1 ${this.#choices.of(DIVISIONS)} $2)`, narrow(), narrow());
    }
    if (kind < 18) return this.#power(part());
    if (kind < 20) return this.#shiftBySum(part);
    if (kind < 21) return this.#selected(part);
    return this.#through(part(), this.#width());
  }

  /** Mostly narrow, for corners are met there. */
  #width(): number {
    return 1 + this.#choices.below(this.#choices.of([3, 8, 8, 16, INPUT_WIDTH]));
  }

  #operand(at: number): Operand {
    const width = at === 0 ? INPUT_WIDTH : this.#width();
    const offset = this.#choices.of([0, 0, 0, 1, 5]);
    const [high, low] = [width - 1 + offset, offset];
    const range: [number, number] = this.#choices.below(4) === 0 ? [low, high] : [high, low];
    const name = 'abcdefgh'[at] as string;
    const sign = this.#choices.below(2) === 0 ? ' signed' : '';
    const bits = `in[${at * INPUT_WIDTH} +: ${width}]`;
    return { name, width, range, declaration: `wire${sign} [${range[0]}:${range[1]}] ${name} = ${bits};` };
  }

  #leaf(): Expression {
    return {
      kind: 'form',
      text: this.#choices.below(4) === 0 ? this.#constant() : this.#choices.of(this.operands).name,
      parts: [],
    };
  }

  #constant(): string {
    const plain = this.#choices.below(3);
    // Icarus takes an unsized number that is shifted for as wide as it needs: those are small.
    if (plain === 0) return String(this.#choices.below(this.#choices.of([3, 9, 256])));
    const width = this.#width();
    const value = Array.from({ length: width }, () => this.#choices.below(2)).join('');
    if (plain === 1) return `${width}'${this.#choices.of(['', 's'])}b${value}`;
    return `(-${width}'sd${1 + this.#choices.below(2 ** Math.min(width - 1, 20))})`;
  }

  /** With a known width, as parts of a concatenation need. */
  #sized(): Expression {
    return this.#choices.below(2) === 0
      ? { kind: 'form', text: this.#choices.of(this.operands).name, parts: [] }
      : this.#through(this.make(1), this.#width());
  }

  #through(part: Expression, width: number): Expression {
    // Not every reader of plain Verilog supports an argument of a function with constants in it.
    const ways = WAYS.filter((way) => way !== 'function' || !hasConstant(part));
    return {
      kind: 'through',
      way: this.#choices.of(ways),
      signed: this.#choices.below(2) === 0,
      width,
      parts: [part],
    };
  }

  #power(part: Expression): Expression {
    const narrow = this.#through(part, 1 + this.#choices.below(4));
    return this.#choices.below(2) === 0
      ? { kind: 'form', text: `(${this.#choices.of(['2', "4'd2", "3'sd2", '4'])} ** $1)`, parts: [narrow] }
      : { kind: 'form', text: `($1 ** ${this.#choices.below(4)})`, parts: [narrow] };
  }

  /** Yosys has separate passes for an index that is a sum or a product. */
  #shiftBySum(part: () => Expression): Expression {
    const amount = this.#choices.of([
      '($2 + #)',
      '(# + $2)',
      '($2 - #)',
      '($2 * #)',
      '($2 + # + $2)',
      '{$2, #}',
    ]);
    const constant = String(this.#choices.below(9));
    const text = `($1 ${this.#choices.of(['>>', '<<', '>>>', '<<<'])} ${amount.replace('#', amount.startsWith('{') ? "2'b0" : constant)})`;
    return { kind: 'form', text, parts: [part(), this.#through(this.make(1), 1 + this.#choices.below(5))] };
  }

  /** Bits of an operand, of a fixed place within it or of any. Icarus 11 is wrong downwards of bits that count upwards. */
  #selected(part: () => Expression): Expression {
    const { name, range, width } = this.#choices.of(this.operands);
    const size = 1 + this.#choices.below(width);
    const offset = Math.min(...range) + this.#choices.below(width - size + 1);
    // Indices that are constants are refused where they are out of range.
    const index = this.#through(part(), this.#choices.of([3, 6]));
    const [first, last] = [offset + size - 1, offset];
    const fixed = range[0] >= range[1] ? `[${first}:${last}]` : `[${last}:${first}]`;
    switch (this.#choices.below(5)) {
      case 0:
        return { kind: 'form', text: `${name}${fixed}`, parts: [] };
      case 1:
        return { kind: 'form', text: `${name}[$1]`, parts: [index] };
      case 2:
        return {
          kind: 'form',
          text: `${name}[$1 * ${1 + this.#choices.below(8)} +: ${size}]`,
          parts: [index],
        };
      default:
        return {
          kind: 'form',
          text: `${name}[$1 ${this.#choices.of(range[0] < range[1] ? ['+:'] : ['+:', '-:'])} ${size}]`,
          parts: [index],
        };
    }
  }
}

/** Whether there is a number in it. */
const hasConstant = (expression: Expression): boolean =>
  (expression.kind === 'form' && /(?<![\w$])\d/.test(expression.text)) || expression.parts.some(hasConstant);

/** Writes expressions, with declarations of what they go through. */
export class ExpressionWriter {
  readonly declarations: string[] = [];
  #named = 0;

  write(expression: Expression): string {
    const parts = expression.parts.map((part) => this.write(part));
    if (expression.kind === 'form')
      return expression.text.replace(/\$(\d)/g, (_, at) => parts[at - 1] as string);
    const { way, signed, width } = expression;
    const n = this.#named++;
    const type = `${signed ? 'signed ' : ''}[${width - 1}:0]`;
    const [value] = parts as [string];
    switch (way) {
      case 'net':
        this.declarations.push(`wire ${type} t${n} = ${value};`);
        return `t${n}`;
      case 'variable':
        this.declarations.push(`reg ${type} t${n}; always @* t${n} = ${value};`);
        return `t${n}`;
      case 'function':
        this.declarations.push(
          `function ${type} f${n}(input ${type} x); f${n} = x; endfunction wire ${type} t${n} = f${n}(${value});`,
        );
        return `t${n}`;
    }
  }
}

/** Simpler expressions that an expression may be replaced with where it is at fault. */
export function simplerThan(expression: Expression): Expression[] {
  const within = expression.parts.flatMap((part, at) =>
    simplerThan(part).map(
      (simpler) => ({ ...expression, parts: expression.parts.with(at, simpler) }) as Expression,
    ),
  );
  return [...expression.parts, ...within];
}

/** How many nodes it has. */
export const sizeOf = ({ parts }: Expression): number =>
  1 + parts.reduce((sum, part) => sum + sizeOf(part), 0);
