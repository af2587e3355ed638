import type { Bit, Cell, Module, Netlist } from '../netlist.ts';

/** An instance of a module below the slave. */
export interface Scope {
  module: Module;
  /** Null for the slave itself. */
  parent: { scope: Scope; instance: Cell } | null;
  drivers: ReadonlyMap<number, Driver>;
  /** What is outside of its inputs, by their nets. */
  outside: ReadonlyMap<number, Bit>;
  inside: Map<Cell, Scope | null>;
}

/** What drives a net: bit `at` of a cell's output. */
interface Driver {
  cell: Cell;
  port: string;
  at: number;
}

/** What an unknown bit is: a net, a bit of the written data or of the address, or a bit of a word of a memory. */
export type Origin =
  | { kind: 'net'; scope: Scope; net: number }
  | { kind: 'data' | 'address'; at: number }
  | { kind: 'word'; scope: Scope; memory: string; index: number; at: number };

/** A bit in an evaluation: a constant, or the number of its origin. */
export type Value = '0' | '1' | 'x' | number;

export const REGISTER = /^\$(?:_?s?a?l?dff|ff)/;
/** Cells behind each other that are followed; each takes some ten frames of the stack. */
const DEEPEST = 300;
const COMPARISON = new Set(['$eq', '$eqx']);

export const isConstant = (value: Value): value is '0' | '1' => value === '0' || value === '1';
const known = (bit: boolean): Value => (bit ? '1' : '0');
const isSigned = (cell: Cell, port: string) => /1$/.test(cell.parameters[`${port}_SIGNED`] ?? '');

/** The memory of a read or write port. */
export const memoryOf = ({ parameters }: Cell): string => parameters['MEMID']?.replace(/^\\/, '') ?? '';

/** The number of constant bits, the lowest first; null when one is unknown. */
export function numberOf(bits: readonly Value[]): number | null {
  let number = 0;
  for (const [at, bit] of bits.entries()) {
    if (!isConstant(bit)) return null;
    if (bit === '1') number += 2 ** at;
  }
  return number;
}

/** A slave with everything below it, and the origins of its unknown bits. */
export class Hierarchy {
  readonly root: Scope;
  readonly origins: Origin[] = [];
  /** The outermost net with the value of an origin inside an instance. */
  readonly outer = new Map<number, { scope: Scope; net: number }>();
  /** Cells that may still be evaluated. A design above the limit has no registers that are found. */
  steps: number;
  readonly #numbers = new Map<Scope | string, Map<number, number>>();
  readonly #netlist: Netlist;
  #depth = 0;

  constructor(slave: Module, netlist: Netlist, steps: number) {
    this.#netlist = netlist;
    this.steps = steps;
    this.root = this.#open(slave, null);
  }

  #open(module: Module, parent: Scope['parent']): Scope {
    const drivers = new Map<number, Driver>();
    for (const cell of module.cells)
      for (const port of cell.outputs)
        for (const [at, net] of (cell.connections[port] ?? []).entries())
          if (typeof net === 'number') drivers.set(net, { cell, port, at });
    const outside = new Map<number, Bit>();
    for (const { name, direction } of parent ? module.ports : [])
      for (const [at, net] of direction === 'input' ? (module.nets.get(name) ?? []).entries() : [])
        if (typeof net === 'number') outside.set(net, parent?.instance.connections[name]?.[at] ?? 'x');
    return { module, parent, drivers, outside, inside: new Map() };
  }

  /** The scope of an instance; null for a cell of the part, and within itself. */
  inside(scope: Scope, instance: Cell): Scope | null {
    let inside = scope.inside.get(instance);
    if (inside === undefined) {
      const module = this.#netlist.get(instance.type);
      const isOpen = module !== undefined && !module.isBlackBox && !isWithin(scope, module);
      inside = isOpen ? this.#open(module, { scope, instance }) : null;
      scope.inside.set(instance, inside);
    }
    return inside;
  }

  /** All scopes, up to a limit. */
  *scopes(scope = this.root, depth = 0): Generator<Scope> {
    yield scope;
    if (depth > 20) return;
    for (const cell of scope.module.cells) {
      if (this.steps-- < 0) return;
      const inside = this.inside(scope, cell);
      if (inside) yield* this.scopes(inside, depth + 1);
    }
  }

  /** Goes a cell deeper; takes the other result beyond the limits of steps and of the stack. */
  deeper<T>(work: () => T, otherwise: T): T {
    if (this.steps-- < 0 || this.#depth >= DEEPEST) return otherwise;
    this.#depth++;
    const result = work();
    this.#depth--;
    return result;
  }

  /** Whether a value is a constant, or a bit of the address or the data. */
  isGiven(value: Value): boolean {
    if (typeof value !== 'number') return isConstant(value);
    const kind = this.origins[value]?.kind;
    return kind === 'address' || kind === 'data';
  }

  /** The number of an origin. */
  number(origin: Origin): number {
    const [group, at]: readonly [Scope | string, number] =
      origin.kind === 'net'
        ? [origin.scope, origin.net]
        : origin.kind === 'word'
          ? [
              `${this.number({ kind: 'net', scope: origin.scope, net: -1 })} ${origin.memory} ${origin.index}`,
              origin.at,
            ]
          : [origin.kind, origin.at];
    const numbers = this.#numbers.get(group) ?? new Map<number, number>();
    this.#numbers.set(group, numbers);
    const known = numbers.get(at);
    if (known !== undefined) return known;
    numbers.set(at, this.origins.length);
    return this.origins.push(origin) - 1;
  }
}

function isWithin(scope: Scope, module: Module): boolean {
  for (let at: Scope | undefined = scope; at; at = at.parent?.scope) if (at.module === module) return true;
  return false;
}

/** Registers in whose place their next value counts. */
export interface Followed {
  /** Whatever that value is. */
  always: ReadonlySet<number>;
  /** Where it is a constant, or a bit of the address or the data. */
  given: ReadonlySet<number>;
}

/**
 * Evaluates a slave for levels of some nets. All other inputs and all registers are unknown, and stay what they are:
 * `ready ? count : 0` is `count`, because a reader who waits gets that.
 */
export class Evaluation {
  /** Comparisons with a constant that are true, and the constant. */
  readonly matches = new Map<Cell, number>();
  readonly #hierarchy: Hierarchy;
  readonly #levels: ReadonlyMap<number, Value>;
  readonly #followed: Followed;
  readonly #values = new Map<Scope, Map<number, Value>>();
  /** The register whose input is evaluated: its own value means that it waits. */
  #waiting: Value | null = null;

  /** @param levels by the origins of nets */
  constructor(hierarchy: Hierarchy, levels: ReadonlyMap<number, Value>, followed: Followed) {
    this.#hierarchy = hierarchy;
    this.#levels = levels;
    this.#followed = followed;
  }

  bits(scope: Scope, bits: readonly Bit[] = []): Value[] {
    return bits.map((bit) => this.bit(scope, bit));
  }

  bit(scope: Scope, bit: Bit | undefined): Value {
    if (typeof bit !== 'number') return bit === '0' || bit === '1' ? bit : 'x';
    const values = this.#values.get(scope) ?? new Map<number, Value>();
    this.#values.set(scope, values);
    const done = values.get(bit);
    if (done !== undefined) return done;
    const own = this.#hierarchy.number({ kind: 'net', scope, net: bit });
    // In a loop, and beyond the limit, a net is itself.
    values.set(bit, own);
    const value = this.#hierarchy.deeper(() => this.#driven(scope, bit, own), own);
    values.set(bit, value);
    return value;
  }

  #driven(scope: Scope, net: number, own: number): Value {
    const level = this.#levels.get(own);
    if (level !== undefined) return level;
    const driver = scope.drivers.get(net);
    if (driver === undefined)
      return scope.parent && scope.outside.has(net)
        ? this.bit(scope.parent.scope, scope.outside.get(net))
        : own;
    const { cell, port, at } = driver;
    if (!cell.type.startsWith('$')) {
      const inside = this.#hierarchy.inside(scope, cell);
      if (!inside) return own;
      const value = this.bit(inside, inside.module.nets.get(port)?.[at]);
      if (typeof value === 'number') this.#hierarchy.outer.set(value, { scope, net });
      return value;
    }
    if (!REGISTER.test(cell.type)) return this.#output(scope, cell, at) ?? own;
    const { always, given } = this.#followed;
    if (!always.has(own) && !given.has(own)) return own;
    const next = this.next(scope, cell, at);
    return always.has(own) || this.#hierarchy.isGiven(next) ? next : own;
  }

  /** What a register takes over with its clock: where that depends on something unknown, not its own value or a constant. */
  next(scope: Scope, cell: Cell, at: number): Value {
    const { connections, parameters } = cell;
    const own = this.#hierarchy.number({ kind: 'net', scope, net: Number(connections['Q']?.[at]) });
    const active = (port: string) =>
      connections[port] !== undefined &&
      this.bit(scope, connections[port]?.[0]) === known(/1$/.test(parameters[`${port}_POLARITY`] ?? '1'));
    const still = (port: string) => {
      const level = connections[port] === undefined ? 'x' : this.bit(scope, connections[port]?.[0]);
      return isConstant(level) && !active(port);
    };
    if (still('EN')) return own;
    if (active('SRST')) return parameters['SRST_VALUE']?.at(-1 - at) === '1' ? '1' : '0';
    const before = this.#waiting;
    this.#waiting = own;
    const value = this.bit(scope, connections['D']?.[at]);
    this.#waiting = before;
    return value;
  }

  /** Whether a value is what a cell calculates for a net, rather than a register or an input. */
  #isResult(scope: Scope, net: Bit | undefined, value: Value): boolean {
    if (typeof net !== 'number' || value !== this.#hierarchy.number({ kind: 'net', scope, net }))
      return false;
    const type = scope.drivers.get(net)?.cell.type;
    return type?.startsWith('$') === true && !REGISTER.test(type);
  }

  /** The value whatever decides among these; undefined when it matters. */
  #either(values: readonly Value[]): Value | undefined {
    const distinct = new Set<Value>(values.filter((value) => value !== 'x'));
    if (distinct.size > 1 && this.#waiting !== null) distinct.delete(this.#waiting);
    if (distinct.size > 1) for (const constant of ['0', '1'] as const) distinct.delete(constant);
    return distinct.size === 1 ? [...distinct][0] : values.every((value) => value === 'x') ? 'x' : undefined;
  }

  /** An operand, as wide as the result. */
  #operand(scope: Scope, cell: Cell, port: 'A' | 'B', width: number): Value[] {
    const bits = this.bits(scope, cell.connections[port]);
    const fill = isSigned(cell, port) ? (bits.at(-1) ?? '0') : '0';
    return Array.from({ length: width }, (_, at) => bits[at] ?? fill);
  }

  /** A bit of a cell's output; undefined when it is unknown. Source: Yosys, internal cell library. */
  #output(scope: Scope, cell: Cell, at: number): Value | undefined {
    const { type, connections } = cell;
    const [a = [], b = [], s = []] = [connections['A'], connections['B'], connections['S']];
    const width = connections['Y']?.length ?? 1;
    const truth = (bits: readonly Bit[]) => anyOf(this.bits(scope, bits));
    const extended = (port: 'A' | 'B'): Value => this.#operand(scope, cell, port, at + 1)[at] ?? '0';
    switch (type) {
      case '$buf':
      case '$pos': {
        const value = extended('A');
        // The result of a cell is better known by the signal that it is assigned to.
        return this.#isResult(scope, a[at], value) ? undefined : value;
      }
      case '$not':
        return inverse(extended('A'));
      case '$and':
        return both(extended('A'), extended('B'));
      case '$or':
        return one(extended('A'), extended('B'));
      case '$xor':
        return differs(extended('A'), extended('B'));
      case '$mux': {
        const choice = this.bit(scope, s[0]);
        if (choice === '0') return this.bit(scope, a[at]);
        if (choice === '1') return this.bit(scope, b[at]);
        return this.#either([this.bit(scope, a[at]), this.bit(scope, b[at])]);
      }
      case '$pmux': {
        const possible: Value[] = [];
        for (const [k, choice] of this.bits(scope, s).entries()) {
          if (choice === '0') continue;
          possible.push(this.bit(scope, b[k * width + at]));
          if (choice === '1') return this.#either(possible);
        }
        return this.#either([...possible, this.bit(scope, a[at])]);
      }
      case '$shiftx':
      case '$shift':
      case '$shr':
      case '$bmux': {
        const by = numberOf(this.bits(scope, type === '$bmux' ? s : b));
        return by === null ? undefined : this.bit(scope, a[at + by * (type === '$bmux' ? width : 1)] ?? '0');
      }
      case '$reduce_or':
      case '$reduce_bool':
        return at > 0 ? '0' : truth(a);
      case '$reduce_and':
        return at > 0
          ? '0'
          : this.bits(scope, a).reduce<Value | undefined>((all, bit) => both(all, bit), '1');
      case '$logic_not': {
        const value = at > 0 ? '0' : inverse(truth(a));
        if (value === '1') this.matches.set(cell, 0);
        return value;
      }
      case '$logic_and':
        return at > 0 ? '0' : both(truth(a), truth(b));
      case '$logic_or':
        return at > 0 ? '0' : one(truth(a), truth(b));
      case '$eq':
      case '$eqx':
      case '$ne':
      case '$nex':
        return at > 0 ? '0' : this.#compared(scope, cell, Math.max(a.length, b.length));
      case '$memrd':
      case '$memrd_v2': {
        const index = numberOf(this.bits(scope, connections['ADDR']));
        const memory = memoryOf(cell);
        return index === null
          ? undefined
          : this.#hierarchy.number({ kind: 'word', scope, memory, index, at });
      }
      default:
        return this.#calculated(scope, cell, at);
    }
  }

  #compared(scope: Scope, cell: Cell, width: number): Value | undefined {
    const [a, b] = [this.#operand(scope, cell, 'A', width), this.#operand(scope, cell, 'B', width)];
    const isSame = a.every((bit, at) => bit === b[at] && bit !== 'x');
    if (!isSame && !a.some((bit, at) => isConstant(bit) && isConstant(b[at] ?? 'x') && bit !== b[at]))
      return undefined;
    const constant = [cell.connections['B'], cell.connections['A']].find((bits) =>
      bits?.every((bit) => typeof bit === 'string'),
    );
    if (isSame && constant && COMPARISON.has(cell.type))
      this.matches.set(cell, numberOf(this.bits(scope, constant)) ?? -1);
    return known(isSame === COMPARISON.has(cell.type));
  }

  /** The result of arithmetic on constants. */
  #calculated(scope: Scope, cell: Cell, at: number): Value | undefined {
    const operate = ARITHMETIC[cell.type];
    const [a, b] = [cell.connections['A'], cell.connections['B']];
    if (!operate || !a || !b || a.length > 64 || b.length > 64) return undefined;
    const [left, right] = [numberOf(this.bits(scope, a)), numberOf(this.bits(scope, b))];
    if (left === null || right === null || (isSigned(cell, 'A') && isSigned(cell, 'B'))) return undefined;
    return known(((operate(BigInt(left), BigInt(right)) >> BigInt(at)) & 1n) === 1n);
  }
}

const ARITHMETIC: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  $add: (a, b) => a + b,
  $sub: (a, b) => a - b,
  $lt: (a, b) => BigInt(a < b),
  $le: (a, b) => BigInt(a <= b),
  $gt: (a, b) => BigInt(a > b),
  $ge: (a, b) => BigInt(a >= b),
};

const inverse = (bit: Value | undefined): Value | undefined =>
  bit === '0' ? '1' : bit === '1' ? '0' : undefined;

function both(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === '0' || b === '0') return '0';
  if (a === '1' || a === b) return b;
  return b === '1' ? a : undefined;
}

function one(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === '1' || b === '1') return '1';
  if (a === '0' || a === b) return b;
  return b === '0' ? a : undefined;
}

function differs(a: Value, b: Value): Value | undefined {
  if (a === '0') return b;
  if (b === '0') return a;
  return isConstant(a) && isConstant(b) ? known(a !== b) : undefined;
}

const anyOf = (bits: readonly Value[]): Value | undefined =>
  bits.reduce<Value | undefined>((some, bit) => one(some, bit), '0');
