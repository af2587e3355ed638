import type { AddressUse } from './candidate.ts';
import { type Signal, type Use, usesOfCell } from './cell-uses.ts';
import type { Cell, Module, Netlist } from './netlist.ts';

/** Limits of visited instances and of followed bits. Beyond them the use is unknown. */
const MAX_INSTANCES = 1000;
const MAX_STEPS = 200_000;

/** Labels of address bits: the lowest, the second, any higher one. A net may have several. */
const LOWEST = 1;
const SECOND = 2;
const HIGH = 4;
const LOW = LOWEST | SECOND;

/** A reader of a net, and the index of the net's bit there. */
type NetReader = { at: number } & (
  | { use: Use }
  | { instance: Cell; port: string }
  /** The bit leaves the module through this port. */
  | { output: string }
);

/** One instance of a module in the hierarchy. */
interface Scope {
  module: Module;
  /** Null for the slave itself. */
  parent: { scope: Scope; instance: Cell } | null;
  inside: Map<Cell, Scope | null>;
  /** Labels by net. */
  labels: Map<number, number>;
  /** Uses of labelled nets, except copies. */
  ends: Set<Exclude<Use, { kind: 'copy' }>>;
}

/**
 * Finds how a module uses the two lowest bits of an input. It follows them through copies, registers, constant shifts and
 * instances, up to a memory, a comparison with constants, or anything else.
 */
export const addressUse = (module: Module, port: string, netlist: Netlist): AddressUse =>
  new Follower(netlist).follow(module, port);

class Follower {
  readonly #netlist: Netlist;
  readonly #readers = new Map<Module, Map<number, NetReader[]>>();
  readonly #scopes: Scope[] = [];
  readonly #todo: { scope: Scope; net: number; label: number }[] = [];
  readonly #use: AddressUse = {
    highBits: false,
    index: false,
    multiples: [],
    others: [],
    unclear: false,
  };

  constructor(netlist: Netlist) {
    this.#netlist = netlist;
  }

  follow(module: Module, port: string): AddressUse {
    const slave = this.#open(module, null);
    const address = module.nets.get(port) ?? [];
    for (const at of address.keys()) this.#label(slave, address, at, 1 << Math.min(at, 2));
    let steps = 0;
    for (let next = this.#todo.pop(); next !== undefined; next = this.#todo.pop()) {
      if (++steps > MAX_STEPS) {
        this.#use.unclear = true;
        break;
      }
      const { scope, net, label } = next;
      for (const reader of this.#readersIn(scope.module).get(net) ?? []) this.#pass(scope, reader, label);
    }
    for (const { ends, labels } of this.#scopes) for (const use of ends) this.#judge(use, labels);
    return this.#use;
  }

  #open(module: Module, parent: Scope['parent']): Scope {
    const scope: Scope = { module, parent, inside: new Map(), labels: new Map(), ends: new Set() };
    this.#scopes.push(scope);
    return scope;
  }

  #label(scope: Scope, signal: Signal, at: number, label: number): void {
    const net = signal[at];
    if (typeof net !== 'number') return;
    const known = scope.labels.get(net) ?? 0;
    if ((known & label) !== 0) return;
    scope.labels.set(net, known | label);
    this.#todo.push({ scope, net, label });
  }

  #pass(scope: Scope, reader: NetReader, label: number): void {
    const { at } = reader;
    if ('use' in reader) {
      if (reader.use.kind === 'copy') this.#label(scope, reader.use.to, at, label);
      else scope.ends.add(reader.use);
    } else if ('instance' in reader) {
      const inside = this.#inside(scope, reader.instance);
      if (inside) this.#label(inside, inside.module.nets.get(reader.port) ?? [], at, label);
      else this.#lose(label);
    } else if (scope.parent) {
      const { scope: outside, instance } = scope.parent;
      this.#label(outside, instance.connections[reader.output] ?? [], at, label);
    } else this.#lose(label);
  }

  /** Notes that the further use of a bit is unknown. */
  #lose(label: number): void {
    if ((label & HIGH) !== 0) this.#use.highBits = true;
    if ((label & LOW) !== 0) this.#use.unclear = true;
  }

  /** The scope of an instance; null when its module is unknown or a black box. */
  #inside(scope: Scope, instance: Cell): Scope | null {
    let inside = scope.inside.get(instance);
    if (inside === undefined) {
      const module = this.#scopes.length < MAX_INSTANCES ? this.#netlist.get(instance.type) : undefined;
      inside = module && !module.isBlackBox ? this.#open(module, { scope, instance }) : null;
      scope.inside.set(instance, inside);
    }
    return inside;
  }

  #readersIn(module: Module): ReadonlyMap<number, readonly NetReader[]> {
    const readers = this.#readers.get(module) ?? readersOf(module);
    this.#readers.set(module, readers);
    return readers;
  }

  #judge(use: Exclude<Use, { kind: 'copy' }>, labels: ReadonlyMap<number, number>): void {
    const bits = use.signal.map((bit) => (typeof bit === 'number' ? (labels.get(bit) ?? 0) : 0));
    if (bits.some((bit) => (bit & HIGH) !== 0)) this.#use.highBits = true;
    if (!bits.some((bit) => (bit & LOW) !== 0)) return;
    switch (use.kind) {
      case 'order':
        return;
      case 'index':
        if (bits.some((bit) => bit === LOWEST || bit === SECOND)) this.#use.index = true;
        else this.#use.unclear = true;
        return;
      case 'comparison':
        this.#compare(use.constants, bits);
        return;
      default:
        this.#use.unclear = true;
    }
  }

  #compare(constants: readonly (Signal | null)[], bits: readonly number[]): void {
    const [first, second = 0, ...others] = bits;
    const inPlace = first === LOWEST && (second === SECOND || (second & LOW) === 0);
    for (const constant of constants) {
      if (constant === null || !inPlace || others.some((bit) => (bit & LOW) !== 0)) {
        this.#use.unclear = true;
        continue;
      }
      const compared = bits.map((bit, at) => (bit === 0 ? '0' : (constant[at] ?? '0')));
      const isOther = compared[0] === '1' || (second === SECOND && compared[1] === '1');
      (isOther ? this.#use.others : this.#use.multiples).push(compared.reverse().join('').replace(/^0+/, ''));
    }
  }
}

function readersOf({ ports, nets, cells }: Module): Map<number, NetReader[]> {
  const readers = new Map<number, NetReader[]>();
  const add = (signal: Signal, reader: (at: number) => NetReader) => {
    for (const [at, net] of signal.entries()) {
      if (typeof net !== 'number') continue;
      const known = readers.get(net);
      if (known) known.push(reader(at));
      else readers.set(net, [reader(at)]);
    }
  };
  for (const cell of cells)
    if (cell.type.startsWith('$')) for (const use of usesOfCell(cell)) add(use.signal, (at) => ({ at, use }));
    else
      for (const [port, signal] of Object.entries(cell.connections))
        add(signal, (at) => ({ at, instance: cell, port }));
  for (const { name, direction } of ports)
    if (direction !== 'input') add(nets.get(name) ?? [], (at) => ({ at, output: name }));
  return readers;
}
