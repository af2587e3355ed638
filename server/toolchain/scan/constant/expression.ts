import type { Piece } from '../outline-lexer.ts';
import { literal, type Value } from './value.ts';

/** A constant expression. */
export type Expression =
  | { kind: 'value'; value: Value }
  | { kind: 'name'; name: string }
  /** `name[high]`, or `name[high:low]` */
  | { kind: 'select'; name: string; high: Expression; low: Expression | null }
  | { kind: 'unary'; operator: string; of: Expression }
  | { kind: 'binary'; operator: string; left: Expression; right: Expression }
  | { kind: 'condition'; of: Expression; taken: Expression; otherwise: Expression }
  | { kind: 'concatenation'; parts: Expression[]; times: Expression | null }
  /** Also of a system function, by its name with `$`. */
  | { kind: 'call'; name: string; given: Expression[]; place: Call };

/** Where a call is in the pieces: its name, and what is behind its closing parenthesis. */
interface Call {
  from: number;
  to: number;
}

/** How strongly operators bind; all of them to the left. */
const BINDS: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '|': 3,
  '^': 4,
  '~^': 4,
  '^~': 4,
  '&': 5,
  '==': 6,
  '!=': 6,
  '===': 6,
  '!==': 6,
  '<': 7,
  '<=': 7,
  '>': 7,
  '>=': 7,
  '<<': 8,
  '>>': 8,
  '<<<': 8,
  '>>>': 8,
  '+': 9,
  '-': 9,
  '*': 10,
  '/': 10,
  '%': 10,
  '**': 11,
};
const UNARY = new Set('+ - ! ~ & | ^ ~& ~| ~^ ^~'.split(' '));

/** Expressions within each other that are read. */
const DEEPEST = 100;

/** The text is none that this reader knows. */
export class Unread extends Error {}

/** Reads what tokens say, from a place on. Every function of it throws Unread. */
export class Reader {
  readonly tokens: readonly Piece[];
  at: number;
  #depth = 0;

  /** @param tokens see joined */
  constructor(tokens: readonly Piece[], at = 0) {
    this.tokens = tokens;
    this.at = at;
  }

  get text(): string {
    return this.tokens[this.at]?.text ?? '';
  }

  get token(): Piece {
    const token = this.tokens[this.at];
    if (!token || token.kind === 'directive' || token.kind === 'macro') throw new Unread();
    return token;
  }

  takes(text: string): boolean {
    if (this.text !== text) return false;
    this.at++;
    return true;
  }

  expect(text: string): void {
    if (!this.takes(text)) throw new Unread();
  }

  name(): string {
    const { kind, text } = this.token;
    if (kind !== 'word') throw new Unread();
    this.at++;
    return text;
  }

  expression(): Expression {
    if (++this.#depth > DEEPEST) throw new Unread();
    const of = this.#binary(0);
    this.#depth--;
    if (!this.takes('?')) return of;
    const taken = this.expression();
    this.expect(':');
    return { kind: 'condition', of, taken, otherwise: this.expression() };
  }

  #binary(least: number): Expression {
    let left = this.#operand();
    for (;;) {
      const operator = this.tokens[this.at]?.kind === 'mark' ? this.text : '';
      const binds = BINDS[operator] ?? 0;
      if (binds <= least) return left;
      this.at++;
      left = { kind: 'binary', operator, left, right: this.#binary(binds) };
    }
  }

  #operand(): Expression {
    const { kind, text } = this.token;
    const from = this.at++;
    if (kind === 'mark' && UNARY.has(text)) {
      if (++this.#depth > DEEPEST) throw new Unread();
      const of = this.#operand();
      this.#depth--;
      return { kind: 'unary', operator: text, of };
    }
    if (text === '(') {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (text === '{') return this.#concatenation();
    if (kind === 'word' || (kind === 'other' && text.startsWith('$'))) {
      if (this.takes('(')) return this.#call(text, from);
      if (kind !== 'word') throw new Unread();
      return this.#selected(text);
    }
    if (kind !== 'other' || !/^[\d']/.test(text)) throw new Unread();
    const based = this.tokens[this.at];
    const two = !text.startsWith("'") && based?.kind === 'other' && based.text.startsWith("'");
    if (two) this.at++;
    const value = text.startsWith("'") ? literal(null, text) : literal(text, two ? based.text : null);
    if (!value) throw new Unread();
    return { kind: 'value', value };
  }

  #call(name: string, from: number): Expression {
    const given: Expression[] = [];
    if (!this.takes(')')) {
      do given.push(this.expression());
      while (this.takes(','));
      this.expect(')');
    }
    return { kind: 'call', name, given, place: { from, to: this.at } };
  }

  #selected(name: string): Expression {
    if (this.text === '.' || this.text === ':') {
      // A name within another, or of a package; `a ? b : c` goes on.
      if (this.text === '.' || this.tokens[this.at + 1]?.text === ':') throw new Unread();
    }
    if (!this.takes('[')) return { kind: 'name', name };
    const high = this.expression();
    const low = this.takes(':') ? this.expression() : null;
    this.expect(']');
    if (this.text === '[') throw new Unread();
    return { kind: 'select', name, high, low };
  }

  #concatenation(): Expression {
    const first = this.expression();
    if (this.takes('{')) {
      const parts = this.#parts(this.expression());
      this.expect('}');
      return { kind: 'concatenation', parts, times: first };
    }
    return { kind: 'concatenation', parts: this.#parts(first), times: null };
  }

  #parts(first: Expression): Expression[] {
    const parts = [first];
    while (this.takes(',')) parts.push(this.expression());
    this.expect('}');
    return parts;
  }
}
