import { type BooleanGraph, type Node, OP } from './boolean-graph.ts';

/** What each node depends on, as sets of sources: a source is what `sourceOf` makes of a leaf. */
export class Supports {
  private readonly width: number;
  private readonly sets: Uint32Array;

  /** @param sourceOf number of a leaf's source, below `sources`; leaves may share one. -1 for none. */
  constructor(graph: BooleanGraph, sources: number, sourceOf: (leaf: Node) => number) {
    this.width = Math.max(1, (sources + 31) >> 5);
    const { width } = this;
    const sets = new Uint32Array(graph.size * width);
    this.sets = sets;
    const { op, a, b, c } = graph;
    // Operands have lower indices, so their sets are complete when they are needed.
    for (let node = 2; node < graph.size; node++) {
      const to = node * width;
      const kind = op[node] as number;
      if (kind < OP.not) {
        const source = sourceOf(node);
        if (source >= 0) sets[to + (source >> 5)] = 1 << (source & 31);
        continue;
      }
      const fromA = (a[node] as number) * width;
      const fromB = kind > OP.not ? (b[node] as number) * width : fromA;
      const fromC = kind === OP.mux ? (c[node] as number) * width : fromA;
      for (let k = 0; k < width; k++)
        sets[to + k] =
          (sets[fromA + k] as number) | (sets[fromB + k] as number) | (sets[fromC + k] as number);
    }
  }

  /** The set of a node; a view, not to be changed. */
  of(node: Node): Uint32Array {
    return this.sets.subarray(node * this.width, (node + 1) * this.width);
  }

  /** Equal for equal sets. */
  key(node: Node): string {
    return this.of(node).join();
  }
}

export function cardinality(set: Uint32Array): number {
  let count = 0;
  for (const word of set) count += bits(word);
  return count;
}

export function commonSize(x: Uint32Array, y: Uint32Array): number {
  let count = 0;
  for (let k = 0; k < x.length; k++) count += bits((x[k] as number) & (y[k] as number));
  return count;
}

function bits(word: number): number {
  let v = word - ((word >>> 1) & 0x5555_5555);
  v = (v & 0x3333_3333) + ((v >>> 2) & 0x3333_3333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}
