import {
  type Circuit,
  type FlatCell,
  type Flop,
  inputsOf,
  isLogic,
  memoryOf,
  ONE,
  UNKNOWN,
  type Value,
  ZERO,
} from './circuit.ts';
import { isConstant, numberOf, type Origins } from './origins.ts';

const known = (bit: boolean): Value => (bit ? ONE : ZERO);

/** A register in whose place its next value counts: a constant or a bit of the address or the data, or any. */
export interface Followed {
  flop: Flop;
  isAny: boolean;
}

/** Registers behind each other that are followed. */
const MAX_CLOCKS = 4;

const COMPARISON = new Set(['$eq', '$eqx']);
const isSigned = ({ cell }: FlatCell, port: string) => /1$/.test(cell.parameters[`${port}_SIGNED`] ?? '');

/**
 * What a circuit's nets are for levels of some of them. All other inputs and all registers are unknown: themselves. New
 * levels cost what they change.
 */
export class Evaluation {
  readonly #circuit: Circuit;
  readonly #origins: Origins;
  readonly #values: Int32Array;
  readonly #decides: Uint8Array;
  readonly #isDue: Uint8Array;
  /** The first cell that may be due. */
  #due = 0;
  #isChanged = false;
  #levels: ReadonlyMap<Value, Value>;
  /** Nets that are not themselves, apart from those with a level. */
  readonly #followed: Map<Value, Flop>;

  /**
   * @param decides the cells that count, by place; what others calculate is itself
   * @param like what it begins as, with the same cells; without one it begins without levels
   */
  constructor(circuit: Circuit, origins: Origins, decides: Uint8Array, like?: Evaluation) {
    this.#circuit = circuit;
    this.#origins = origins;
    this.#values = like ? like.#values.slice() : Int32Array.from({ length: circuit.end }, (_, at) => at);
    this.#decides = decides;
    this.#isDue = like ? new Uint8Array(decides.length) : decides.slice();
    this.#levels = like ? like.#levels : new Map();
    this.#followed = new Map(like ? like.#followed : []);
  }

  /** Sets levels by net, instead of those before. */
  set(levels: ReadonlyMap<Value, Value>, followed: readonly Followed[]): this {
    for (const net of [...this.#levels.keys(), ...this.#followed.keys()])
      if (!levels.has(net)) this.#level(net, net);
    this.#followed.clear();
    this.#levels = levels;
    for (const [net, level] of levels) this.#level(net, level);
    this.#settle();
    this.#follow(followed);
    return this;
  }

  value(net: Value): Value {
    return this.#origins.settled(this.#raw(net));
  }

  values(nets: readonly Value[] = []): Value[] {
    return nets.map((net) => this.value(net));
  }

  /** What a register takes over with its clock: where that depends on something unknown, not its own value or a constant. */
  next({ own, data, enable, reset, resetValue }: Flop): Value {
    if (enable) {
      const level = this.value(enable.net);
      if (isConstant(level) && level !== enable.active) return own;
    }
    if (reset && this.value(reset.net) === reset.active) return resetValue;
    return this.#origins.settled(this.#raw(data), own);
  }

  /** The nets that decide on a net at these levels: none for one that is known, or that nothing drives. */
  behind(net: Value): readonly Value[] {
    const nets: Value[] = [];
    this.addBehind(net, nets);
    return nets;
  }

  /** Adds the nets that decide on a net to others. */
  addBehind(net: Value, nets: Value[]): void {
    const driver = net <= UNKNOWN || isConstant(this.value(net)) ? undefined : this.#circuit.drivers[net];
    if (driver === undefined) return;
    const { flat, at } = driver;
    const { A = [], B = [], S = [], Y = [] } = flat.ports;
    switch (flat.cell.type) {
      case '$mux':
      case '$pmux':
        for (const choice of S) nets.push(choice);
        for (const from of this.#possible(S))
          nets.push((from < 0 ? A[at] : B[from * Y.length + at]) ?? UNKNOWN);
        return;
      case '$buf':
      case '$pos':
      case '$not':
      case '$and':
      case '$or':
      case '$xor': {
        const a = A[at] ?? A.at(-1);
        const b = B[at] ?? B.at(-1);
        if (a !== undefined) nets.push(a);
        if (b !== undefined) nets.push(b);
        return;
      }
      default: {
        const flop = this.#followed.get(net);
        if (flop) this.addBehindFlop(flop, nets);
        else if (isLogic(flat.cell)) for (const input of flat.inputs) nets.push(input);
      }
    }
  }

  /** Adds the nets that decide on what a register takes over. */
  addBehindFlop(flop: Flop, nets: Value[]): void {
    const { enable } = flop;
    const level = enable ? this.value(enable.net) : ONE;
    if (enable && isConstant(level) && level !== enable.active) return;
    nets.push(...inputsOf(flop));
  }

  /** The constant that a cell finds an input equal to; null where it finds none. */
  match(flat: FlatCell): number | null {
    const { A = [], B = [], Y = [] } = flat.ports;
    if (this.value(Y[0] ?? UNKNOWN) !== ONE) return null;
    if (flat.cell.type === '$logic_not') return 0;
    return COMPARISON.has(flat.cell.type) ? (numberOf(B) ?? numberOf(A)) : null;
  }

  #raw(net: Value): Value {
    return net < 0 ? -net : (this.#values[net] ?? net);
  }

  /** Sets an output of the cell that runs. */
  #put(net: Value, value: Value): void {
    if (net <= UNKNOWN || this.#values[net] === value) return;
    this.#values[net] = value;
    this.#isChanged = true;
  }

  /** Sets a net that no cell drives. */
  #level(net: Value, value: Value): void {
    if (this.#values[net] === value) return;
    this.#values[net] = value;
    this.#mark(this.#circuit.readers[net] ?? []);
  }

  #mark(cells: readonly number[]): void {
    for (const at of cells) {
      if (this.#decides[at] !== 1) continue;
      this.#isDue[at] = 1;
      if (at < this.#due) this.#due = at;
    }
  }

  #settle(): void {
    const { logic, followers } = this.#circuit;
    while (this.#due < logic.length) {
      const at = this.#due++;
      const flat = logic[at];
      if (this.#isDue[at] !== 1 || !flat) continue;
      this.#isDue[at] = 0;
      this.#isChanged = false;
      this.#circuit.work += flat.outputs.length;
      this.#run(flat);
      if (this.#isChanged) this.#mark(followers[at] ?? []);
    }
  }

  #follow(followed: readonly Followed[]): void {
    for (let clock = 0, isChanged = followed.length > 0; isChanged && clock < MAX_CLOCKS; clock++) {
      isChanged = false;
      for (const { flop, isAny } of followed) {
        const next = this.next(flop);
        const kind = this.#origins.of(next)?.kind;
        const isGiven = isConstant(next) || kind === 'address' || kind === 'data';
        if (next === this.#raw(flop.own) || !(isAny || isGiven) || this.#levels.has(flop.own)) continue;
        this.#followed.set(flop.own, flop);
        this.#level(flop.own, next);
        isChanged = true;
      }
      this.#settle();
    }
  }

  /** A bit of an operand, which is as wide as the result. */
  #operand(flat: FlatCell, port: 'A' | 'B', at: number): Value {
    const bits = flat.ports[port] ?? [];
    return this.value(bits[at] ?? (isSigned(flat, port) ? (bits.at(-1) ?? ZERO) : ZERO));
  }

  /** Calculates the outputs of a cell: an unknown one is itself. Source: Yosys, internal cell library. */
  #run(flat: FlatCell): void {
    const { cell, ports, scope } = flat;
    const { A = [], B = [], S = [], Y = [] } = ports;
    const [width, type] = [Y.length, cell.type];
    switch (type) {
      case '$buf':
      case '$pos': {
        const fill = isSigned(flat, 'A') ? A.at(-1) : undefined;
        this.#all(Y, (at) => this.#passed(A[at] ?? fill ?? ZERO, Y[at] ?? UNKNOWN));
        return;
      }
      case '$not':
        this.#all(Y, (at) => inverse(this.#operand(flat, 'A', at)));
        return;
      case '$and':
        this.#bitwise(flat, both);
        return;
      case '$or':
        this.#bitwise(flat, either);
        return;
      case '$xor':
        this.#bitwise(flat, differs);
        return;
      case '$mux':
      case '$pmux':
        this.#choose(ports);
        return;
      case '$shiftx':
      case '$shift':
      case '$shr':
      case '$bmux': {
        const by = numberOf(this.values(type === '$bmux' ? S : B));
        const from = by === null ? null : by * (type === '$bmux' ? width : 1);
        this.#all(Y, (at) => (from === null ? undefined : this.#raw(A[at + from] ?? ZERO)));
        return;
      }
      case '$reduce_or':
      case '$reduce_bool':
        this.#one(Y, anyOf(this.values(A)));
        return;
      case '$reduce_and':
        this.#one(
          Y,
          this.values(A).reduce<Value | undefined>((all, bit) => both(all, bit), ONE),
        );
        return;
      case '$logic_not':
        this.#one(Y, inverse(anyOf(this.values(A))));
        return;
      case '$logic_and':
        this.#one(Y, both(anyOf(this.values(A)), anyOf(this.values(B))));
        return;
      case '$logic_or':
        this.#one(Y, either(anyOf(this.values(A)), anyOf(this.values(B))));
        return;
      case '$eq':
      case '$eqx':
      case '$ne':
      case '$nex':
        this.#one(Y, this.#compared(flat));
        return;
      case '$memrd':
      case '$memrd_v2': {
        const index = numberOf(this.values(ports['ADDR']));
        this.#all(ports['DATA'] ?? [], (at) =>
          index === null ? undefined : this.#origins.word(scope, memoryOf(cell), index, at),
        );
        return;
      }
      default: {
        const result = this.#calculated(flat);
        for (const port of cell.outputs)
          this.#all(ports[port] ?? [], (at) =>
            result === null ? undefined : known(((result >> BigInt(at)) & 1n) === 1n),
          );
      }
    }
  }

  /** Sets outputs: an unknown one is itself. */
  #all(outputs: readonly Value[], bits: (at: number) => Value | undefined): void {
    for (let at = 0; at < outputs.length; at++) {
      const net = outputs[at] ?? UNKNOWN;
      this.#put(net, bits(at) ?? net);
    }
  }

  /** Sets an output of one bit. */
  #one(outputs: readonly Value[], bit: Value | undefined): void {
    this.#all(outputs, (at) => (at > 0 ? ZERO : bit));
  }

  #bitwise(flat: FlatCell, operate: (a: Value, b: Value) => Value | undefined): void {
    this.#all(flat.ports['Y'] ?? [], (at) =>
      operate(this.#operand(flat, 'A', at), this.#operand(flat, 'B', at)),
    );
  }

  /** The inputs that a choice may take: their places in B, or -1 for A. */
  #possible(choices: readonly Value[]): number[] {
    const possible: number[] = [];
    for (let at = 0; at < choices.length; at++) {
      const choice = this.value(choices[at] ?? UNKNOWN);
      if (choice !== ZERO) possible.push(at);
      if (choice === ONE) return possible;
    }
    return [...possible, -1];
  }

  /** The first input with its choice high, of which several may be; else the other one. */
  #choose({ A = [], B = [], S = [], Y = [] }: FlatCell['ports']): void {
    const possible = this.#possible(S);
    const values = possible.map(() => UNKNOWN);
    for (let at = 0; at < Y.length; at++) {
      const net = Y[at] ?? UNKNOWN;
      for (let place = 0; place < possible.length; place++) {
        const from = possible[place] ?? -1;
        values[place] = this.#raw((from < 0 ? A[at] : B[from * Y.length + at]) ?? UNKNOWN);
      }
      this.#put(net, this.#origins.choice(values, net));
    }
  }

  /** What passes a buffer: the result of a cell is better known by the signal that it is assigned to. */
  #passed(from: Value, to: Value): Value {
    const value = this.#raw(from);
    const among = this.#origins.members(value);
    if (among.length > 1) return this.#origins.choice(among, to);
    return value === from && this.#circuit.isResult(from) ? to : value;
  }

  #compared(flat: FlatCell): Value | undefined {
    const { A = [], B = [] } = flat.ports;
    const [fillA, fillB] = [A, B].map((bits, at) => (isSigned(flat, at ? 'B' : 'A') ? bits.at(-1) : ZERO));
    let isSame = true;
    for (let at = 0; at < Math.max(A.length, B.length); at++) {
      const a = this.value(A[at] ?? fillA ?? ZERO);
      const b = this.value(B[at] ?? fillB ?? ZERO);
      if (isConstant(a) && isConstant(b) && a !== b) return known(!COMPARISON.has(flat.cell.type));
      isSame &&= a === b && a !== UNKNOWN;
    }
    return isSame ? known(COMPARISON.has(flat.cell.type)) : undefined;
  }

  /** The result of arithmetic on constants; null where it is unknown. */
  #calculated(flat: FlatCell): bigint | null {
    const operate = ARITHMETIC[flat.cell.type];
    const { A, B } = flat.ports;
    if (!operate || !A || !B || A.length > 64 || B.length > 64) return null;
    const [left, right] = [numberOf(this.values(A)), numberOf(this.values(B))];
    if (left === null || right === null || (isSigned(flat, 'A') && isSigned(flat, 'B'))) return null;
    return operate(BigInt(left), BigInt(right));
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
  bit === ZERO ? ONE : bit === ONE ? ZERO : undefined;

function both(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === ZERO || b === ZERO) return ZERO;
  if (a === ONE || a === b) return b;
  return b === ONE ? a : undefined;
}

function either(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === ONE || b === ONE) return ONE;
  if (a === ZERO || a === b) return b;
  return b === ZERO ? a : undefined;
}

function differs(a: Value, b: Value): Value | undefined {
  if (a === ZERO) return b;
  if (b === ZERO) return a;
  return isConstant(a) && isConstant(b) ? known(a !== b) : undefined;
}

const anyOf = (bits: readonly Value[]): Value | undefined =>
  bits.reduce<Value | undefined>((some, bit) => either(some, bit), ZERO);
