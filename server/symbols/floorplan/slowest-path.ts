import type { Netlist } from '../netlist-file.ts';
import type { Delays } from './delays.ts';

/** A step of a path from register to register. */
interface PathStep {
  /** Ids of cells, as nextpnr names them. */
  from: string;
  to: string;
  /** The net between them; null within a cell. */
  net: string | null;
  ns: number;
  type: 'clk-to-q' | 'routing' | 'logic' | 'setup';
}

export interface SlowestPath {
  /** The maximum clock, MHz. */
  megahertz: number;
  steps: PathStep[];
}

/** A port of a cell. */
interface Node {
  cell: string;
  port: string;
  /** Of the net that is connected to it. */
  bit: number;
  /** The cell is among the requested ones. */
  own: boolean;
  /** Delays to the following nodes. */
  next: { node: number; ns: number }[];
}

/** The output of a register, or its input. */
interface Register {
  node: number;
  ns: number;
  /** Twice the net of its clock, plus one for the falling edge. */
  clock: number;
}

interface Graph {
  nodes: Node[];
  launches: Register[];
  captures: Register[];
  /** Nodes in topological order; those of loops are left out. */
  order: number[];
}

/** Maximum clocks: in a design with more, those with the most registers count. */
const MAX_CLOCKS = 16;

/**
 * The slowest path from register to register of one clock that touches a requested cell: it begins, ends or passes
 * there. Null where there is none.
 * @param own whether a cell is requested
 */
export function slowestPath(
  routed: Netlist,
  delays: Delays,
  own: (cell: string) => boolean,
): SlowestPath | null {
  const graph = graphOf(routed, delays, own);
  let slowest: { period: number; trace: Trace; capture: Register } | null = null;
  for (const clock of clocksOf(graph.launches)) {
    const trace = arrivals(graph, clock);
    for (const capture of graph.captures) {
      if (capture.clock >> 1 !== clock >> 1) continue;
      const arrival = trace.own[capture.node] ?? -1;
      if (arrival < 0) continue;
      // Between opposite edges of the clock there is half a period.
      const period = (arrival + capture.ns) * (capture.clock === clock ? 1 : 2);
      if (period > (slowest?.period ?? 0)) slowest = { period, trace, capture };
    }
  }
  if (!slowest) return null;
  const { period, trace, capture } = slowest;
  return { megahertz: 1000 / period, steps: stepsOf(routed, graph, trace, capture) };
}

function clocksOf(launches: readonly Register[]): number[] {
  const counts = new Map<number, number>();
  for (const { clock } of launches) counts.set(clock, (counts.get(clock) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MAX_CLOCKS)
    .map(([clock]) => clock);
}

function graphOf(routed: Netlist, delays: Delays, own: (cell: string) => boolean): Graph {
  const nodes: Node[] = [];
  const launches: Register[] = [];
  const captures: Register[] = [];
  const drivers = new Map<number, number>();
  const sinks: number[] = [];
  for (const [cell, { connections, port_directions: directions = {} }] of Object.entries(routed.cells)) {
    const ports = new Map<string, number>();
    const mine = own(cell);
    for (const [port, [bit]] of Object.entries(connections)) {
      if (typeof bit !== 'number') continue;
      ports.set(port, nodes.length);
      if (directions[port] === 'output') drivers.set(bit, nodes.length);
      else sinks.push(nodes.length);
      nodes.push({ cell, port, bit, own: mine, next: [] });
    }
    const setups = delays.setups.get(cell) ?? [];
    const edges = new Map(setups.map(({ clock, falling }) => [clock, falling]));
    const clockOf = (port: string): number | null => {
      const bit = nodes[ports.get(port) ?? -1]?.bit;
      return bit === undefined ? null : 2 * bit + (edges.get(port) ? 1 : 0);
    };
    for (const { from, to, ns } of delays.arcs.get(cell) ?? []) {
      const [start, end] = [ports.get(from), ports.get(to)];
      if (start === undefined || end === undefined) continue;
      const clock = /CLK|CLOCK/.test(from) ? clockOf(from) : null;
      if (clock !== null) launches.push({ node: end, ns, clock });
      else nodes[start]?.next.push({ node: end, ns });
    }
    for (const { port, clock: name, ns } of setups) {
      const node = ports.get(port);
      const clock = clockOf(name);
      if (node !== undefined && clock !== null) captures.push({ node, ns, clock });
    }
  }
  for (const sink of sinks) {
    const { cell, port, bit } = nodes[sink] ?? { cell: '', port: '', bit: -1 };
    const driver = nodes[drivers.get(bit) ?? -1];
    driver?.next.push({ node: sink, ns: delays.wires.get(`${cell}/${port}`) ?? 0 });
  }
  return { nodes, launches, captures, order: inOrder(nodes) };
}

/** Kahn's order: each node after all that lead to it. */
function inOrder(nodes: readonly Node[]): number[] {
  const waits = new Int32Array(nodes.length);
  for (const { next } of nodes) for (const { node } of next) waits[node] = (waits[node] ?? 0) + 1;
  const order: number[] = [];
  waits.forEach((count, node) => {
    if (count === 0) order.push(node);
  });
  // The list grows during the loop.
  for (let at = 0; at < order.length; at++)
    for (const { node } of nodes[order[at] ?? -1]?.next ?? []) {
      const left = (waits[node] ?? 0) - 1;
      waits[node] = left;
      if (left === 0) order.push(node);
    }
  return order;
}

/** Latest arrival of one clock's registers at each node, ns; below 0 without one. */
interface Trace {
  all: Float64Array;
  /** The same for paths that have touched a requested cell. */
  own: Float64Array;
  /** The node before; below 0 at a register output. */
  beforeAll: Int32Array;
  /** The same; the node itself where the path has touched nothing before it. */
  beforeOwn: Int32Array;
}

function arrivals({ nodes, launches, order }: Graph, clock: number): Trace {
  const none = () => new Float64Array(nodes.length).fill(-1);
  const before = () => new Int32Array(nodes.length).fill(-1);
  const trace: Trace = { all: none(), own: none(), beforeAll: before(), beforeOwn: before() };
  const { all, own, beforeAll, beforeOwn } = trace;
  for (const { node, ns, clock: of } of launches) if (of === clock) all[node] = Math.max(all[node] ?? -1, ns);
  for (const node of order) {
    const at = all[node] ?? -1;
    const { own: mine, next } = nodes[node] ?? { own: false, next: [] };
    if (at < 0) continue;
    if (mine) {
      own[node] = at;
      beforeOwn[node] = node;
    }
    const touched = own[node] ?? -1;
    for (const { node: to, ns } of next) {
      if (at + ns > (all[to] ?? -1)) {
        all[to] = at + ns;
        beforeAll[to] = node;
      }
      if (touched >= 0 && touched + ns > (own[to] ?? -1)) {
        own[to] = touched + ns;
        beforeOwn[to] = node;
      }
    }
  }
  return trace;
}

function stepsOf(routed: Netlist, { nodes, launches }: Graph, trace: Trace, capture: Register): PathStep[] {
  const path: number[] = [];
  let touched = true;
  for (let node = capture.node; node >= 0; ) {
    if (path.at(-1) !== node) path.push(node);
    const before: number = (touched ? trace.beforeOwn : trace.beforeAll)[node] ?? -1;
    if (touched && before === node) {
      touched = false;
      continue;
    }
    node = before;
  }
  path.reverse();
  const bits = new Set(path.map((node) => nodes[node]?.bit));
  const names = new Map<number, string>();
  for (const [name, net] of Object.entries(routed.netnames))
    net.bits.forEach((bit, k) => {
      if (typeof bit === 'number' && bits.has(bit) && !names.has(bit))
        names.set(bit, net.bits.length === 1 ? name : `${name}[${(net.offset ?? 0) + k}]`);
    });
  const [first = capture.node] = path;
  const cellOf = (node: number) => nodes[node]?.cell ?? '';
  const launched = launches.filter(({ node }) => node === first).map(({ ns }) => ns);
  const steps: PathStep[] = [
    { from: cellOf(first), to: cellOf(first), net: null, ns: Math.max(0, ...launched), type: 'clk-to-q' },
  ];
  path.slice(1).forEach((node, k) => {
    const before = path[k] ?? first;
    const wired = nodes[before]?.bit === nodes[node]?.bit;
    steps.push({
      from: cellOf(before),
      to: cellOf(node),
      net: wired ? (names.get(nodes[node]?.bit ?? -1) ?? null) : null,
      ns: nodes[before]?.next.find((one) => one.node === node)?.ns ?? 0,
      type: wired ? 'routing' : 'logic',
    });
  });
  const last = cellOf(capture.node);
  steps.push({ from: last, to: last, net: null, ns: capture.ns, type: 'setup' });
  return steps;
}
