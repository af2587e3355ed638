import { evaluate, type Scope, type Size, Unknown } from './evaluate.ts';
import type { Expression } from './expression.ts';
import type { ConstantFunction, Loop, Statement, Type } from './statements.ts';
import { asSigned, cut, numberOf, type Value, value, WIDEST } from './value.ts';

/** Why a constant function, or a loop, has no result: it goes on for longer than any tool. */
export class GoesOn {
  readonly kind: 'passes' | 'calls';
  /** Offset of the loop in the text; of calls, -1. */
  readonly start: number;
  /** Whose it is. */
  readonly name: string;

  constructor(kind: 'passes' | 'calls', name: string, start: number) {
    this.kind = kind;
    this.name = name;
    this.start = start;
  }
}

/** Bounds of a computation. */
export interface Bounds {
  /** Passes of the loops of one call, and calls in all, from which on a computation goes on for too long. */
  passes: number;
  /** The same of the statements of one call. */
  statements: number;
  /** Functions within each other. */
  depth: number;
  /** Statements in all: whatever needs more than are left is not known. */
  work: { left: number };
}

/** A function that has to be called before an expression has a value. */
class Needed {
  readonly of: ConstantFunction;
  readonly given: readonly Value[];
  readonly key: string;

  constructor(of: ConstantFunction, given: readonly Value[], key: string) {
    this.of = of;
    this.given = given;
    this.key = key;
  }
}

/**
 * Calls the constant functions of a module. They have no effects: one that needs another begins again when that has a
 * result, so that functions within each other are not on the stack of this process.
 * @throws Unknown, GoesOn
 */
export class Interpreter implements Scope {
  readonly #functions: ReadonlyMap<string, ConstantFunction>;
  readonly #constant: (name: string) => Value | null;
  readonly #bounds: Bounds;
  readonly #results = new Map<string, Value>();
  #running = false;

  constructor(
    functions: ReadonlyMap<string, ConstantFunction>,
    constant: (name: string) => Value | null,
    bounds: Bounds,
  ) {
    this.#functions = functions;
    this.#constant = constant;
    this.#bounds = bounds;
  }

  get(name: string): Value | null {
    return this.#constant(name);
  }

  result(name: string): Value | null {
    const type = this.#functions.get(name)?.result;
    return type ? value(0n, widthOf(type, this), type.signed) : null;
  }

  call(name: string, given: readonly Value[]): Value {
    const of = this.#functions.get(name);
    if (!of || of.inputs.length !== given.length) throw new Unknown();
    const key = `${name} ${given.map(({ bits, width, signed }) => `${width}${signed ? 's' : 'u'}${bits}`).join()}`;
    const known = this.#results.get(key);
    if (known) return known;
    const needed = new Needed(of, given, key);
    if (this.#running) throw needed;
    return this.#run(needed);
  }

  #run(first: Needed): Value {
    this.#running = true;
    const stack = [first];
    let calls = 0;
    try {
      for (;;) {
        const top = stack.at(-1) as Needed;
        try {
          const result = new Activation(top.of, top.given, this, this.#bounds).run();
          this.#results.set(top.key, result);
          stack.pop();
          if (stack.length === 0) return result;
        } catch (error) {
          if (!(error instanceof Needed)) throw error;
          if (++calls > this.#bounds.passes || stack.length > this.#bounds.depth)
            throw new GoesOn('calls', error.of.name, -1);
          stack.push(error);
        }
      }
    } finally {
      this.#running = false;
    }
  }
}

/** Bits of a type that is counted down to 0. @throws Unknown for every other one */
export function widthOf({ high, low }: Type, scope: Scope): number {
  const [from, to] = [numberOf(evaluate(high, scope)), numberOf(evaluate(low, scope))];
  // Bits that are counted otherwise are rare, and not read.
  if (to !== 0n || from < 0n || from >= BigInt(WIDEST)) throw new Unknown();
  return Number(from) + 1;
}

interface Variable {
  width: number;
  signed: boolean;
  /** Null: not assigned yet. */
  bits: bigint | null;
}

/** One call of a function. */
class Activation implements Scope {
  readonly #of: ConstantFunction;
  readonly #outer: Scope;
  readonly #bounds: Bounds;
  readonly #variables = new Map<string, Variable>();
  readonly sizes = new Map<Expression, Size>();
  #returned: Value | null = null;
  #passes = 0;
  #statements = 0;
  /** Of the innermost loop that has begun. */
  #loopStart = -1;

  constructor(of: ConstantFunction, given: readonly Value[], outer: Scope, bounds: Bounds) {
    this.#of = of;
    this.#outer = outer;
    this.#bounds = bounds;
    const declare = (name: string, type: Type, bits: bigint | null) => {
      const width = widthOf(type, outer);
      this.#variables.set(name, {
        width,
        signed: type.signed,
        bits: bits === null ? null : BigInt.asUintN(width, bits),
      });
    };
    for (const [name, type] of of.locals) declare(name, type, null);
    declare(of.name, of.result, null);
    for (const [at, { name, type }] of of.inputs.entries()) {
      const one = given[at];
      if (!one) throw new Unknown();
      declare(name, type, numberOf(one));
    }
  }

  get(name: string): Value | null {
    const own = this.#variables.get(name);
    if (!own) return this.#outer.get(name);
    return own.bits === null ? null : { bits: own.bits, width: own.width, signed: own.signed };
  }

  call = (name: string, given: readonly Value[]) => this.#outer.call(name, given);
  result = (name: string) => this.#outer.result(name);

  run(): Value {
    for (const statement of this.#of.body) {
      this.#do(statement);
      if (this.#returned) break;
    }
    const result = this.#returned ?? this.get(this.#of.name);
    if (!result) throw new Unknown();
    return result;
  }

  #goesOn(): never {
    throw new GoesOn('passes', this.#of.name, this.#loopStart);
  }

  #do(statement: Statement): void {
    if (--this.#bounds.work.left < 0) throw new Unknown();
    if (++this.#statements > this.#bounds.statements) this.#goesOn();
    switch (statement.kind) {
      case 'block':
        for (const one of statement.of) {
          this.#do(one);
          if (this.#returned) return;
        }
        return;
      case 'assign':
        this.#assign(statement);
        return;
      case 'if': {
        const { bits } = evaluate(statement.of, this);
        const next = bits !== 0n ? statement.taken : statement.otherwise;
        if (next) this.#do(next);
        return;
      }
      case 'case':
        this.#case(statement);
        return;
      case 'loop':
        this.#loop(statement);
        return;
      case 'return': {
        const result = this.#variables.get(this.#of.name);
        if (!result) throw new Unknown();
        const by = evaluate(statement.by, this, result.width);
        this.#returned = value(by.bits, result.width, result.signed);
      }
    }
  }

  #assign({ to, operator, by }: Extract<Statement, { kind: 'assign' }>): void {
    const variable = this.#variables.get(to.name);
    if (!variable) throw new Unknown();
    if (to.high !== null) {
      if (operator !== '') throw new Unknown();
      const high = Number(evaluate(to.high, this).bits);
      const low = to.low === null ? high : Number(evaluate(to.low, this).bits);
      if (variable.bits === null || low > high || high >= variable.width) throw new Unknown();
      const { bits } = evaluate(by, this, high - low + 1);
      const mask = ((1n << BigInt(high - low + 1)) - 1n) << BigInt(low);
      variable.bits = (variable.bits & ~mask) | ((bits << BigInt(low)) & mask);
      return;
    }
    const whole: Expression =
      operator === '' ? by : { kind: 'binary', operator, left: { kind: 'name', name: to.name }, right: by };
    const { bits, width, signed } = evaluate(whole, this, variable.width);
    variable.bits = cut(variable.width, signed ? asSigned(width, bits) : bits);
  }

  #case({ of, items }: Extract<Statement, { kind: 'case' }>): void {
    let otherwise: Statement | null = null;
    for (const { matches, taken } of items) {
      if (matches === null) otherwise = taken;
      for (const match of matches ?? []) {
        const same: Expression = { kind: 'binary', operator: '===', left: of, right: match };
        if (evaluate(same, this).bits === 0n) continue;
        this.#do(taken);
        return;
      }
    }
    if (otherwise) this.#do(otherwise);
  }

  #loop({ start, first, times, condition, step, body }: Loop): void {
    for (const statement of first) this.#do(statement);
    const passes = times ? numberOf(evaluate(times, this)) : null;
    for (let pass = 0; ; pass++) {
      if (passes !== null && BigInt(pass) >= passes) return;
      if (condition && evaluate(condition, this).bits === 0n) return;
      this.#loopStart = start;
      if (++this.#passes > this.#bounds.passes) this.#goesOn();
      this.#do(body);
      if (this.#returned) return;
      for (const statement of step) this.#do(statement);
    }
  }
}
