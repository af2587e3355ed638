import type { Piece } from './outline-lexer.ts';

/** Values of parameters and macros by their names; macros with their backtick. */
export type Constants = Pick<ReadonlyMap<string, number>, 'get'>;

/** Longer expressions are not evaluated. */
const LONGEST = 64;

/** How strongly operators bind; all of them to the left. */
const BINDS: Readonly<Record<string, number>> = {
  '<<': 1,
  '>>': 1,
  '+': 2,
  '-': 2,
  '*': 3,
  '/': 3,
  '%': 3,
  '**': 4,
};

const APPLY: Readonly<Record<string, (a: number, b: number) => number>> = {
  '<<': (a, b) => a * 2 ** b,
  '>>': (a, b) => Math.floor(a / 2 ** b),
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
};

const BASES: Readonly<Record<string, number>> = { b: 2, o: 8, d: 10, h: 16 };

/** The value of a number without its size: `1_024`, `'h3f`. */
function numberOf(text: string): number {
  const based = /^'[sS]?([bodhBODH])\s*(\w+)$/.exec(text);
  const digits = (based?.[2] ?? text).replaceAll('_', '');
  const base = BASES[based?.[1]?.toLowerCase() ?? 'd'] ?? 10;
  return /^[0-9a-f]+$/i.test(digits) ? Number.parseInt(digits, base) : Number.NaN;
}

class Evaluator {
  readonly #pieces: readonly Piece[];
  readonly #constants: Constants;
  #at = 0;

  constructor(pieces: readonly Piece[], constants: Constants) {
    this.#pieces = pieces;
    this.#constants = constants;
  }

  run(): number {
    const value = this.#binary(0);
    return this.#at === this.#pieces.length ? value : Number.NaN;
  }

  /** Marks are one character each: an operator of two is two pieces. */
  #operator(): string {
    const [first, second] = [this.#pieces[this.#at], this.#pieces[this.#at + 1]];
    if (first?.kind !== 'mark') return '';
    const two = first.text + (second?.kind === 'mark' ? second.text : '');
    return two in BINDS ? two : first.text in BINDS ? first.text : '';
  }

  #binary(least: number): number {
    let value = this.#operand();
    for (;;) {
      const operator = this.#operator();
      const binds = BINDS[operator] ?? 0;
      if (binds <= least) return value;
      this.#at += operator.length;
      value = APPLY[operator]?.(value, this.#binary(binds)) ?? Number.NaN;
    }
  }

  #operand(): number {
    const piece = this.#pieces[this.#at++];
    if (!piece) return Number.NaN;
    const { kind, text } = piece;
    if (kind === 'word' || kind === 'macro') return this.#constants.get(text) ?? Number.NaN;
    if (text === '-') return -this.#operand();
    if (text === '(') {
      const value = this.#binary(0);
      return this.#pieces[this.#at++]?.text === ')' ? value : Number.NaN;
    }
    if (text === '$clog2') {
      const value = this.#operand();
      return value > 1 ? Math.ceil(Math.log2(value)) : 0;
    }
    if (kind !== 'other') return Number.NaN;
    const based = this.#pieces[this.#at];
    if (based?.kind !== 'other' || !based.text.startsWith("'")) return numberOf(text);
    this.#at++; // what stands before it is its size
    return numberOf(based.text);
  }
}

/** The value of a constant expression; NaN where this reader cannot tell. */
export const constantValue = (pieces: readonly Piece[], constants: Constants): number =>
  pieces.length > LONGEST ? Number.NaN : new Evaluator(pieces, constants).run();
