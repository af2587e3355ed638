import type { Bit, Cell, Module, Netlist } from '../netlist.ts';

/** A bit: `ZERO`, `ONE`, `UNKNOWN`, the number of a net, or above these of another origin. */
export type Value = number;
export const ZERO: Value = 0;
export const ONE: Value = 1;
export const UNKNOWN: Value = 2;
const FIRST_NET = 3;

const REGISTER = /^\$(?:_?s?a?l?dff|ff)/;
const BUFFER = /^\$(?:buf|pos)$/;
/** Levels of instances, and cells and nets with all instances, that are looked through. */
const MAX_DEPTH = 20;
const MAX_CELLS = 50_000;
const MAX_NETS = 300_000;

/** An instance of a module. */
export interface Scope {
  module: Module;
  /** Null for the slave itself. */
  instance: Cell | null;
}

/** A cell with the nets of the whole design, the lowest bit first. */
export interface FlatCell {
  cell: Cell;
  scope: Scope;
  /** Where a loop is cut, a negative number stands for the net as it is. */
  ports: Readonly<Record<string, readonly Value[]>>;
  /** The nets that it reads, without constants and cuts. */
  inputs: readonly Value[];
  outputs: readonly Value[];
}

/** What a net is called in a module. */
interface Alias {
  scope: Scope;
  net: number;
  /** Rises from outer modules to inner ones. */
  order: number;
}

/** A net that does something at one level. */
interface Control {
  net: Value;
  active: Value;
}

/** A bit of a register, and what decides on it. */
export interface Flop {
  flat: FlatCell;
  own: Value;
  data: Value;
  /** Null where it always takes over its data. */
  enable: Control | null;
  reset: Control | null;
  resetValue: Value;
}

/** What drives a net: bit `at` of a cell's output. */
interface Driver {
  flat: FlatCell;
  at: number;
}

/** Whether a cell's outputs follow its inputs within a clock. */
export const isLogic = ({ type, outputs }: Cell): boolean =>
  type.startsWith('$') && !REGISTER.test(type) && outputs.size > 0;

/** The memory of a read or write port. */
export const memoryOf = ({ parameters }: Cell): string => parameters['MEMID']?.replace(/^\\/, '') ?? '';

/** A slave with all instances below it as one circuit, its logic in the order of its signals. */
export class Circuit {
  static readonly #known = new WeakMap<Module, Circuit | null>();
  /** Nets count up to here. */
  readonly end: number;
  /** Bits that were calculated. */
  work = 0;
  /** All cells, apart from instances that are looked through. */
  readonly cells: readonly FlatCell[];
  readonly flops: readonly Flop[];
  readonly memoryWrites: readonly FlatCell[];
  /** Each cell behind those that drive its inputs; a loop is cut somewhere. */
  readonly logic: readonly FlatCell[];
  readonly drivers: readonly (Driver | undefined)[];
  /** The places in `logic` of the cells that read a net, and of those that read a net of a cell in `logic`. */
  readonly readers: readonly (number[] | undefined)[];
  readonly followers: readonly (readonly number[])[];
  readonly #flops: ReadonlyMap<Value, Flop>;
  readonly #root: Map<number, Value>;
  readonly #names: readonly (Alias[] | undefined)[];
  /** Nets that the net is assigned to, without a calculation. */
  readonly #assigned = new Map<Value, Value[]>();

  private constructor(
    readonly slave: Module,
    root: Map<number, Value>,
    joined: Joined,
    cells: readonly Unjoined[],
  ) {
    const flat = cells.map(({ cell, scope, nets }) =>
      flatCell(cell, scope, cell.connections, (bit) => joined.rootOf(bitValue(bit, nets))),
    );
    this.cells = flat;
    this.end = joined.size;
    this.#root = new Map([...root].map(([net, value]) => [net, joined.rootOf(value)]));
    this.#names = joined.names();
    this.drivers = driversOf(flat);
    this.flops = flat.flatMap(flopsOf);
    this.#flops = new Map(this.flops.map((flop) => [flop.own, flop]));
    this.memoryWrites = flat.filter(({ cell }) => /^\$memwr/.test(cell.type));
    this.logic = inOrder(
      flat.filter(({ cell }) => isLogic(cell)),
      this.drivers,
    );
    const readers: (number[] | undefined)[] = [];
    for (const [at, { cell, inputs, outputs }] of this.logic.entries()) {
      for (const net of inputs) {
        const known = readers[net] ?? [];
        readers[net] = known;
        if (known.at(-1) !== at) known.push(at);
      }
      for (const net of BUFFER.test(cell.type) ? outputs : []) {
        const source = this.#source(net);
        if (source !== net) this.#assigned.set(source, [...(this.#assigned.get(source) ?? []), net]);
      }
    }
    this.readers = readers;
    this.followers = this.logic.map(({ outputs }) => [
      ...new Set(outputs.flatMap((net) => readers[net] ?? [])),
    ]);
  }

  /** The same for the same slave; null for a design that is too large. */
  static of(slave: Module, netlist: Netlist): Circuit | null {
    const known = Circuit.#known.get(slave);
    if (known !== undefined) return known;
    const circuit = Circuit.#flat(slave, netlist);
    Circuit.#known.set(slave, circuit);
    return circuit;
  }

  static #flat(slave: Module, netlist: Netlist): Circuit | null {
    const [joined, cells] = [new Joined(), [] as Unjoined[]];
    let count = 0;
    const isTooLarge = () => count > MAX_CELLS || joined.size > MAX_NETS;
    const open = (module: Module, instance: Cell | null, depth: number): Map<number, Value> => {
      const [scope, nets] = [{ module, instance }, new Map<number, Value>()];
      const know = (bit: Bit) => {
        if (typeof bit === 'number' && !nets.has(bit)) nets.set(bit, joined.add(scope, bit));
      };
      for (const bits of module.nets.values()) bits.forEach(know);
      for (const cell of module.cells) for (const bits of Object.values(cell.connections)) bits.forEach(know);
      for (const cell of module.cells) {
        count++;
        if (isTooLarge()) break;
        const inside = cell.type.startsWith('$') ? undefined : netlist.get(cell.type);
        if (!inside || inside.isBlackBox || depth >= MAX_DEPTH) {
          cells.push({ cell, scope, nets });
          continue;
        }
        const below = open(inside, cell, depth + 1);
        for (const [port, bits] of inside.nets)
          for (const [at, bit] of bits.entries()) {
            const outer = cell.connections[port]?.[at];
            if (outer !== undefined) joined.join(bitValue(outer, nets), bitValue(bit, below));
          }
      }
      return nets;
    };
    const root = open(slave, null, 0);
    return isTooLarge() ? null : new Circuit(slave, root, joined, cells);
  }

  /** The register that a net is. */
  flopOf = (net: Value): Flop | undefined => this.#flops.get(net);

  /** The value of a bit of the slave itself, as of a port. */
  of(bit: Bit): Value {
    return bitValue(bit, this.#root);
  }

  /**
   * What a net is called, in the outermost module first. In its own module a signal has its own name; outside of it, that
   * of what its module assigns it to.
   */
  aliases(net: Value): Alias[] {
    const own = this.#names[net] ?? [];
    const outside = (this.#assigned.get(net) ?? [])
      .flatMap((other) => this.#names[other] ?? [])
      .filter(({ scope }) => !own.some((one) => one.scope === scope));
    return [...own, ...outside].sort((a, b) => a.order - b.order);
  }

  /** What a net is behind assignments: a register, an input, or itself where a cell calculates it. */
  #source(net: Value): Value {
    let source = net;
    for (let steps = 0; steps < MAX_DEPTH; steps++) {
      const { flat, at } = this.drivers[source] ?? {};
      if (flat === undefined || at === undefined || !BUFFER.test(flat.cell.type)) break;
      source = flat.ports['A']?.[at] ?? ZERO;
    }
    return source >= FIRST_NET && !this.isResult(source) ? source : net;
  }

  /** By net: 1 for those that depend on some others within a clock, or through some registers. */
  reached(sources: Iterable<Value>, through: ReadonlySet<Value>): Uint8Array {
    const reached = new Uint8Array(this.end);
    const isPassed = new Uint8Array(this.logic.length);
    const open: Value[] = [];
    const reach = (net: Value) => {
      if (reached[net] !== 1) open.push(net);
      reached[net] = 1;
    };
    for (const net of sources) reach(net);
    while (open.length > 0) {
      for (let net = open.pop(); net !== undefined; net = open.pop())
        for (const at of this.readers[net] ?? []) {
          if (isPassed[at] !== 1) for (const output of this.logic[at]?.outputs ?? []) reach(output);
          isPassed[at] = 1;
        }
      if (through.size > 0)
        for (const flop of this.flops)
          if (through.has(flop.own) && inputsOf(flop).some((net) => reached[net] === 1)) reach(flop.own);
    }
    return reached;
  }

  /** By place in `logic`: whether a cell decides on some nets within a clock. */
  deciding(nets: Iterable<Value>): Uint8Array {
    const [decides, wanted] = [new Uint8Array(this.logic.length), new Uint8Array(this.end)];
    for (const net of nets) wanted[net] = 1;
    for (let at = this.logic.length - 1; at >= 0; at--) {
      const { inputs, outputs } = this.logic[at] ?? { inputs: [], outputs: [] };
      if (!outputs.some((net) => wanted[net] === 1)) continue;
      decides[at] = 1;
      for (const net of inputs) wanted[net] = 1;
    }
    return decides;
  }

  /** Whether a net is what a cell of the same module calculates, rather than a register or an input. */
  isResult(net: Value): boolean {
    const driver = this.drivers[net]?.flat;
    if (!driver?.cell.type.startsWith('$') || REGISTER.test(driver.cell.type)) return false;
    return this.#names[net]?.[0]?.scope === driver.scope;
  }
}

/** What decides on a bit of a register. */
export const inputsOf = ({ data, enable, reset }: Flop): Value[] =>
  [data, enable?.net, reset?.net].filter((net) => net !== undefined);

function flopsOf(flat: FlatCell): Flop[] {
  const { cell, ports } = flat;
  if (!REGISTER.test(cell.type)) return [];
  const levelOf = (parameter: string, at = 0) =>
    cell.parameters[parameter]?.at(-1 - at) === '0' ? ZERO : ONE;
  const control = (port: string): Control | null => {
    const net = ports[port]?.[0];
    return net === undefined ? null : { net, active: levelOf(`${port}_POLARITY`) };
  };
  const [enable, reset] = [control('EN'), control('SRST')];
  return (ports['Q'] ?? []).map((own, at): Flop => {
    const [data, resetValue] = [ports['D']?.[at] ?? UNKNOWN, levelOf('SRST_VALUE', at)];
    return { flat, own, data, enable, reset, resetValue };
  });
}

interface Unjoined {
  cell: Cell;
  scope: Scope;
  nets: ReadonlyMap<number, Value>;
}

function bitValue(bit: Bit, nets: ReadonlyMap<number, Value>): Value {
  if (typeof bit === 'number') return nets.get(bit) ?? UNKNOWN;
  return bit === '0' ? ZERO : bit === '1' ? ONE : UNKNOWN;
}

/** A cell with other bits at its ports: @param of the value of a bit at an output or an input */
function flatCell<T>(
  cell: Cell,
  scope: Scope,
  connections: Readonly<Record<string, readonly T[]>>,
  of: (bit: T, isOutput: boolean) => Value,
): FlatCell {
  const ports: Record<string, Value[]> = {};
  const [inputs, outputs]: [Value[], Value[]] = [[], []];
  for (const port in connections) {
    const isOutput = cell.outputs.has(port);
    const nets = (connections[port] ?? []).map((bit) => of(bit, isOutput));
    ports[port] = nets;
    for (const net of nets) if (net >= FIRST_NET) (isOutput ? outputs : inputs).push(net);
  }
  return { cell, scope, ports, inputs, outputs };
}

function driversOf(cells: readonly FlatCell[]): (Driver | undefined)[] {
  const drivers: (Driver | undefined)[] = [];
  for (const flat of cells)
    for (const port of flat.cell.outputs)
      for (const [at, net] of (flat.ports[port] ?? []).entries())
        if (net >= FIRST_NET) drivers[net] = { flat, at };
  return drivers;
}

/** Cells behind those that drive their inputs. In a loop the first cell of the source comes first. */
function inOrder(cells: readonly FlatCell[], drivers: readonly (Driver | undefined)[]): FlatCell[] {
  const isLogic = new Set(cells);
  const readers = new Map<FlatCell, FlatCell[]>();
  const missing = new Map<FlatCell, number>();
  for (const flat of cells) {
    const before = new Set<FlatCell>();
    for (const net of flat.inputs) {
      const driver = drivers[net]?.flat;
      if (!driver || before.has(driver) || !isLogic.has(driver)) continue;
      before.add(driver);
      const known = readers.get(driver);
      if (known) known.push(flat);
      else readers.set(driver, [flat]);
    }
    missing.set(flat, before.size);
  }
  const ordered = new Set<FlatCell>();
  const take = (first: FlatCell) => {
    const ready = [first];
    for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
      if (ordered.has(next)) continue;
      ordered.add(next);
      for (const reader of readers.get(next) ?? []) {
        const left = (missing.get(reader) ?? 0) - 1;
        missing.set(reader, left);
        if (left === 0) ready.push(reader);
      }
    }
  };
  for (const flat of cells) if (missing.get(flat) === 0) take(flat);
  for (const flat of cells) take(flat);
  const places = new Map([...ordered].map((flat, at) => [flat, at]));
  const isBehind = (net: Value, at: number) => (places.get(drivers[net]?.flat as FlatCell) ?? -1) >= at;
  return [...ordered].map((flat, at) => {
    const { cell, scope, ports, inputs } = flat;
    if (!inputs.some((net) => isBehind(net, at))) return flat;
    return flatCell(cell, scope, ports, (net, isOutput) => (!isOutput && isBehind(net, at) ? -net : net));
  });
}

/** Nets that are joined across instances. */
class Joined {
  readonly #parents: Value[] = [ZERO, ONE, UNKNOWN];
  readonly #names: Alias[] = [];

  get size(): number {
    return this.#parents.length;
  }

  add(scope: Scope, net: number): Value {
    this.#names.push({ scope, net, order: this.size });
    return this.#parents.push(this.size) - 1;
  }

  rootOf(value: Value): Value {
    let root = this.#parents[value] ?? value;
    while (this.#parents[root] !== root) root = this.#parents[root] ?? root;
    this.#parents[value] = root;
    return root;
  }

  /** Joins two nets under the one that was first, or a constant. */
  join(a: Value, b: Value): void {
    const [first, second] = [this.rootOf(a), this.rootOf(b)].sort((x, y) => x - y) as [Value, Value];
    if (second >= FIRST_NET) this.#parents[second] = first;
  }

  /** The names of each net, the outermost first. */
  names(): (Alias[] | undefined)[] {
    const names: (Alias[] | undefined)[] = [];
    for (const alias of this.#names) {
      const root = this.rootOf(alias.order);
      const known = names[root] ?? [];
      names[root] = known;
      known.push(alias);
    }
    return names;
  }
}
