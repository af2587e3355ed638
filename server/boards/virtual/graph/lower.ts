import type { BlockRam, Carry, FlipFlop, Lut, Net, Netlist } from '../netlist/netlist.ts';
import { BooleanGraph, type Node } from './boolean-graph.ts';
import { type Neighbourhood, neighbourhoodOf } from './near.ts';
import { RAM_LANES } from './ram-lanes.ts';
import { cofactor, dependsOn, lookUp } from './truth-table.ts';

/**
 * Outputs of cells by place: `x12y7/lc3` is the flip-flop of a logic cell, or its look-up table where it has none.
 * `x12y7/lc3/d` is the look-up table in front of a flip-flop, `x8y3/ram[5]` a data pin of a block RAM. Only cells on
 * which the observed pins depend are in the netlist.
 */
function nodesByPlace(netlist: Netlist, nodeOf: (net: Net) => Node | undefined): ReadonlyMap<string, Node> {
  const places = new Map<string, Node>();
  const put = (place: string, net: Net) => {
    const node = nodeOf(net);
    if (node !== undefined) places.set(place, node);
  };
  for (const { output } of netlist.luts) put(netlist.nameOf(output), output);
  for (const { name, q } of netlist.flipFlops) put(name, q);
  for (const { name, readData } of netlist.rams)
    readData.forEach((net, pin) => {
      put(`${name}[${pin}]`, net);
    });
  return places;
}

/**
 * The clock event that commits a register: 0 the board clock's rising edge, 1 its falling edge, 2 + k an edge of
 * derived clock k.
 */
type Domain = number;

export interface Register {
  name: string;
  /** Its state bit. */
  state: number;
  next: Node;
  domain: Domain;
  enable: Node;
  setReset: Node;
  sets: boolean;
  asynchronous: boolean;
}

export interface RamPort {
  clockDomain: Domain;
  enable: Node;
  address: Node[];
  /** Index of the lane inside each group of 2, 4 or 8 data bits; empty for 16 bits width. */
  lane: Node[];
}

export interface Ram {
  source: BlockRam;
  /** State bit of data pin 0; the other pins follow. */
  state: number;
  read: RamPort;
  /** null when it is never written. */
  write: (RamPort & { data: Node[]; mask: Node[] | null }) | null; // data bits of the port's width
}

/** Synchronous logic as a graph: the next value of each register, and each output. */
export interface Design {
  graph: BooleanGraph;
  /** Number of state bits. */
  states: number;
  registers: Register[];
  rams: Ram[];
  /** Derived clocks; `falling` when the falling edge counts. */
  clocks: { name: string; net: Net; node: Node; falling: boolean }[];
  /** Nodes that close combinational loops; `graph.loop(k)` is loop k's last value. */
  loops: { name: string; node: Node }[];
  inputs: { name: string }[];
  outputs: { name: string; node: Node }[];
  /** The input for the level of the board's clock, -1 when no logic reads it. */
  clockInput: number;
  /** Outputs of cells by place: see places.ts. */
  places: ReadonlyMap<string, Node>;
  neighbourhood: Neighbourhood;
}

/** Turns a netlist into a graph. Loops through logic are cut where they close. */
export function lower(netlist: Netlist): Design {
  const lowering = new Lowering(netlist);
  return lowering.design();
}

type Driver = { inputs: readonly Net[]; table: number } | { inputs: readonly Net[]; table: -1 };

class Lowering {
  readonly #graph = new BooleanGraph();
  readonly #nodes = new Map<Net, Node>([
    [0, 0],
    [1, 1],
  ]);
  readonly #drivers = new Map<Net, Driver>();
  readonly #domains = new Map<string, Domain>();
  readonly #clocks: { name: string; net: Net; falling: boolean }[] = [];
  readonly #loops: { name: string; node: Node }[] = [];
  readonly #cuts = new Map<Net, { node: Node }>();
  readonly #netlist: Netlist;

  constructor(netlist: Netlist) {
    this.#netlist = netlist;
  }

  design(): Design {
    const netlist = this.#netlist;
    const graph = this.#graph;
    for (const lut of netlist.luts) this.#drivers.set(lut.output, simplified(lut));
    for (const carry of netlist.carries) this.#drivers.set(carry.output, majority(carry));
    netlist.inputs.forEach(({ net }, index) => {
      this.#nodes.set(net, graph.input(index));
    });
    const clockInput = netlist.inputs.length;
    if (netlist.clock >= 2 && !this.#nodes.has(netlist.clock))
      this.#nodes.set(netlist.clock, graph.input(clockInput));

    let states = 0;
    const stateOf = new Map<Net, number>();
    const flipFlops = netlist.flipFlops.map((source) => {
      this.#nodes.set(source.q, graph.state(states));
      stateOf.set(source.q, states);
      return { source, state: states++ };
    });
    const rams = netlist.rams.map((source) => {
      const state = states;
      states += 16;
      const { step, offset } = RAM_LANES[source.readMode];
      source.readData.forEach((net, k) => {
        if (net < 0) return;
        this.#nodes.set(net, k % step === offset ? graph.state(state + k) : graph.low);
        stateOf.set(net, state + k);
      });
      return { source, state };
    });

    const registers = flipFlops.map(({ source, state }) => this.#register(source, state));
    const lowered = rams.map(({ source, state }) => this.#ram(source, state));
    const outputs = netlist.outputs.map(({ name, net }) => ({ name, node: this.#node(net) }));
    // Derived clocks can themselves lead to loops, so the list may grow while it is read.
    const clocks: Design['clocks'] = [];
    for (const clock of this.#clocks) clocks.push({ ...clock, node: this.#node(clock.net) });
    return {
      graph,
      states,
      registers,
      rams: lowered,
      clocks,
      loops: this.#loops,
      inputs: [...netlist.inputs.map(({ name }) => ({ name })), { name: 'clock' }],
      outputs,
      clockInput,
      places: nodesByPlace(netlist, (net) => this.#nodes.get(net)),
      neighbourhood: neighbourhoodOf(netlist, stateOf),
    };
  }

  #register(source: FlipFlop, state: number): Register {
    return {
      name: source.name,
      state,
      next: this.#node(source.d),
      domain: this.#domain(source.clock, source.falling),
      enable: this.#node(source.enable),
      setReset: this.#node(source.setReset),
      sets: source.sets,
      asynchronous: source.asynchronous,
    };
  }

  #ram(source: BlockRam, state: number): Ram {
    const all = (nets: Net[]) => nets.map((net) => this.#node(net));
    const written =
      source.writeEnable !== 0 && source.writeClockEnable !== 0 && this.#hasEdges(source.writeClock);
    const { step, offset } = RAM_LANES[source.writeMode];
    const masked = source.writeMode === 0 && source.writeMask.some((net) => net !== 0);
    return {
      source,
      state,
      read: {
        clockDomain: this.#domain(source.readClock, source.readFalling),
        enable: this.#graph.and(this.#node(source.readEnable), this.#node(source.readClockEnable)),
        address: all(source.readAddress.slice(0, 8)),
        lane: all(source.readAddress.slice(8, 8 + source.readMode)),
      },
      write: written
        ? {
            clockDomain: this.#domain(source.writeClock, source.writeFalling),
            enable: this.#graph.and(this.#node(source.writeEnable), this.#node(source.writeClockEnable)),
            address: all(source.writeAddress.slice(0, 8)),
            lane: all(source.writeAddress.slice(8, 8 + source.writeMode)),
            data: all(source.writeData.filter((_, k) => k % step === offset)),
            mask: masked ? all(source.writeMask) : null,
          }
        : null,
    };
  }

  /** False for a constant clock: its registers keep their values. */
  #hasEdges(net: Net): boolean {
    const { clock } = this.#clockSource(net, false);
    return clock === this.#netlist.clock || this.#node(clock) >= 2;
  }

  /** The source of a clock behind look-up tables that only pass or invert it. */
  #clockSource(net: Net, falling: boolean): { clock: Net; falling: boolean } {
    let clock = net;
    let inverted = false;
    for (const passed = new Set<Net>(); clock !== this.#netlist.clock && !passed.has(clock); ) {
      passed.add(clock);
      const driver = this.#drivers.get(clock);
      const used = driver?.inputs.flatMap((input, v) => (input === 0 ? [] : [{ input, v }])) ?? [];
      const [only] = used;
      if (!driver || driver.table < 0 || !only || used.length > 1) break;
      if ((driver.table & 1) === ((driver.table >> (1 << only.v)) & 1)) break;
      if ((driver.table & 1) === 1) inverted = !inverted;
      clock = only.input;
    }
    return { clock, falling: falling !== inverted };
  }

  #domain(net: Net, edge: boolean): Domain {
    // When every global buffer is in use, place and route inserts a logic cell into the clock.
    const { clock, falling } = this.#clockSource(net, edge);
    if (clock === this.#netlist.clock) return falling ? 1 : 0;
    const key = `${clock}${falling ? '-' : '+'}`;
    let domain = this.#domains.get(key);
    if (domain === undefined) {
      domain = 2 + this.#clocks.length;
      this.#domains.set(key, domain);
      this.#clocks.push({ name: this.#netlist.nameOf(clock), net: clock, falling });
    }
    return domain;
  }

  /**
   * The node of a net. Walks its logic depth first and iteratively, because chains of carries and look-up tables can be
   * thousands deep.
   */
  #node(wanted: Net): Node {
    const done = this.#nodes.get(wanted);
    if (done !== undefined) return done;
    const stack: Net[] = [wanted];
    const open = new Set<Net>();
    while (stack.length > 0) {
      const net = stack.at(-1) ?? wanted;
      const driver = this.#drivers.get(net);
      if (this.#nodes.has(net) && !open.has(net)) {
        stack.pop();
        continue;
      }
      if (!driver) {
        this.#nodes.set(net, this.#graph.low);
        stack.pop();
        continue;
      }
      if (!open.has(net)) {
        open.add(net);
        for (const input of driver.inputs) {
          if (open.has(input) && !this.#nodes.has(input)) this.#cut(input);
          else if (!this.#nodes.has(input)) stack.push(input);
        }
        continue;
      }
      // All operands have nodes here, unless a deeper walk met one of them again: then it is a loop too.
      const operands = driver.inputs.map((input) => this.#nodes.get(input) ?? this.#cut(input));
      const [p = 0, q = 0, r = 0] = operands;
      const node =
        driver.table < 0 ? this.#graph.majority(p, q, r) : lookUp(this.#graph, driver.table, operands);
      open.delete(net);
      stack.pop();
      const loop = this.#cuts.get(net);
      if (loop) loop.node = node;
      this.#nodes.set(net, node);
    }
    return this.#nodes.get(wanted) ?? this.#graph.low;
  }

  /** Cuts the loop through `net`: its readers see its last value. */
  #cut(net: Net): Node {
    const node = this.#graph.loop(this.#loops.length);
    const loop = { name: this.#netlist.nameOf(net), node: -1 };
    this.#loops.push(loop);
    this.#cuts.set(net, loop);
    this.#nodes.set(net, node);
    return node;
  }
}

/** A look-up table without inputs that do not affect it: they would form false loops. */
function simplified(lut: Lut): Driver {
  let { table } = lut;
  lut.inputs.forEach((net, v) => {
    if (net < 2) table = cofactor(table, v, net);
  });
  return { inputs: lut.inputs.map((net, v) => (dependsOn(table, v) ? net : 0)), table };
}

const majority = (carry: Carry): Driver => ({ inputs: carry.inputs, table: -1 });
