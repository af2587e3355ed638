import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';

/** The sources on which each node depends, as sets; `sourceOf` maps a leaf to its source. */
export class Supports {
  readonly #width: number;
  readonly #sets: Uint32Array;

  /** @param sourceOf number of a leaf's source, below `sources`; leaves may share one. -1 for none. */
  constructor(graph: BooleanGraph, sources: number, sourceOf: (leaf: Node) => number) {
    this.#width = Math.max(1, (sources + 31) >> 5);
    const width = this.#width;
    const sets = new Uint32Array(graph.size * width);
    this.#sets = sets;
    // Operands have lower indices, so their sets are complete when they are needed.
    for (let node = 2; node < graph.size; node++) {
      const to = node * width;
      const kind = graph.operator(node);
      if (kind < OP.not) {
        const source = sourceOf(node);
        if (source >= 0) sets[to + (source >> 5)] = 1 << (source & 31);
        continue;
      }
      const fromA = graph.first(node) * width;
      const fromB = kind > OP.not ? graph.second(node) * width : fromA;
      const fromC = kind === OP.mux ? graph.third(node) * width : fromA;
      for (let k = 0; k < width; k++)
        sets[to + k] = (sets[fromA + k] ?? 0) | (sets[fromB + k] ?? 0) | (sets[fromC + k] ?? 0);
    }
  }

  /** The set of a node; a read-only view. */
  of(node: Node): Uint32Array {
    return this.#sets.subarray(node * this.#width, (node + 1) * this.#width);
  }

  /** The members of a node's set; empty when there are more than `most`. */
  list(node: Node, most: number): number[] {
    const members: number[] = [];
    if (cardinality(this.of(node)) > most) return members;
    this.of(node).forEach((word, k) => {
      for (let left = word; left !== 0; left &= left - 1)
        members.push(32 * k + 31 - Math.clz32(left & -left));
    });
    return members;
  }

  /** Groups nodes with equal sets, with the size of each set. */
  classes(nodes: readonly Node[]): { nodes: Node[]; size: number }[] {
    const byHash = new Map<number, { nodes: Node[]; set: Uint32Array }[]>();
    for (const node of nodes) {
      const set = this.of(node);
      let hash = 0;
      for (const word of set) hash = Math.imul(hash ^ word, 0x9e37_79b1) ^ (hash >>> 15);
      const bucket = byHash.get(hash) ?? [];
      const same = bucket.find((known) => known.set.every((word, k) => word === set[k]));
      if (same) same.nodes.push(node);
      else bucket.push({ nodes: [node], set });
      byHash.set(hash, bucket);
    }
    return [...byHash.values()].flat().map(({ nodes, set }) => ({ nodes, size: cardinality(set) }));
  }
}

function cardinality(set: Uint32Array): number {
  let count = 0;
  for (const word of set) count += bits(word);
  return count;
}

function bits(word: number): number {
  let v = word - ((word >>> 1) & 0x5555_5555);
  v = (v & 0x3333_3333) + ((v >>> 2) & 0x3333_3333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
