import type { Netlist } from '../netlist-file.ts';
import type { TypicalDelays } from './typical-delays.ts';

/** A port of one bit. */
interface Pin {
  cell: Cell;
  port: string;
}

interface Cell {
  type: string;
  delays: TypicalDelays['cells'][number] | null;
  inputs: { port: string; net: Net }[];
  outputs: Net[];
  /** Number of inputs without an arrival time so far. */
  waits: number;
}

interface Net {
  driver: Pin | null;
  readers: Pin[];
  /** The latest arrival from a register, ns; below 0 without one. */
  arrival: number;
}

/**
 * Estimates the clock of a design from its synthesised netlist: the slowest path from register to register, with cell
 * delays and average wire delays. Clocks are not distinguished; paths through combinational loops are left out.
 * @returns MHz; null where no path goes from register to register
 */
export function estimateFmax({ cells }: Netlist, typical: TypicalDelays): number | null {
  const all = connect(cells, typical);
  const wires = new Wires(typical);
  let slowest = 0;
  for (const cell of inOrder(all)) {
    const { delays, inputs, outputs } = cell;
    if (!delays) continue;
    const { clock, ns, from, setup = 0 } = delays;
    let latest = clock === undefined ? -1 : ns;
    for (const { port, net } of inputs) {
      if (net.arrival < 0 || port === clock) continue;
      const arrival = net.arrival + wires.to(net, { cell, port });
      if (clock === undefined) latest = Math.max(latest, arrival + (from?.[port] ?? ns));
      else slowest = Math.max(slowest, arrival + setup);
    }
    for (const net of outputs) net.arrival = latest;
  }
  return slowest > 0 ? 1000 / slowest : null;
}

function connect(cells: Netlist['cells'], { cells: known }: TypicalDelays): Cell[] {
  const nets = new Map<number, Net>();
  const netOf = (bit: number): Net => {
    const net = nets.get(bit) ?? { driver: null, readers: [], arrival: -1 };
    nets.set(bit, net);
    return net;
  };
  const delaysOf = new Map<string, Cell['delays']>();
  return Object.values(cells).map(({ type, connections, port_directions: directions = {} }) => {
    const delays = delaysOf.get(type) ?? known.find((one) => one.type.test(type)) ?? null;
    delaysOf.set(type, delays);
    const cell: Cell = { type, delays, inputs: [], outputs: [], waits: 0 };
    for (const [port, bits] of Object.entries(connections))
      for (const bit of bits) {
        if (typeof bit !== 'number') continue;
        const net = netOf(bit);
        if (directions[port] === 'output') {
          net.driver = { cell, port };
          cell.outputs.push(net);
        } else {
          net.readers.push({ cell, port });
          cell.inputs.push({ port, net });
        }
      }
    return cell;
  });
}

const isRegister = ({ delays }: Cell): boolean => delays?.clock !== undefined;

/** Outputs of registers first, then each cell after its sources, and inputs of registers last. */
function inOrder(cells: readonly Cell[]): Cell[] {
  const depends = ({ net: { driver } }: Cell['inputs'][number]) =>
    driver !== null && !isRegister(driver.cell);
  for (const cell of cells) cell.waits = cell.inputs.filter(depends).length;
  const registers = cells.filter(isRegister);
  for (const { outputs, delays } of registers) for (const net of outputs) net.arrival = delays?.ns ?? 0;
  const order = cells.filter((cell) => !isRegister(cell) && cell.waits === 0);
  // The list grows during the loop.
  for (const { outputs } of order)
    for (const { readers } of outputs)
      for (const { cell } of readers) if (!isRegister(cell) && --cell.waits === 0) order.push(cell);
  return [...order, ...registers];
}

/** Delays of wires. */
class Wires {
  readonly #typical: TypicalDelays;
  /** `TYPE.PORT` to `TYPE.PORT` → their direct connection. */
  readonly #direct = new Map<string, TypicalDelays['direct'][number] | null>();

  constructor(typical: TypicalDelays) {
    this.#typical = typical;
  }

  to({ driver, readers }: Net, reader: Pin): number {
    const direct = driver && this.#between(nameOf(driver), nameOf(reader));
    if (direct && (!direct.alone || readers.length === 1)) return direct.ns;
    const { ns, doubling } = this.#typical.wire;
    return ns + doubling * Math.log2(Math.max(1, readers.length));
  }

  #between(from: string, to: string): TypicalDelays['direct'][number] | null {
    const key = `${from} ${to}`;
    const known = this.#direct.get(key);
    if (known !== undefined) return known;
    const found = this.#typical.direct.find((one) => one.from.test(from) && one.to.test(to)) ?? null;
    this.#direct.set(key, found);
    return found;
  }
}

const nameOf = ({ cell, port }: Pin): string => `${cell.type}.${port}`;
