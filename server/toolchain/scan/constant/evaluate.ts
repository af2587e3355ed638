import type { Expression } from './expression.ts';
import { asSigned, cut, numberOf, type Value, value, WIDEST } from './value.ts';

/** What an expression may ask for. */
export interface Scope {
  /** Null where it is not known, or not a plain number counted down to 0. */
  get(name: string): Value | null;
  /** The result of a function of the design. @throws Unknown */
  call(name: string, given: readonly Value[]): Value;
  /** What the function returns, before it is called: the bits do not count. Null for one that is not known. */
  result(name: string): Value | null;
  /** Of the expressions whose sizes do not depend on values, where these are asked for more than once. */
  readonly sizes?: Map<Expression, Size>;
}

/** The value cannot be told. */
export class Unknown {}
const UNKNOWN = new Unknown();

/** How wide an expression is by itself. */
export interface Size {
  width: number;
  signed: boolean;
}

const BIT: Size = { width: 1, signed: false };
const COMPARES = new Set(['==', '!=', '===', '!==', '<', '<=', '>', '>=']);
const SHIFTS = new Set(['<<', '>>', '<<<', '>>>', '**']);

/**
 * The value of a constant expression, with the widths and signs of IEEE 1364-2005, 5.4 and 5.5.
 * @param atLeast bits of what it is assigned to
 * @throws Unknown where it has unknown bits, or asks for what is not known
 */
export function evaluate(expression: Expression, scope: Scope, atLeast = 0): Value {
  const { width, signed } = sizeOf(expression, scope);
  const wide = Math.max(width, atLeast);
  return value(bitsOf(expression, scope, wide, signed), wide, signed);
}

function known(name: string, scope: Scope): Value {
  const found = scope.get(name);
  if (!found) throw UNKNOWN;
  return found;
}

const FIXED = new Set<Expression['kind']>(['name', 'unary', 'binary', 'condition', 'call']);

function sizeOf(expression: Expression, scope: Scope): Size {
  const known = scope.sizes?.get(expression);
  if (known) return known;
  const size = plainSize(expression, scope);
  if (size.width > WIDEST || size.width < 1) throw UNKNOWN;
  if (scope.sizes && FIXED.has(expression.kind))
    scope.sizes.set(expression, { width: size.width, signed: size.signed });
  return size;
}

function plainSize(expression: Expression, scope: Scope): Size {
  switch (expression.kind) {
    case 'value':
      return expression.value;
    case 'name':
      return known(expression.name, scope);
    case 'select': {
      const { high, low } = expression;
      return { width: low === null ? 1 : small(high, scope) - small(low, scope) + 1, signed: false };
    }
    case 'unary':
      return /^[-+~]$/.test(expression.operator) ? sizeOf(expression.of, scope) : BIT;
    case 'binary': {
      const { operator, left, right } = expression;
      if (COMPARES.has(operator) || operator === '&&' || operator === '||') return BIT;
      return SHIFTS.has(operator) ? sizeOf(left, scope) : common(left, right, scope);
    }
    case 'condition':
      return common(expression.taken, expression.otherwise, scope);
    case 'concatenation': {
      const width = expression.parts.reduce((sum, part) => sum + sizeOf(part, scope).width, 0);
      return { width: width * (expression.times ? small(expression.times, scope) : 1), signed: false };
    }
    case 'call': {
      const [first] = expression.given;
      if (expression.name === '$clog2') return { width: 32, signed: true };
      if (expression.name === '$signed' || expression.name === '$unsigned') {
        if (!first) throw UNKNOWN;
        return { width: sizeOf(first, scope).width, signed: expression.name === '$signed' };
      }
      const result = scope.result(expression.name);
      if (!result) throw UNKNOWN;
      return result;
    }
  }
}

function common(left: Expression, right: Expression, scope: Scope): Size {
  const [a, b] = [sizeOf(left, scope), sizeOf(right, scope)];
  return { width: Math.max(a.width, b.width), signed: a.signed && b.signed };
}

/** A number of bits, an index, or a count. */
function small(expression: Expression, scope: Scope): number {
  const number = numberOf(evaluate(expression, scope));
  if (number < 0n || number > BigInt(WIDEST)) throw UNKNOWN;
  return Number(number);
}

const holds = (expression: Expression, scope: Scope) => evaluate(expression, scope).bits !== 0n;
const bit = (yes: boolean) => (yes ? 1n : 0n);

/** The bits as they are in a context of that width and sign. */
function bitsOf(expression: Expression, scope: Scope, width: number, signed: boolean): bigint {
  switch (expression.kind) {
    case 'value':
      return extended(expression.value, width, signed);
    case 'name':
      return extended(known(expression.name, scope), width, signed);
    case 'select': {
      const of = known(expression.name, scope);
      const high = small(expression.high, scope);
      const low = expression.low === null ? high : small(expression.low, scope);
      if (low > high || high >= of.width) throw UNKNOWN;
      return BigInt.asUintN(high - low + 1, of.bits >> BigInt(low));
    }
    case 'unary':
      return unary(expression.operator, expression.of, scope, width, signed);
    case 'binary':
      return binary(expression, scope, width, signed);
    case 'condition':
      return bitsOf(
        holds(expression.of, scope) ? expression.taken : expression.otherwise,
        scope,
        width,
        signed,
      );
    case 'concatenation': {
      let [bits, wide] = [0n, 0];
      for (const part of expression.parts) {
        const { bits: next, width: more } = evaluate(part, scope);
        bits = (bits << BigInt(more)) | next;
        wide += more;
      }
      let all = 0n;
      const times = expression.times ? small(expression.times, scope) : 1;
      if (times * wide > WIDEST || times < 1) throw UNKNOWN;
      for (let n = 0; n < times; n++) all = (all << BigInt(wide)) | bits;
      return all;
    }
    case 'call':
      return extended(called(expression.name, expression.given, scope), width, signed);
  }
}

function extended(of: Value, width: number, signed: boolean): bigint {
  return cut(width, signed ? numberOf(of) : of.bits);
}

function called(name: string, given: readonly Expression[], scope: Scope): Value {
  const values = given.map((one) => evaluate(one, scope));
  const [first] = values;
  if (!name.startsWith('$')) return scope.call(name, values);
  if (!first || values.length !== 1) throw UNKNOWN;
  if (name === '$signed' || name === '$unsigned') return { ...first, signed: name === '$signed' };
  if (name !== '$clog2') throw UNKNOWN;
  return value(first.bits <= 1n ? 0n : BigInt((first.bits - 1n).toString(2).length), 32, true);
}

function unary(operator: string, of: Expression, scope: Scope, width: number, signed: boolean): bigint {
  if (operator === '+') return bitsOf(of, scope, width, signed);
  if (operator === '-') return BigInt.asUintN(width, -bitsOf(of, scope, width, signed));
  if (operator === '~') return BigInt.asUintN(width, ~bitsOf(of, scope, width, signed));
  const { bits, width: wide } = evaluate(of, scope);
  const ones = (bits.toString(2).match(/1/g) ?? []).length;
  switch (operator) {
    case '!':
      return bit(bits === 0n);
    case '&':
      return bit(ones === wide);
    case '~&':
      return bit(ones !== wide);
    case '|':
      return bit(bits !== 0n);
    case '~|':
      return bit(bits === 0n);
    case '^':
      return bit(ones % 2 === 1);
    default:
      return bit(ones % 2 === 0);
  }
}

function binary(
  { operator, left, right }: Extract<Expression, { kind: 'binary' }>,
  scope: Scope,
  width: number,
  signed: boolean,
): bigint {
  if (operator === '&&' || operator === '||') {
    const [a, b] = [holds(left, scope), holds(right, scope)];
    return bit(operator === '&&' ? a && b : a || b);
  }
  if (COMPARES.has(operator)) {
    const size = common(left, right, scope);
    const side = (one: Expression) => number(one, scope, size.width, size.signed);
    return bit(compares(operator, side(left), side(right)));
  }
  if (SHIFTS.has(operator)) {
    const base = bitsOf(left, scope, width, signed);
    const by = evaluate(right, scope);
    if (operator === '**') return power({ bits: base, width, signed }, numberOf(by));
    const most = by.bits > BigInt(width) ? BigInt(width) : by.bits;
    if (operator.startsWith('<')) return BigInt.asUintN(width, base << most);
    if (operator === '>>>' && signed) return BigInt.asUintN(width, BigInt.asIntN(width, base) >> most);
    return base >> most;
  }
  const a = number(left, scope, width, signed);
  return cut(width, computes(operator, a, number(right, scope, width, signed)));
}

/** What an expression stands for in a context of that width and sign. */
function number(expression: Expression, scope: Scope, width: number, signed: boolean): bigint {
  const bits = bitsOf(expression, scope, width, signed);
  return signed ? asSigned(width, bits) : bits;
}

function compares(operator: string, a: bigint, b: bigint): boolean {
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return (a === b) === operator.startsWith('=');
  }
}

function computes(operator: string, a: bigint, b: bigint): bigint {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
    case '%':
      if (b === 0n) throw UNKNOWN;
      return operator === '/' ? a / b : a % b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    default:
      return ~(a ^ b);
  }
}

function power(base: Value, exponent: bigint): bigint {
  const number = numberOf(base);
  const { width } = base;
  if (exponent < 0n) {
    if (number === 0n) throw UNKNOWN;
    if (number === 1n) return 1n;
    return number === -1n ? BigInt.asUintN(width, exponent % 2n === 0n ? 1n : -1n) : 0n;
  }
  let result = 1n;
  let square = BigInt.asUintN(width, number);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = BigInt.asUintN(width, result * square);
    square = BigInt.asUintN(width, square * square);
  }
  return BigInt.asUintN(width, result);
}
