import { evaluate, type Scope, type Size } from './evaluate.ts';
import type { Expression, Reader } from './expression.ts';
import { told } from './parameters.ts';
import { assignmentAt, type Statement, type Type, typeAt } from './statements.ts';
import { integer, numberOf, type Value, value } from './value.ts';

/** What is between the parentheses of a `for`. */
export interface Header {
  variable: string;
  /** Where the header declares its variable. */
  type: Type | null;
  first: Statement;
  condition: Expression;
  step: Statement;
  /** Tokens of the first value, and of the condition: where they begin, and what is behind them. */
  begins: [from: number, to: number];
  asks: [from: number, to: number];
}

/** Reads the header of a `for` from behind that word. @throws Unread */
export function headerAt(reader: Reader): Header {
  reader.expect('(');
  const type = typeAt(reader);
  const variable = reader.text;
  const begin = reader.at + 2;
  const first = assignmentAt(reader);
  const begins: Header['begins'] = [begin, reader.at];
  reader.expect(';');
  const from = reader.at;
  const condition = reader.expression();
  const asks: Header['asks'] = [from, reader.at];
  reader.expect(';');
  const step = assignmentAt(reader);
  reader.expect(')');
  return { variable, type, first, condition, step, begins, asks };
}

/** How often a loop runs. */
export interface Passes {
  /** Infinity for one that never ends. */
  count: number;
  /** The value that its variable begins with. */
  start: bigint;
  /** The one of its last pass; that of the first where there is none, or no end. */
  last: bigint;
  /** The condition holds for every value that its variable can have. */
  always: boolean;
  /** Its variable stays as it is. */
  still: boolean;
}

/** Nobody waits for a variable that comes round after so many passes. */
const ROUND = 1n << 24n;
const TURNED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/**
 * How often a loop runs whose variable goes from one constant to another in equal steps, without running it.
 * @param size of its variable
 * @returns null where that cannot be told
 */
export function passesOf(header: Header, size: Size, scope: Scope): Passes | null {
  const { variable, first, step } = header;
  const bound = boundOf(header.condition, variable);
  if (!bound || first.kind !== 'assign' || first.operator !== '' || !isOf(first, variable)) return null;
  if (step.kind !== 'assign' || !isOf(step, variable)) return null;
  return told(() => {
    const start = assigned(first.by, size, scope);
    const by = stepOf(step, variable, size, scope);
    const end = evaluate(beside(bound.end, value(0n, size.width, size.signed)), scope);
    if (by === null) return null;
    // Both sides as they are compared: with one width, and with signs where both have them.
    const from = numberOf({
      ...end,
      bits: evaluate(beside(constant(start), { ...end, bits: 0n }), scope).bits,
    });
    const top = end.signed ? 1n << BigInt(size.width - 1) : 1n << BigInt(size.width);
    const range = { low: end.signed ? -top : 0n, high: top - 1n };
    const count = countOf(from, bound.operator, numberOf(end), by, range);
    const always = holdsAlways(bound.operator, numberOf(end), range);
    if (count === null) return null;
    const begin = numberOf(start);
    const more = Number.isFinite(count) && count > 1 ? BigInt(count - 1) : 0n;
    return { count, start: begin, last: begin + more * by, always, still: by === 0n };
  });
}

const constant = (of: Value): Expression => ({ kind: 'value', value: of });
const beside = (left: Expression, right: Value): Expression => ({
  kind: 'binary',
  operator: '+',
  left,
  right: constant(right),
});
const isOf = ({ to }: Extract<Statement, { kind: 'assign' }>, name: string) =>
  to.name === name && to.high === null;

function boundOf(condition: Expression, variable: string): { operator: string; end: Expression } | null {
  if (condition.kind !== 'binary') return null;
  const { operator, left, right } = condition;
  const turned = TURNED[operator];
  if (turned === undefined) return null;
  if (left.kind === 'name' && left.name === variable) return { operator, end: right };
  return right.kind === 'name' && right.name === variable ? { operator: turned, end: left } : null;
}

/** What a variable has when that is assigned to it. */
function assigned(by: Expression, { width, signed }: Size, scope: Scope): Value {
  return value(numberOf(evaluate(by, scope, width)), width, signed);
}

/** What a pass adds to the variable; null for every other step. */
function stepOf(
  { operator, by }: Extract<Statement, { kind: 'assign' }>,
  variable: string,
  { width, signed }: Size,
  scope: Scope,
): bigint | null {
  const next: Expression =
    operator === '' ? by : { kind: 'binary', operator, left: { kind: 'name', name: variable }, right: by };
  const at = (now: bigint) => {
    const own: Scope = {
      get: (name) => (name === variable ? value(now, width, signed) : scope.get(name)),
      call: (name, given) => scope.call(name, given),
      result: (name) => scope.result(name),
    };
    return BigInt.asIntN(width, numberOf(evaluate(next, own, width)) - now);
  };
  // What is a sum differs from the variable by the same everywhere.
  const change = at(0n);
  return [1n, 6n, 1000n].every((now) => at(now) === change) ? change : null;
}

interface Range {
  low: bigint;
  high: bigint;
}

function holdsAlways(operator: string, end: bigint, { low, high }: Range): boolean {
  const inclusive = operator.endsWith('=') ? 1n : 0n;
  return operator.startsWith('<') ? high < end + inclusive : low > end - inclusive;
}

/**
 * Passes of a loop that begins with `start` and adds `by`.
 * @param range of its variable, which comes round beyond it @returns null where it comes round, and may end then
 */
function countOf(start: bigint, operator: string, end: bigint, by: bigint, range: Range): number | null {
  const { low, high } = range;
  const up = operator.startsWith('<');
  const inclusive = operator.endsWith('=') ? 1n : 0n;
  const distance = (up ? end - start : start - end) + inclusive;
  if (distance <= 0n) return 0;
  if (by === 0n || holdsAlways(operator, end, range)) return Number.POSITIVE_INFINITY;
  const towards = up ? by : -by;
  if (towards < 0n)
    return (up ? start - low : high - start) / -towards > ROUND ? Number.POSITIVE_INFINITY : null;
  const count = (distance + towards - 1n) / towards;
  const last = start + count * by;
  return last > high || last < low ? null : Number(count);
}

/** How often a `repeat` runs; null where that cannot be told. */
export function timesOf(times: Expression, scope: Scope): number | null {
  const count = told(() => numberOf(evaluate(times, scope)));
  return count === null ? null : count < 0n ? 0 : Number(count);
}

/** Bits of a type, where they can be told; else those of an `integer`. */
export const INTEGER: Size = { width: integer(0n).width, signed: true };
