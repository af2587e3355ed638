import type { Piece } from '../outline-lexer.ts';
import { type Expression, Reader, Unread } from './expression.ts';

/** A type as it is declared: bits from `high` down to `low`. */
export interface Type {
  high: Expression;
  low: Expression;
  signed: boolean;
}

/** A statement of a constant function. */
export type Statement =
  | { kind: 'block'; of: Statement[] }
  | { kind: 'assign'; to: Target; operator: string; by: Expression }
  | { kind: 'if'; of: Expression; taken: Statement; otherwise: Statement | null }
  | { kind: 'case'; of: Expression; items: { matches: Expression[] | null; taken: Statement }[] }
  /** Also of `while` and `repeat`: what they do not have is absent. */
  | Loop
  | { kind: 'return'; by: Expression };

export interface Loop {
  kind: 'loop';
  /** Offset of its keyword in the text. */
  start: number;
  first: Statement[];
  /** Passes of a `repeat`. */
  times?: Expression;
  condition?: Expression;
  step: Statement[];
  body: Statement;
}

interface Target {
  name: string;
  high: Expression | null;
  low: Expression | null;
}

/** A function of a module, as far as it can be a constant function. */
export interface ConstantFunction {
  name: string;
  result: Type;
  inputs: { name: string; type: Type }[];
  locals: Map<string, Type>;
  body: Statement[];
}

const number = (bits: bigint): Expression => ({ kind: 'value', value: { bits, width: 32, signed: true } });
const BIT: Type = { high: number(0n), low: number(0n), signed: false };
const sized = (width: number): Type => ({ high: number(BigInt(width - 1)), low: number(0n), signed: true });
const TYPES: Readonly<Record<string, Type>> = {
  integer: sized(32),
  int: sized(32),
  genvar: sized(32),
  shortint: sized(16),
  byte: sized(8),
  longint: sized(64),
};

/** Reads the type in front of a name, if there is one. @throws Unread */
export function typeAt(reader: Reader): Type | null {
  const named = TYPES[reader.text];
  if (named) {
    reader.at++;
    if (reader.takes('unsigned')) return { ...named, signed: false };
    reader.takes('signed');
    return named;
  }
  const kind = ['reg', 'logic', 'bit', 'wire'].some((word) => reader.takes(word));
  const signed = reader.takes('signed');
  if (!signed) reader.takes('unsigned');
  if (!reader.takes('[')) return kind || signed ? { ...BIT, signed } : null;
  const high = reader.expression();
  reader.expect(':');
  const low = reader.expression();
  reader.expect(']');
  if (reader.text === '[') throw new Unread();
  return { high, low, signed };
}

/**
 * Reads a function from behind its keyword up to `endfunction`.
 * @returns null for one that is not understood
 */
export function functionAt(tokens: readonly Piece[], from: number): ConstantFunction | null {
  try {
    return new FunctionReader(tokens, from).function();
  } catch (error) {
    if (error instanceof Unread) return null;
    throw error;
  }
}

/** Statements within each other that are read. */
const DEEPEST = 100;

class FunctionReader extends Reader {
  readonly #inputs: ConstantFunction['inputs'] = [];
  readonly #locals: ConstantFunction['locals'] = new Map();
  #nesting = 0;

  function(): ConstantFunction {
    if (!this.takes('automatic')) this.takes('static');
    const result = typeAt(this) ?? BIT;
    const name = this.name();
    if (this.takes('(') && !this.takes(')')) this.#header();
    this.expect(';');
    while (this.#declaration());
    const body: Statement[] = [];
    while (this.text !== 'endfunction') body.push(this.#statement());
    return { name, result, inputs: this.#inputs, locals: this.#locals, body };
  }

  #header(): void {
    let type = BIT;
    do {
      const input = this.takes('input');
      const own = typeAt(this);
      type = own ?? (input ? BIT : type);
      this.#inputs.push({ name: this.name(), type });
    } while (this.takes(','));
    this.expect(')');
  }

  /** `input [7:0] a, b;` and `integer i;` */
  #declaration(): boolean {
    const input = this.takes('input');
    const type = typeAt(this) ?? (input ? BIT : null);
    if (!type) return false;
    do {
      const name = this.name();
      if (input) this.#inputs.push({ name, type });
      else this.#locals.set(name, type);
      // A memory, or a value that it begins with.
      if (this.text !== ',' && this.text !== ';') throw new Unread();
    } while (this.takes(','));
    this.expect(';');
    return true;
  }

  #statement(): Statement {
    if (++this.#nesting > DEEPEST) throw new Unread();
    const statement = this.#plain();
    this.#nesting--;
    return statement;
  }

  #plain(): Statement {
    const { text, start } = this.token;
    if (this.takes(';')) return { kind: 'block', of: [] };
    switch (text) {
      case 'begin':
        return this.#block();
      case 'if': {
        this.at++;
        const of = this.#inParentheses();
        const taken = this.#statement();
        return { kind: 'if', of, taken, otherwise: this.takes('else') ? this.#statement() : null };
      }
      case 'case':
        return this.#case();
      case 'for':
        return this.#for(start);
      case 'while':
      case 'repeat': {
        this.at++;
        const asked = this.#inParentheses();
        const passes = text === 'while' ? { condition: asked } : { times: asked };
        return { kind: 'loop', start, first: [], ...passes, step: [], body: this.#statement() };
      }
      case 'return': {
        this.at++;
        const by = this.expression();
        this.expect(';');
        return { kind: 'return', by };
      }
      default: {
        const assignment = this.#assignment();
        this.expect(';');
        return assignment;
      }
    }
  }

  #block(): Statement {
    this.at++;
    if (this.takes(':')) this.name();
    // Names of a block are taken for those of the function: two of one name are not understood.
    const before = this.#locals.size;
    let declared = 0;
    while (this.text !== 'end' && this.#declaration()) declared++;
    if (this.#locals.size < before + declared) throw new Unread();
    const of: Statement[] = [];
    while (!this.takes('end')) of.push(this.#statement());
    if (this.takes(':')) this.name();
    return { kind: 'block', of };
  }

  #case(): Statement {
    this.at++;
    const of = this.#inParentheses();
    const items: { matches: Expression[] | null; taken: Statement }[] = [];
    while (!this.takes('endcase')) {
      if (this.takes('default')) {
        this.takes(':');
        items.push({ matches: null, taken: this.#statement() });
        continue;
      }
      const matches = [this.expression()];
      while (this.takes(',')) matches.push(this.expression());
      this.expect(':');
      items.push({ matches, taken: this.#statement() });
    }
    return { kind: 'case', of, items };
  }

  #for(start: number): Loop {
    this.at++;
    this.expect('(');
    const type = typeAt(this);
    if (type) {
      const name = this.text;
      if (this.#locals.has(name) || this.#inputs.some((input) => input.name === name)) throw new Unread();
      this.#locals.set(name, type);
    }
    const first = [this.#assignment()];
    this.expect(';');
    const condition = this.expression();
    this.expect(';');
    const step = [this.#assignment()];
    this.expect(')');
    return { kind: 'loop', start, first, condition, step, body: this.#statement() };
  }

  #inParentheses(): Expression {
    this.expect('(');
    const inner = this.expression();
    this.expect(')');
    return inner;
  }

  #assignment(): Statement {
    return assignmentAt(this);
  }
}

/** Reads `a = 1`, `a[3:0] = 1`, `a += 1` and `a++`. @throws Unread */
export function assignmentAt(reader: Reader): Statement {
  const before = ['++', '--'].find((step) => reader.takes(step));
  const name = reader.name();
  const to: Target = { name, high: null, low: null };
  if (before !== undefined) return stepped(to, before);
  if (reader.takes('[')) {
    to.high = reader.expression();
    if (reader.takes(':')) to.low = reader.expression();
    reader.expect(']');
  }
  const after = ['++', '--'].find((step) => reader.takes(step));
  if (after !== undefined) return stepped(to, after);
  const operator = reader.text;
  if (operator !== '=' && !/^(?:[-+*/%&|^]|<<<?|>>>?)=$/.test(operator)) throw new Unread();
  reader.at++;
  return { kind: 'assign', to, operator: operator.slice(0, -1), by: reader.expression() };
}

const stepped = (to: Target, step: string): Statement => ({
  kind: 'assign',
  to,
  operator: step.charAt(0),
  by: number(1n),
});
