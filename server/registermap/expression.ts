import { integerIn } from './numbers.ts';

/** Maximum characters of an expression, and depth of parameters. */
const MAX_CHARACTERS = 1000;
const MAX_DEPTH = 64;
/** Maximum exponent and shift, and bits of a result: addresses, sizes and values have fewer. */
const MAX_SHIFT = 64n;
const MAX_BITS = 128;

const TOKEN =
  /\s*(\d*'s?[bodhBODH][\da-fA-F_]+|0[xX][\da-fA-F_]+|\d[\d_]*[kKMGT]?|\$?[A-Za-z_][\w$]*|\*\*|<<<|>>>|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>!~&|^?:(),])/y;

/** Binary operators by precedence, the lowest first (IEEE 1800-2017, table 11-2). */
const LEVELS = [
  ['||'],
  ['&&'],
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<', '<=', '>', '>='],
  ['<<', '>>', '<<<', '>>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
] as const;

/** The expression has no value. */
class NoValue extends Error {}

const bounded = (exponent: bigint): bigint => {
  if (exponent < 0n || exponent > MAX_SHIFT) throw new NoValue();
  return exponent;
};

const fitting = (value: bigint): bigint => {
  if (BigInt.asIntN(MAX_BITS, value) !== value) throw new NoValue();
  return value;
};

const BINARY: Readonly<Record<(typeof LEVELS)[number][number], (a: bigint, b: bigint) => bigint | boolean>> =
  {
    '||': (a, b) => a !== 0n || b !== 0n,
    '&&': (a, b) => a !== 0n && b !== 0n,
    '|': (a, b) => a | b,
    '^': (a, b) => a ^ b,
    '&': (a, b) => a & b,
    '==': (a, b) => a === b,
    '!=': (a, b) => a !== b,
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
    '<<': (a, b) => a << bounded(b),
    '<<<': (a, b) => a << bounded(b),
    '>>': (a, b) => a >> bounded(b),
    '>>>': (a, b) => a >> bounded(b),
    '+': (a, b) => a + b,
    '-': (a, b) => a - b,
    '*': (a, b) => a * b,
    '/': (a, b) => a / b,
    '%': (a, b) => a % b,
    '**': (a, b) => a ** bounded(b),
  };

/** Functions of SystemVerilog that IP-XACT expressions may call (IEEE 1685-2014, annex C). */
const FUNCTIONS: Readonly<Record<string, (...values: bigint[]) => bigint>> = {
  $clog2: (value = 0n) => (value <= 1n ? 0n : BigInt((value - 1n).toString(2).length)),
  $pow: (base = 0n, exponent = 0n) => base ** bounded(exponent),
  $max: (a = 0n, b = 0n) => (a > b ? a : b),
  $min: (a = 0n, b = 0n) => (a < b ? a : b),
};

/**
 * Evaluates IP-XACT expressions: SystemVerilog integers and operators, `?:`, `$clog2` and the like, and parameters by
 * id. Strings, reals and vectors are not supported.
 */
export class Expressions {
  readonly #parameters: ReadonlyMap<string, string>;
  readonly #known = new Map<string, bigint | null>();
  #depth = 0;

  /** @param parameters id → expression */
  constructor(parameters: ReadonlyMap<string, string>) {
    this.#parameters = parameters;
  }

  /** The value; null where it can't be computed. */
  value(text: string): bigint | null {
    const plain = text.trim();
    const number = integerIn(plain);
    if (number !== null || plain.length > MAX_CHARACTERS || this.#depth >= MAX_DEPTH) return number;
    this.#depth++;
    try {
      return new Parser(plain, (id) => this.#parameter(id)).whole();
    } catch (error) {
      // A division by zero is a RangeError.
      if (error instanceof NoValue || error instanceof RangeError) return null;
      throw error;
    } finally {
      this.#depth--;
    }
  }

  #parameter(id: string): bigint | null {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    // A parameter that depends on itself has no value.
    this.#known.set(id, null);
    const value = this.value(this.#parameters.get(id) ?? '');
    this.#known.set(id, value);
    return value;
  }
}

class Parser {
  readonly #tokens: string[] = [];
  #at = 0;
  readonly #parameter: (id: string) => bigint | null;

  constructor(text: string, parameter: (id: string) => bigint | null) {
    this.#parameter = parameter;
    TOKEN.lastIndex = 0;
    for (let at = 0; at < text.length; at = TOKEN.lastIndex) {
      const token = TOKEN.exec(text)?.[1];
      if (token === undefined) throw new NoValue();
      this.#tokens.push(token);
    }
  }

  whole(): bigint {
    const value = this.#conditional();
    if (this.#at < this.#tokens.length) throw new NoValue();
    return value;
  }

  #take(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#take(token)) throw new NoValue();
  }

  #conditional(): bigint {
    const condition = this.#binary(0);
    if (!this.#take('?')) return condition;
    const yes = this.#conditional();
    this.#expect(':');
    const no = this.#conditional();
    return condition === 0n ? no : yes;
  }

  #binary(level: number): bigint {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    let value = this.#binary(level + 1);
    for (;;) {
      const operator = operators.find((one) => this.#take(one));
      if (!operator) return value;
      value = fitting(BigInt(BINARY[operator](value, this.#binary(level + 1))));
    }
  }

  #unary(): bigint {
    if (this.#take('+')) return this.#unary();
    if (this.#take('-')) return -this.#unary();
    if (this.#take('~')) return ~this.#unary();
    if (this.#take('!')) return this.#unary() === 0n ? 1n : 0n;
    if (this.#take('(')) {
      const value = this.#conditional();
      this.#expect(')');
      return value;
    }
    const token = this.#tokens[this.#at++] ?? '';
    const call = Object.hasOwn(FUNCTIONS, token) ? FUNCTIONS[token] : undefined;
    if (call) {
      this.#expect('(');
      const values = [this.#conditional()];
      while (this.#take(',')) values.push(this.#conditional());
      this.#expect(')');
      return fitting(call(...values));
    }
    const value = integerIn(token) ?? (/^[A-Za-z_]/.test(token) ? this.#parameter(token) : null);
    if (value === null) throw new NoValue();
    return fitting(value);
  }
}
