import Type, { type Static } from 'typebox';
import { checkOf, parseAs } from '../../../contract/check.ts';

/** Bit of a netlist: a number, or a constant. Source: Yosys, `help write_json`. */
const Bit = Type.Union([Type.Integer(), Type.String()]);
type Bit = Static<typeof Bit>;
const Bits = Type.Array(Bit);

const Cell = Type.Object({
  type: Type.String(),
  parameters: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  attributes: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  port_directions: Type.Record(Type.String(), Type.String()),
  connections: Type.Record(Type.String(), Bits),
});
type Cell = Static<typeof Cell>;

const FlatModule = Type.Object({
  ports: Type.Record(Type.String(), Type.Object({ direction: Type.String(), bits: Bits })),
  cells: Type.Record(Type.String(), Cell),
  netnames: Type.Record(Type.String(), Type.Object({ bits: Bits })),
});
type FlatModule = Static<typeof FlatModule>;
const isNetlist = checkOf(Type.Object({ modules: Type.Record(Type.String(), FlatModule) }));

/** Ports of a split inout: the design's output, and its output enables. */
export const splitPorts = (inout: string) => ({ out: `${inout}.out`, enable: `${inout}.oe` });

const BUFFER = '$tribuf';

/** Driver of a bit: a value, and an enable that is active at 1. */
interface Driver {
  value: Bit;
  enable: Bit;
}

/**
 * Splits inouts of a flat design, whose drivers are `$tribuf` cells, into an input, an output and output enables (see
 * splitPorts). The module around it then decides the level of an undriven line.
 * @param text Yosys's `write_json` of one module
 * @returns the netlist with split inouts; null when the text is no such netlist
 */
export function splitInouts(text: string, inouts: readonly string[]): string | null {
  const netlist = parseAs(text, isNetlist);
  const module = netlist && Object.values(netlist.modules)[0];
  if (!module) return null;
  new Splitter(module).split(inouts);
  return JSON.stringify(netlist);
}

class Splitter {
  readonly #module: FlatModule;
  /** Buffers by the bit that they drive. */
  readonly #buffered = new Map<Bit, Driver[]>();
  /** Bits with another driver. */
  readonly #driven = new Set<Bit>();
  #nextBit: number;
  #cells = 0;

  constructor(module: FlatModule) {
    this.#module = module;
    let highest = 1;
    const seen = (bits: readonly Bit[]) => {
      for (const bit of bits) if (typeof bit === 'number' && bit > highest) highest = bit;
    };
    for (const { bits } of Object.values(module.netnames)) seen(bits);
    for (const { direction, bits } of Object.values(module.ports)) {
      seen(bits);
      if (direction === 'input') for (const bit of bits) this.#driven.add(bit);
    }
    for (const cell of Object.values(module.cells)) {
      for (const bits of Object.values(cell.connections)) seen(bits);
      if (cell.type === BUFFER) this.#addBuffer(cell);
      else
        for (const [port, direction] of Object.entries(cell.port_directions))
          if (direction === 'output') for (const bit of cell.connections[port] ?? []) this.#driven.add(bit);
    }
    this.#nextBit = highest + 1;
  }

  split(inouts: readonly string[]): void {
    const { ports } = this.#module;
    const split = new Set<Bit>();
    for (const name of inouts) {
      const port = ports[name];
      if (port?.direction !== 'inout') continue;
      const drivers = port.bits.map((bit) => this.#driverOf(bit));
      const { out, enable } = splitPorts(name);
      ports[out] = { direction: 'output', bits: drivers.map(({ value }) => value) };
      ports[enable] = { direction: 'output', bits: drivers.map((driver) => driver.enable) };
      // The design reads its own value of a bit that it always drives, and the port for any other bit.
      port.bits = port.bits.map((bit) =>
        typeof bit === 'string' || this.#driven.has(bit) || split.has(bit) ? this.#nextBit++ : bit,
      );
      port.direction = 'input';
      for (const bit of port.bits) split.add(bit);
    }
    this.#removeBuffers(split);
  }

  #addBuffer({ connections: { A = [], EN = [], Y = [] } }: Cell): void {
    const enable = EN[0] ?? '0';
    for (const [at, bit] of Y.entries()) {
      const drivers = this.#buffered.get(bit) ?? [];
      drivers.push({ value: A[at] ?? 'x', enable });
      this.#buffered.set(bit, drivers);
    }
  }

  /** The combined driver of a bit, with gates where there are several. */
  #driverOf(bit: Bit, below: readonly Bit[] = []): Driver {
    if (bit === '0' || bit === '1') return { value: bit, enable: '1' };
    if (typeof bit === 'string' || below.includes(bit)) return { value: '0', enable: '0' };
    if (this.#driven.has(bit)) return { value: bit, enable: '1' };
    const drivers = (this.#buffered.get(bit) ?? []).map(({ value, enable }) => {
      // A buffer after a buffer drives where both do.
      if (!this.#buffered.has(value)) return value === 'z' ? { value: '0', enable: '0' } : { value, enable };
      const inner = this.#driverOf(value, [...below, bit]);
      return { value: inner.value, enable: this.#gate('$and', enable, inner.enable) };
    });
    const [first, ...others] = drivers;
    if (first === undefined) return { value: '0', enable: '0' };
    const gated = ({ value, enable }: Driver) => this.#gate('$and', value, enable);
    return others.reduce(
      (all, driver) => ({
        value: this.#gate('$or', all.value, gated(driver)),
        enable: this.#gate('$or', all.enable, driver.enable),
      }),
      others.length === 0 ? first : { ...first, value: gated(first) },
    );
  }

  #gate(type: '$and' | '$or', a: Bit, b: Bit): Bit {
    const y = this.#nextBit++;
    this.#module.cells[`$wishbench$inout$${this.#cells++}`] = {
      type,
      parameters: { A_SIGNED: 0, A_WIDTH: 1, B_SIGNED: 0, B_WIDTH: 1, Y_WIDTH: 1 },
      attributes: {},
      port_directions: { A: 'input', B: 'input', Y: 'output' },
      connections: { A: [a], B: [b], Y: [y] },
    };
    return y;
  }

  /** Removes buffers of bits that are inputs; buffers of other bits keep those. */
  #removeBuffers(split: ReadonlySet<Bit>): void {
    for (const [name, cell] of Object.entries(this.#module.cells)) {
      if (cell.type !== BUFFER) continue;
      const { A = [], Y = [] } = cell.connections;
      const kept = Y.flatMap((bit, at) => (split.has(bit) ? [] : [at]));
      if (kept.length === Y.length) continue;
      if (kept.length === 0) delete this.#module.cells[name];
      else {
        cell.parameters = { ...cell.parameters, WIDTH: kept.length };
        cell.connections['A'] = kept.map((at) => A[at] ?? 'x');
        cell.connections['Y'] = kept.map((at) => Y[at] ?? 'x');
      }
    }
  }
}
