import type { Literal, LutGraph } from './lut-graph.ts';
import { parityOf } from './table-classes.ts';

/** An exclusive or of nodes, inverted or not. */
export interface Sum {
  /** Each term occurs once. */
  terms: ReadonlySet<number>;
  inverted: 0 | 1;
}

/** Maximum terms of a sum. */
const MAX_TERMS = 96;

/** Exclusive ors over several look-up tables, as in checksums and feedback shift registers. */
export class Sums {
  readonly #graph: LutGraph;
  readonly #known = new Map<number, Sum | null>();

  constructor(graph: LutGraph) {
    this.#graph = graph;
  }

  /** The sum of a node; null for fewer than two terms, or for carries, which adders handle. */
  of(node: number): Sum | null {
    const known = this.#known.get(node);
    if (known !== undefined) return known;
    const lut = this.#graph.nodes[node];
    const parity = lut?.kind === 'lut' ? parityOf(lut.table, lut.operands.length) : null;
    const sum = lut?.kind === 'lut' && parity ? this.#added(lut.operands, parity.inverted) : null;
    this.#known.set(node, sum);
    return sum;
  }

  #added(operands: readonly Literal[], inverted: number): Sum | null {
    const terms = new Set<number>();
    let flips = inverted;
    for (const literal of operands) {
      flips ^= literal & 1;
      const node = literal >> 1;
      if (this.#graph.nodes[node]?.kind === 'carry') return null;
      const inner = this.of(node);
      if (inner) flips ^= inner.inverted;
      for (const term of inner?.terms ?? [node]) if (!terms.delete(term)) terms.add(term);
    }
    return terms.size <= MAX_TERMS ? { terms, inverted: flips ? 1 : 0 } : null;
  }

  /** Adds the look-up tables that a node's sum consists of. */
  inside(node: number, found: Set<number>): void {
    const lut = this.#graph.nodes[node];
    if (found.has(node) || lut?.kind !== 'lut' || this.of(node) === null) return;
    found.add(node);
    for (const literal of lut.operands) this.inside(literal >> 1, found);
  }
}
