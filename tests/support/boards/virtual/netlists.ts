import type { BlockRam, FlipFlop, Net, Netlist } from '../../../../server/boards/virtual/netlist/netlist.ts';

/** The clock of netlists that are made by hand. */
export const CLOCK: Net = 2;

/** Truth tables over i0, i1, i2. */
export const TABLE = {
  buffer: 0xaaaa,
  not: 0x5555,
  and: 0x8888,
  or: 0xeeee,
  xor: 0x6666,
  mux: 0xcaca,
} as const;

/** Builds a netlist cell by cell; `in` and `out` name its pins. */
export class NetlistBuilder {
  #next = CLOCK;
  readonly #netlist: Netlist = {
    luts: [],
    carries: [],
    flipFlops: [],
    rams: [],
    clock: CLOCK,
    inputs: [],
    outputs: [],
    nameOf: (net) => `net ${net}`,
  };

  net(): Net {
    return ++this.#next;
  }

  input(name: string): Net {
    const net = this.net();
    this.#netlist.inputs.push({ name, net });
    return net;
  }

  output(name: string, net: Net): void {
    this.#netlist.outputs.push({ name, net });
  }

  lut(table: number, i0: Net, i1: Net = 0, i2: Net = 0, i3: Net = 0, output = this.net()): Net {
    this.#netlist.luts.push({ output, inputs: [i0, i1, i2, i3], table });
    return output;
  }

  carry(a: Net, b: Net, c: Net): Net {
    const output = this.net();
    this.#netlist.carries.push({ output, inputs: [a, b, c] });
    return output;
  }

  flipFlop(d: Net, options: Partial<FlipFlop> = {}): Net {
    const q = options.q ?? this.net();
    this.#netlist.flipFlops.push({
      name: `ff ${q}`,
      q,
      d,
      clock: CLOCK,
      falling: false,
      enable: 1,
      setReset: 0,
      sets: false,
      asynchronous: false,
      ...options,
    });
    return q;
  }

  ram(options: Partial<BlockRam>): BlockRam {
    const ram: BlockRam = {
      name: 'ram',
      readData: Array.from({ length: 16 }, () => this.net()),
      readAddress: new Array(11).fill(0),
      readClock: CLOCK,
      readFalling: false,
      readClockEnable: 1,
      readEnable: 1,
      readMode: 0,
      writeData: new Array(16).fill(0),
      writeAddress: new Array(11).fill(0),
      writeMask: new Array(16).fill(0),
      writeClock: CLOCK,
      writeFalling: false,
      writeClockEnable: 1,
      writeEnable: 0,
      writeMode: 0,
      initial: new Uint16Array(256),
      ...options,
    };
    this.#netlist.rams.push(ram);
    return ram;
  }

  build(): Netlist {
    return this.#netlist;
  }
}
