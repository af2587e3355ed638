import { assertNever } from '../../../errors/bench-error.ts';
import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';
import { groupRegisters } from './group-registers.ts';
import type { Lanes } from './lane-order.ts';
import type { Design, Ram, Register } from './lower.ts';
import { ramOrders } from './ram-order.ts';
import { Supports } from './support.ts';

/** The place of a bit: a bit of a word of the machine's memory. */
export interface Place {
  word: number;
  bit: number;
}

/**
 * A part of the design that is evaluated only when a word that it reads has changed. It has one word of results, so one
 * comparison tells whether its readers need evaluation.
 */
export type Cluster = {
  /** Nodes computed here, operands first. */
  nodes: Node[];
  /** Words that it reads. */
  reads: number[];
  /** Block RAM whose contents it reads, or -1. */
  readsRam: number;
} & (
  | { kind: 'logic'; word: number; outputs: Node[] }
  /** `control` is any of the registers: enable, set and reset are the same for all of them. */
  | { kind: 'register'; word: number; control: Register; lanes: Lanes }
  | { kind: 'ram-read'; word: number; ram: number; port: Ram }
  | { kind: 'ram-write'; ram: number; port: Ram }
);

export interface Partition {
  clusters: Cluster[];
  words: number;
  /** Word of input i is i. */
  inputs: number;
  /** Place of each state bit. */
  statePlaces: Place[];
  /** For each block RAM, the stored bit of each data pin. */
  ramOrders: number[][];
  /** Places of nodes that another cluster or the outside reads. */
  places: Map<Node, Place>;
}

/** Expressions of up to this many operations are computed at each use. */
const CHEAP = 2;

export function partition(design: Design): Partition {
  const { graph } = design;
  const statePlaces: Place[] = new Array(design.states);
  const clusters: Cluster[] = [];
  let words = design.inputs.length;

  for (const lanes of groupRegisters(design)) {
    lanes.forEach((register, bit) => {
      if (register) statePlaces[register.state] = { word: words, bit };
    });
    const [first] = lanes.filter((register) => register !== null);
    if (first)
      clusters.push({
        kind: 'register',
        word: words++,
        control: first,
        lanes,
        nodes: [],
        reads: [],
        readsRam: -1,
      });
  }
  const orders = ramOrders(design, (state) => statePlaces[state]?.bit);
  design.rams.forEach((port, ram) => {
    // The data bits of a narrow port are stored side by side.
    for (let pin = 0; pin < 16; pin++)
      statePlaces[port.state + pin] = {
        word: words,
        bit: (orders[ram]?.[pin] ?? pin) >> port.source.readMode,
      };
    clusters.push({ kind: 'ram-read', word: words++, ram, port, nodes: [], reads: [], readsRam: ram });
    if (port.write) clusters.push({ kind: 'ram-write', ram, port, nodes: [], reads: [], readsRam: -1 });
  });

  const roots = clusters.map(rootsOf);
  // Nodes that the outside or the clocking reads need a place of their own.
  const exposed = [
    ...design.outputs.map(({ node }) => node),
    ...design.clocks.map(({ node }) => node),
    ...design.loops.map(({ node }) => node),
  ];
  const uses = new Uses(graph, roots, exposed);
  clusters.forEach((cluster, index) => {
    cluster.nodes = uses.ownedBy(index);
  });

  const places = new Map<Node, Place>();
  const logic: Cluster[] = [];
  for (const nodes of bySupport(design, uses.shared(), statePlaces, words)) {
    const inside = new Set(nodes);
    const outputs = nodes.filter((node) => uses.isReadOutside(node, inside));
    for (let from = 0; from < outputs.length; from += 32) {
      const part = outputs.slice(from, from + 32);
      part.forEach((node, bit) => {
        places.set(node, { word: words, bit });
      });
      logic.push({
        kind: 'logic',
        word: words++,
        outputs: part,
        nodes: from === 0 && outputs.length <= 32 ? nodes : coneWithin(graph, part, inside),
        reads: [],
        readsRam: -1,
      });
    }
  }
  const ordered = [...logic, ...clusters];
  const partitioned = {
    clusters: ordered,
    words,
    inputs: design.inputs.length,
    statePlaces,
    ramOrders: orders,
    places,
  };
  for (const cluster of ordered) cluster.reads = wordsRead(design, cluster, partitioned);
  return partitioned;
}

/** Nodes that a cluster's code computes from the outside in. */
export function rootsOf(cluster: Cluster): Node[] {
  switch (cluster.kind) {
    case 'logic':
      return cluster.outputs;
    case 'register':
      return [cluster.control.enable, cluster.control.setReset, ...nextsOf(cluster.lanes)];
    case 'ram-read': {
      const { enable, address, lane } = cluster.port.read;
      return [enable, ...address, ...lane];
    }
    case 'ram-write': {
      const { write } = cluster.port;
      return write
        ? [write.enable, ...write.address, ...write.lane, ...write.data, ...(write.mask ?? [])]
        : [];
    }
    default:
      return assertNever(cluster);
  }
}

/** The next values of a word's registers; constant low for an unused bit. */
export const nextsOf = (lanes: Lanes): Node[] => lanes.map((register) => register?.next ?? 0);

export function isLeaf(graph: BooleanGraph, node: Node): boolean {
  return graph.operator(node) < OP.not;
}

/** The users of each node. */
class Uses {
  static readonly #NOBODY = -1;
  static readonly #SHARED = -2;
  readonly #owner: Int32Array;
  readonly #cheap: Uint8Array;
  readonly #readers: Map<Node, Node[]> = new Map();
  readonly #wanted = new Set<Node>();
  readonly #graph: BooleanGraph;

  constructor(graph: BooleanGraph, roots: Node[][], exposed: Node[]) {
    this.#graph = graph;
    this.#owner = new Int32Array(graph.size).fill(Uses.#NOBODY);
    this.#cheap = cheapNodes(graph);
    roots.forEach((nodes, cluster) => {
      for (const node of nodes) this.#use(node, cluster, true);
    });
    for (const node of exposed) {
      this.#use(node, Uses.#SHARED, true);
      if (!isLeaf(graph, node)) {
        this.#cheap[node] = 0;
        this.#owner[node] = Uses.#SHARED;
        this.#wanted.add(node);
      }
    }
    for (let node = graph.size - 1; node >= 2; node--) {
      const owner = this.#owner[node] ?? 0;
      if (owner === Uses.#NOBODY || this.#cheap[node]) continue;
      graph.operands(node, (operand) => this.#use(operand, owner, false, node));
    }
  }

  /** Records a use; a use of a cheap expression is a use of its operands. */
  #use(node: Node, by: number, isRoot: boolean, reader?: Node): void {
    if (isLeaf(this.#graph, node)) return;
    if (this.#cheap[node]) {
      this.#graph.operands(node, (operand) => this.#use(operand, by, isRoot, reader));
      return;
    }
    const before = this.#owner[node] ?? 0;
    this.#owner[node] = before === Uses.#NOBODY || before === by ? by : Uses.#SHARED;
    if (isRoot && by !== Uses.#SHARED) this.#wanted.add(node);
    if (reader !== undefined) {
      const readers = this.#readers.get(node);
      if (readers) readers.push(reader);
      else this.#readers.set(node, [reader]);
    }
  }

  ownedBy(cluster: number): Node[] {
    return this.#select((owner) => owner === cluster);
  }

  /** Nodes that several clusters need, operands first. */
  shared(): Node[] {
    return this.#select((owner) => owner === Uses.#SHARED);
  }

  /** True when a node outside `inside` reads a shared node. */
  isReadOutside(node: Node, inside: Set<Node>): boolean {
    return this.#wanted.has(node) || (this.#readers.get(node) ?? []).some((reader) => !inside.has(reader));
  }

  #select(wanted: (owner: number) => boolean): Node[] {
    const nodes: Node[] = [];
    for (let node = 2; node < this.#graph.size; node++)
      if (!this.#cheap[node] && wanted(this.#owner[node] ?? 0)) nodes.push(node);
    return nodes;
  }
}

function cheapNodes(graph: BooleanGraph): Uint8Array {
  const cost = new Uint8Array(graph.size);
  const cheap = new Uint8Array(graph.size);
  for (let node = 2; node < graph.size; node++) {
    if (isLeaf(graph, node)) continue;
    let sum = graph.operator(node) === OP.mux ? 3 : 1;
    graph.operands(node, (operand) => {
      sum += cheap[operand] || isLeaf(graph, operand) ? (cost[operand] ?? 0) : CHEAP;
    });
    cost[node] = Math.min(sum, 255);
    cheap[node] = sum <= CHEAP ? 1 : 0;
  }
  return cheap;
}

/**
 * Groups shared nodes that depend on exactly the same words: such a class is evaluated only when one of them changes.
 * Smaller sets come first, so that a class follows those that it reads.
 */
function bySupport(design: Design, shared: Node[], statePlaces: Place[], words: number): Node[][] {
  const { graph } = design;
  const supports = new Supports(graph, words + design.loops.length, (leaf) => {
    const index = graph.first(leaf);
    const kind = graph.operator(leaf);
    if (kind === OP.state) return statePlaces[index]?.word ?? -1;
    return kind === OP.input ? index : words + index;
  });
  return supports
    .classes(shared)
    .sort((x, y) => x.size - y.size)
    .map(({ nodes }) => nodes);
}

/** The nodes of `inside` that `outputs` need, operands first. */
function coneWithin(graph: BooleanGraph, outputs: Node[], inside: Set<Node>): Node[] {
  const cone = new Set<Node>();
  const stack = [...outputs];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (cone.has(node)) continue;
    if (inside.has(node)) cone.add(node);
    else if (isLeaf(graph, node)) continue;
    graph.operands(node, (operand) => {
      stack.push(operand);
    });
  }
  return [...cone].sort((x, y) => x - y);
}

/** The node of a loop's leaf; low when the loop contains only itself. */
export function loopTarget(design: Design, loop: number): Node {
  const { graph } = design;
  let at = loop;
  for (let hops = 0; hops <= design.loops.length; hops++) {
    const node = design.loops[at]?.node ?? graph.low;
    if (graph.operator(node) !== OP.loop) return node;
    at = graph.first(node);
  }
  return graph.low;
}

/** Place of a leaf or of a node that another cluster computes; null for constants. */
export function placeOf(
  design: Design,
  partition: Pick<Partition, 'places' | 'statePlaces'>,
  node: Node,
): Place | null {
  const { graph } = design;
  const a = graph.first(node);
  switch (graph.operator(node)) {
    case OP.state:
      return partition.statePlaces[a] ?? null;
    case OP.input:
      return { word: a, bit: 0 };
    case OP.loop: {
      const target = loopTarget(design, a);
      return target < 2 ? null : placeOf(design, partition, target);
    }
    default:
      return partition.places.get(node) ?? null;
  }
}

function wordsRead(design: Design, cluster: Cluster, partition: Partition): number[] {
  const { graph } = design;
  const inside = new Set(cluster.nodes);
  const words = new Set<number>();
  const seen = new Set<Node>();
  const visit = (node: Node): void => {
    if (node < 2 || seen.has(node)) return;
    seen.add(node);
    const place = inside.has(node) ? null : placeOf(design, partition, node);
    if (place) words.add(place.word);
    else if (!isLeaf(graph, node)) graph.operands(node, visit);
  };
  for (const root of rootsOf(cluster)) visit(root);
  for (const node of cluster.nodes) graph.operands(node, visit);
  // An asynchronous set or reset overrides a clock's value, so it is evaluated again after every change.
  if (cluster.kind === 'register' && cluster.control.asynchronous) words.add(cluster.word);
  return [...words];
}
