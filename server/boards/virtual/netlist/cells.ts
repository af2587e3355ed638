import { type ChipTable, DRIVER, driverIndex, driverKind } from '../chip/chip-table.ts';
import { FabricRefusal } from '../refusal.ts';
import { ioConfiguration } from './io-configuration.ts';
import type { Net, Netlist } from './netlist.ts';
import { describeDriver, type Routing } from './routing.ts';

/** Pads as the board connects them, by IO cell. */
export interface Pads {
  /** Driven from outside. */
  driven: ReadonlySet<number>;
  /** Value of an undriven pad. */
  rest(io: number): 0 | 1;
}

/** A cell that a net in use needs and that is not in the netlist yet. */
type Wanted = { net: Net } & ({ from: 'driver'; driver: number } | { from: 'pad'; io: number });

/**
 * The netlist under construction: assigns nets to wires and lists the drivers still to be added. A net is the root of
 * its wires plus 2; nets without a wire come after.
 */
export class Cells {
  readonly found: Pick<Netlist, 'luts' | 'carries' | 'flipFlops' | 'rams'> = {
    luts: [],
    carries: [],
    flipFlops: [],
    rams: [],
  };
  readonly wanted: Wanted[] = [];
  readonly #padNets = new Map<number, Net>();
  readonly #seen = new Set<Net>();
  readonly #names = new Map<Net, string>();
  #next: Net;

  constructor(
    readonly table: ChipTable,
    readonly routing: Routing,
    readonly pads: Pads,
  ) {
    this.#next = table.wires + 2;
  }

  /**
   * The net of a cell's input pin; `unconnected` when nothing drives it. Global buffers and direct inputs of pads are
   * skipped, so that a clock is the same net at every use.
   */
  net(wire: number, unconnected: 0 | 1): Net {
    const { table, routing } = this;
    let at = wire;
    // Buffers can feed buffers, but a chain longer than their number is an undriven circle.
    for (let hops = 0; hops <= table.globalBuffers.length && at >= 0; hops++) {
      const driver = routing.driverOf(at);
      if (driver === 0) return unconnected;
      const index = driverIndex(driver);
      const kind = driverKind(driver);
      if (kind === DRIVER.pad0 && ioConfiguration(table, routing, index).input === 'direct')
        return this.padInput(index);
      if (kind !== DRIVER.buffer) return this.#want(routing.root(at) + 2, driver);
      const buffer = table.globalBuffers[index];
      if (!buffer) return unconnected;
      if (routing.padDrives(buffer.extraBit)) return this.padInput(buffer.padIo);
      at = buffer.input;
    }
    return unconnected;
  }

  /** The net at a pad, as the fabric reads it: defined only while its input buffer is on. */
  padInput(io: number): Net {
    const [x, y, z] = this.table.inputEnable[io] ?? [-1, -1, -1];
    const tile = this.routing.tiles.get(y * this.table.width + x);
    if (x >= 0 && !tile?.entry(`IoCtrl.IE_${z}`)) {
      const { name } = ioConfiguration(this.table, this.routing, io);
      throw new FabricRefusal('fabric_io', `The design reads the pin at ${name}, whose input buffer is off.`);
    }
    return this.padNet(io);
  }

  /** The net at a pad: driven from outside, by the design, or by its pull-up. */
  padNet(io: number): Net {
    const known = this.#padNets.get(io);
    if (known !== undefined) return known;
    const { name, drives } = ioConfiguration(this.table, this.routing, io);
    const outside = this.pads.driven.has(io);
    if (outside && drives !== 'never')
      throw new FabricRefusal(
        'fabric_contention',
        `The design drives the pin of ${name}, which the board drives too.`,
      );
    const net = !outside && drives === 'never' ? this.pads.rest(io) : this.fresh(`${name}/pad`);
    this.#padNets.set(io, net);
    if (drives !== 'never') this.wanted.push({ net, from: 'pad', io });
    return net;
  }

  /** A net without a wire, named after its cell. */
  fresh(name: string): Net {
    const net = this.#next++;
    this.#names.set(net, name);
    return net;
  }

  nameOf(net: Net): string {
    return this.#names.get(net) ?? (net < 2 ? `constant ${net}` : `net ${net}`);
  }

  #want(net: Net, driver: number): Net {
    if (!this.#seen.has(net)) {
      this.#seen.add(net);
      this.#names.set(net, describeDriver(this.table, driver));
      this.wanted.push({ net, from: 'driver', driver });
    }
    return net;
  }
}
