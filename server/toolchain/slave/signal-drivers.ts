import type { Diagnostic } from '../../contract/diagnostics.ts';
import { fileAndLine, type Place } from '../diagnostics/place.ts';
import type { NamePlaces } from './name-places.ts';
import { type Bit, type Cell, type Module, modulesBelow, type Netlist } from './netlist.ts';

/** A driver of a signal. */
interface Driver {
  /** `the block at count.v:5` */
  words: string;
  place: Place;
  isInput: boolean;
  /** It is a tristate driver; a signal may have several. */
  isTristate: boolean;
}

/** Cells of Yosys with a state. */
const IS_REGISTER = /^\$(?:\w*dff\w*|\w*dlatch\w*|sr|ff)$/;
const IS_LATCH = /^\$\w*dlatch\w*$/;

/** Registers that are loaded without their clock: with any value, or by several signals. */
const IS_LOADED = /^\$(?:aldffe?|dffsre?)$/;

/** The drivers of a module's nets. */
class ModuleDrivers {
  readonly #module: Module;
  readonly #netlist: Netlist;
  readonly #cells = new Map<Bit, Cell[]>();
  readonly #inputs = new Map<Bit, string>();
  /**
   * Nets on which something outside depends. A loop variable of several blocks has several drivers, and nothing depends on
   * it.
   */
  readonly #live = new Set<Bit>();
  /** Drivers of the modules below. */
  readonly #below = new Map<Module, ModuleDrivers>();

  constructor(module: Module, netlist: Netlist) {
    this.#module = module;
    this.#netlist = netlist;
    for (const { name, direction } of module.ports)
      for (const bit of module.nets.get(name) ?? [])
        if (direction === 'input') this.#inputs.set(bit, name);
        else this.#live.add(bit);
    for (const cell of module.cells) {
      const driven = this.#bitsOf(cell, true);
      for (const bit of driven) this.#cells.set(bit, [...(this.#cells.get(bit) ?? []), cell]);
      if (!cell.type.startsWith('$') || netlist.has(cell.type) || driven.size === 0) this.#addReadsOf(cell);
    }
    const passed = new Set<Cell>();
    // Passes what it adds on the way, too.
    for (const bit of this.#live)
      for (const cell of this.#cells.get(bit) ?? []) {
        if (passed.has(cell)) continue;
        passed.add(cell);
        this.#addReadsOf(cell);
      }
  }

  #addReadsOf(cell: Cell): void {
    for (const bit of this.#bitsOf(cell, false)) if (typeof bit === 'number') this.#live.add(bit);
  }

  /** The bits that a cell drives, or those that it reads. */
  #bitsOf(cell: Cell, driven: boolean): Set<Bit> {
    const ports = Object.entries(cell.connections).filter(([port]) => this.#drives(cell, port) === driven);
    return new Set(ports.flatMap(([, bits]) => bits));
  }

  /** Whether something outside depends on one of these nets. */
  isLive(bits: readonly Bit[]): boolean {
    return bits.some((bit) => this.#live.has(bit));
  }

  #drives({ type, outputs }: Cell, port: string): boolean {
    if (type.startsWith('$') && !this.#netlist.has(type)) return outputs.has(port);
    return (
      this.#netlist.get(type)?.ports.some(({ name, direction }) => name === port && direction === 'output') ??
      false
    );
  }

  /**
   * Nets with several drivers on which something depends. A copied signal becomes the same net, and so has the other
   * drivers as well.
   */
  get contested(): Bit[] {
    const isCopy = (bit: Bit, { type, connections: { A = [], Y = [] } }: Cell) =>
      type === '$buf' && this.isLive(A.filter((_, at) => Y[at] === bit));
    return [...this.#cells]
      .filter(
        ([bit, cells]) =>
          typeof bit === 'number' && (this.isLive([bit]) || cells.some((cell) => isCopy(bit, cell))),
      )
      .filter(([bit, cells]) => cells.length + Number(this.#inputs.has(bit)) > 1)
      .map(([bit]) => bit);
  }

  /** Inputs with a driver inside on which nothing depends. */
  get drivenInputs(): { name: string; bit: Bit }[] {
    return [...this.#inputs]
      .filter(([bit]) => this.#cells.has(bit) && !this.isLive([bit]))
      .map(([bit, name]) => ({ name, bit }));
  }

  /** Registers that drive a constant, because their signal has a constant driver too. */
  get constants(): Cell[] {
    return (['0', '1'] as const).flatMap((bit) =>
      (this.#cells.get(bit) ?? []).filter(({ type }) => IS_REGISTER.test(type)),
    );
  }

  of(bit: Bit): Driver[] {
    const input = this.#inputs.get(bit);
    return [
      ...(input === undefined
        ? []
        : [{ words: `the input ${input}`, place: {}, isInput: true, isTristate: false }]),
      ...(this.#cells.get(bit) ?? []).map((cell) => this.#driver(cell, bit)),
    ];
  }

  #driver(cell: Cell, bit: Bit): Driver {
    const [port = ''] =
      Object.entries(cell.connections).find(
        ([name, bits]) => this.#drives(cell, name) && bits.includes(bit),
      ) ?? [];
    const instance = this.#netlist.get(cell.type);
    if (instance) {
      const inside = instance.nets.get(port)?.[cell.connections[port]?.indexOf(bit) ?? 0] ?? 'x';
      const within = this.#driversOf(instance).of(inside);
      const isTristate = within.length > 0 && within.every((driver) => driver.isTristate);
      return {
        words: `the output ${port} of the instance ${cell.name}`,
        place: cell.place,
        isInput: false,
        isTristate,
      };
    }
    const isTristate = cell.type === '$tribuf';
    const { file, line } = cell.place;
    if (file !== undefined) {
      const what = IS_REGISTER.test(cell.type)
        ? 'block'
        : cell.name.startsWith('$procmux')
          ? 'logic'
          : 'expression';
      return { words: `the ${what} at ${file}:${line}`, place: cell.place, isInput: false, isTristate };
    }
    // An assignment has no place; the assigned expression may have one.
    const source = cell.connections['A']?.[cell.connections[port]?.indexOf(bit) ?? -1];
    const [assigned] = source === undefined ? [] : (this.#cells.get(source) ?? []);
    if (assigned && assigned !== cell && assigned.place.file !== undefined && source !== undefined)
      return { ...this.#driver(assigned, source), isTristate };
    return { words: 'an assignment', place: {}, isInput: false, isTristate };
  }

  #driversOf(module: Module): ModuleDrivers {
    const drivers = this.#below.get(module) ?? new ModuleDrivers(module, this.#netlist);
    this.#below.set(module, drivers);
    return drivers;
  }

  /** The signal of a net; null when the source does not name it. */
  nameOf(bit: Bit): string | null {
    for (const [name, bits] of this.#module.signals) if (bits.includes(bit)) return name;
    return null;
  }
}

const ONE_DRIVER = 'a signal can have only one driver; remove one, or put them into one block';

const INPUT_DRIVEN =
  'drive the same signal: an input is driven from outside; assign neither to it nor to a signal that it drives';

/**
 * Errors for signals with several drivers, below a module: one for each set of drivers, at the first driver.
 * @param placeOf place where a signal is assigned or declared
 */
export function driverConflicts(top: string, netlist: Netlist, placeOf: NamePlaces): Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  for (const module of modulesBelow(top, netlist)) {
    const drivers = new ModuleDrivers(module, netlist);
    for (const { name, place } of new Set(drivers.constants)) {
      const net = `${module.definition}.${name.replace(/^\$driver\$/, '')}`;
      const message = `${net} is driven by the block at ${place.file}:${place.line} and a constant: ${ONE_DRIVER}`;
      found.set(message, { severity: 'error', code: 'design_invalid', message, ...place, net });
    }
    for (const bit of drivers.contested) {
      const all = drivers.of(bit);
      if (all.every(({ isTristate }) => isTristate)) continue;
      const signal = drivers.nameOf(bit);
      const net = `${module.definition}.${signal ?? 'signal'}`;
      const words = [...new Set(all.map((driver) => driver.words))].sort(byNumbers);
      const by = words.length > 1 ? words.join(' and ') : `${words[0]} and by another`;
      const message = all.some(({ isInput }) => isInput)
        ? `${by} ${INPUT_DRIVEN}`
        : `${net} is driven by ${by}: ${ONE_DRIVER}`;
      const [first] = all
        .flatMap(({ place }) => (place.line === undefined ? [] : [place]))
        .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
      const at = first ?? (signal === null ? null : placeOf(net));
      const key = `${by} ${signal}`;
      if (!found.has(key)) found.set(key, { severity: 'error', code: 'design_invalid', message, ...at, net });
    }
  }
  return [...found.values()];
}

/**
 * Inputs that a slave drives itself without reading them: errors for inputs of the bus, which the bench drives, else
 * warnings.
 * @param placeOf as for driverConflicts
 * @param bus ports of the bus
 */
export function drivenInputs(
  slave: string,
  netlist: Netlist,
  placeOf: NamePlaces,
  bus: ReadonlySet<string>,
): Diagnostic[] {
  const module = netlist.get(slave);
  if (!module) return [];
  const drivers = new ModuleDrivers(module, netlist);
  const found = new Map(drivers.drivenInputs.map(({ name, bit }) => [name, bit]));
  return [...found].map(([name, bit]): Diagnostic => {
    const places = drivers.of(bit).flatMap(({ place }) => (place.line === undefined ? [] : [place]));
    return {
      severity: bus.has(name) ? 'error' : 'warning',
      code: 'design_invalid',
      message: `the input ${name} is driven from outside, but ${module.definition} drives it too: make it an \`output\`, or assign to a signal of another name`,
      ...(places[0] ?? placeOf(`${module.definition}.${name}`)),
      module: module.definition,
      port: name,
    };
  });
}

const byNumbers = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

/** Registers of a kind below a module on which something depends, each signal once. */
function registersBelow(top: string, netlist: Netlist, kind: RegExp): { net: string; place: Place }[] {
  const found = new Map<string, Place>();
  for (const module of modulesBelow(top, netlist)) {
    const cells = module.cells.filter(({ type }) => kind.test(type));
    if (cells.length === 0) continue;
    const drivers = new ModuleDrivers(module, netlist);
    for (const { connections, place } of cells) {
      const { Q = [] } = connections;
      const name = drivers.isLive(Q) ? drivers.nameOf(Q[0] ?? 'x') : null;
      if (name !== null) found.set(`${module.definition}.${name}`, place);
    }
  }
  return [...found].map(([net, place]) => ({ net, place }));
}

/** Warnings for latches below a module. */
export const latches = (top: string, netlist: Netlist): Diagnostic[] =>
  registersBelow(top, netlist, IS_LATCH).map(({ net, place }) => ({
    severity: 'warning',
    code: 'yosys_warning',
    message: `latch inferred for ${net}: it keeps its value in some branch of the process`,
    ...fileAndLine(place),
    net,
  }));

/** Error for a register that is loaded without its clock, which no part has; null when there is none. */
export function loadedRegister(top: string, netlist: Netlist): Diagnostic | null {
  const [first] = registersBelow(top, netlist, IS_LOADED);
  if (!first) return null;
  const { net, place } = first;
  const message = `${net}: a register of the part can be set without its clock only to a constant, and only by one signal. Assign a constant there, test the signal with the polarity of its edge (\`if (rst)\` for posedge, \`if (!rst)\` for negedge), and remove other signals from the list`;
  return { severity: 'error', code: 'design_invalid', message, ...place, net };
}
