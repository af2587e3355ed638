import type { LutGraph, LutNode } from './lut-graph.ts';

/** A product of bits, by the numbers of their nodes in ascending order, with its weight. */
export interface Term {
  nodes: readonly number[];
  weight: number;
}

const WORD = 32;
/** Table of the majority of three, over three inputs. */
const MAJORITY = 0xe8;

/**
 * A number made of weighted bits, modulo a power of two. Bits are 0 or 1, so no power is needed, and every function of
 * bits has one such polynomial: two numbers are equal if and only if their polynomials are. So a polynomial that ends
 * as a weighted sum is the proof that the logic adds.
 */
export class Polynomial {
  readonly #graph: LutGraph;
  /** Bits of the number. */
  readonly #mask: number;
  readonly #terms = new Map<string, Term>();
  /** Node → keys of the terms with it. */
  readonly #users = new Map<number, Set<string>>();

  readonly width: number;

  /** @param width bits of the number, at most 32 */
  constructor(graph: LutGraph, width: number) {
    this.#graph = graph;
    this.width = width;
    this.#mask = width >= 32 ? -1 : (1 << width) - 1;
  }

  /** Weights are those of the least magnitude. */
  get terms(): readonly Term[] {
    return [...this.#terms.values()].map(({ nodes, weight }) => ({ nodes, weight: this.#signed(weight) }));
  }

  get size(): number {
    return this.#terms.size;
  }

  /** The same weight modulo 2^width, of least magnitude. */
  #signed(weight: number): number {
    return (weight << (WORD - this.width)) >> (WORD - this.width);
  }

  /** The weight of a single bit. */
  weightOf(node: number): number {
    return this.#signed(this.#terms.get(String(node))?.weight ?? 0);
  }

  /** The same polynomial, to be changed by itself. */
  copy(): Polynomial {
    const copy = new Polynomial(this.#graph, this.width);
    for (const { nodes, weight } of this.#terms.values()) copy.#add(nodes, weight);
    return copy;
  }

  /** Adds a term. */
  add({ nodes, weight }: Term): void {
    this.#add(nodes, weight);
  }

  /**
   * Replaces nodes by their functions, the latest first, until only leaves remain: of a full adder sum and carry then go
   * together, and their products cancel out.
   * @param isLeaf nodes that stay
   * @param seen receives the nodes that were replaced
   * @returns whether it ended within a limit of terms
   */
  expand(isLeaf: (node: number) => boolean, maxTerms: number, seen: Set<number>): boolean {
    for (;;) {
      let latest = -1;
      for (const node of this.#users.keys())
        if (!isLeaf(node) && (latest < 0 || this.#graph.levelOf(node) > this.#graph.levelOf(latest)))
          latest = node;
      if (latest < 0) return true;
      seen.add(latest);
      this.#replace(latest);
      if (this.#terms.size > maxTerms) return false;
    }
  }

  /**
   * The polynomial over whole numbers whose value is this number, from 0 to 2^width - 1, and not just modulo 2^width.
   * Null where the weights do not show that there is one.
   */
  exact(): Term[] | null {
    const half = 2 ** (this.width - 1);
    const constant = this.terms.find(({ nodes }) => nodes.length === 0)?.weight ?? 0;
    const bounds = boundsOf(this.terms.filter(({ nodes }) => nodes.length > 0));
    if (bounds === null) return null;
    const [least, most] = bounds;
    const begin = least + constant;
    // The multiple of 2^width with which the least value is not negative.
    const shift = begin - (((begin % (2 * half)) + 2 * half) % (2 * half));
    if (most + constant - shift >= 2 * half) return null;
    return [...this.terms, { nodes: [], weight: -shift }];
  }

  #replace(node: number): void {
    const own = termsOf(this.#graph.nodes[node]);
    for (const key of [...(this.#users.get(node) ?? [])]) {
      const term = this.#terms.get(key);
      if (!term) continue;
      this.#remove(key, term);
      const others = term.nodes.filter((other) => other !== node);
      for (const { nodes, weight } of own) this.#add(union(others, nodes), Math.imul(term.weight, weight));
    }
  }

  #add(nodes: readonly number[], weight: number): void {
    const key = nodes.join();
    const known = this.#terms.get(key);
    const sum = ((known?.weight ?? 0) + weight) & this.#mask;
    if (sum === 0) {
      if (known) this.#remove(key, known);
      return;
    }
    this.#terms.set(key, { nodes, weight: sum });
    if (known) return;
    for (const node of nodes) {
      const users = this.#users.get(node);
      if (users) users.add(key);
      else this.#users.set(node, new Set([key]));
    }
  }

  #remove(key: string, { nodes }: Term): void {
    this.#terms.delete(key);
    for (const node of nodes) {
      const users = this.#users.get(node);
      users?.delete(key);
      if (users?.size === 0) this.#users.delete(node);
    }
  }
}

/** Maximum bits that a sum without its lowest bits lacks, and maximum trials to find these. */
const MAX_DROPPED = 3;
const MAX_TRIALS = 20_000;

/**
 * Synthesis makes the lowest bits of a sum without carries. What remains is a sum divided by a power of two, rounded
 * down; its products of bits are those of the carry. Finds the whole sum, without products: `terms` is its quotient by
 * 2^dropped. Null where there is none.
 */
export function withoutDivision(terms: readonly Term[]): { terms: Term[]; dropped: number } | null {
  const bits = [...new Set(terms.flatMap(({ nodes }) => (nodes.length > 1 ? nodes : [])))];
  if (bits.length === 0) return { terms: [...terms], dropped: 0 };
  if (bits.length > MAX_BOUND) return null;
  const isBound = ({ nodes }: Term) => nodes.length > 0 && nodes.every((node) => bits.includes(node));
  const bound = terms.filter(isBound);
  const masks = bound.map(({ nodes }) => nodes.reduce((mask, node) => mask | (1 << bits.indexOf(node)), 0));
  /** What the bound terms give for values of the bits. */
  const given = Array.from({ length: 1 << bits.length }, (_, values) =>
    bound.reduce((sum, { weight }, k) => (((masks[k] ?? 0) & ~values) === 0 ? sum + weight : sum), 0),
  );
  for (let dropped = 1; dropped <= MAX_DROPPED; dropped++) {
    const whole = quotientOf(given, bits.length, dropped);
    if (!whole) continue;
    const scaled = terms
      .filter((term) => !isBound(term))
      .map(({ nodes, weight }) => ({ nodes, weight: weight * 2 ** dropped }));
    const own = bits.map((node, k) => ({ nodes: [node], weight: whole.weights[k] ?? 0 }));
    return { terms: [...scaled, ...own, { nodes: [], weight: whole.constant }], dropped };
  }
  return null;
}

/** The weights of bits whose sum with a constant, divided by 2^dropped, is what is given for all their values. */
function quotientOf(
  given: readonly number[],
  bits: number,
  dropped: number,
): { weights: number[]; constant: number } | null {
  const divisor = 2 ** dropped;
  const weights: number[] = [];
  let trials = 0;
  const fits = (constant: number): boolean => {
    const next = weights.length;
    for (let values = next === 0 ? 0 : 1 << (next - 1); values < 1 << next; values++) {
      let sum = constant;
      for (let k = 0; k < next; k++) if ((values >> k) & 1) sum += weights[k] ?? 0;
      if (Math.floor(sum / divisor) !== given[values]) return false;
    }
    if (next === bits) return true;
    const least = divisor * (given[1 << next] ?? 0) - constant;
    for (let rest = 0; rest < divisor && ++trials < MAX_TRIALS; rest++) {
      weights.push(least + rest);
      if (fits(constant)) return true;
      weights.pop();
    }
    return false;
  };
  for (let constant = 0; constant < divisor; constant++) if (fits(constant)) return { weights, constant };
  return null;
}

/** Maximum terms of odd weight of which the lowest bit is written as a polynomial. */
const MAX_ODD = 6;

/** The lowest bit of a number as a polynomial; null where too many terms affect it. */
export function lowestBit(terms: readonly Term[]): Term[] | null {
  const odd = terms.filter(({ weight }) => weight & 1);
  if (odd.length > MAX_ODD) return null;
  const bit: Term[] = [];
  // Of an exclusive or: a + b - 2 a b.
  for (const { nodes } of odd)
    bit.push(...bit.map((other) => ({ nodes: union(other.nodes, nodes), weight: -2 * other.weight })), {
      nodes,
      weight: 1,
    });
  return bit;
}

/** Maximum bits that products bind together, of which all cases are tried. */
const MAX_BOUND = 10;

/** The least and the greatest value of terms; null where products bind too many bits together. */
function boundsOf(terms: readonly Term[]): [number, number] | null {
  const bound = new Set(terms.flatMap(({ nodes }) => (nodes.length > 1 ? nodes : [])));
  if (bound.size > MAX_BOUND) return null;
  let [least, most] = [0, 0];
  const together: Term[] = [];
  for (const term of terms)
    if (term.nodes.some((node) => bound.has(node))) together.push(term);
    else if (term.weight < 0) least += term.weight;
    else most += term.weight;
  const bits = [...bound];
  const masks = together.map(({ nodes }) =>
    nodes.reduce((mask, node) => mask | (1 << bits.indexOf(node)), 0),
  );
  let [leastTogether, mostTogether] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let values = 0; values < 1 << bits.length; values++) {
    let value = 0;
    together.forEach(({ weight }, k) => {
      if (((masks[k] ?? 0) & ~values) === 0) value += weight;
    });
    leastTogether = Math.min(leastTogether, value);
    mostTogether = Math.max(mostTogether, value);
  }
  return [least + leastTogether, most + mostTogether];
}

const union = (some: readonly number[], others: readonly number[]): number[] =>
  [...new Set([...some, ...others])].sort((x, y) => x - y);

/** The polynomial of a look-up table or a carry over its operands. */
export function termsOf(node: LutNode | undefined): Term[] {
  if (node?.kind !== 'lut' && node?.kind !== 'carry') return [];
  const { operands } = node;
  const table = node.kind === 'carry' ? MAJORITY : node.table;
  const entries = 1 << operands.length;
  const weights = Array.from({ length: entries }, (_, entry) => {
    let index = 0;
    operands.forEach((literal, k) => {
      index |= (literal < 2 ? literal : ((entry >> k) & 1) ^ (literal & 1)) << k;
    });
    return (table >> index) & 1;
  });
  // The Möbius transform: from values for inputs to weights of products.
  operands.forEach((_, k) => {
    for (let entry = 0; entry < entries; entry++)
      if ((entry >> k) & 1) weights[entry] = (weights[entry] ?? 0) - (weights[entry ^ (1 << k)] ?? 0);
  });
  return weights.flatMap((weight, entry) =>
    weight === 0
      ? []
      : [
          {
            nodes: union(
              [],
              operands.filter((_, k) => (entry >> k) & 1).map((literal) => literal >> 1),
            ),
            weight,
          },
        ],
  );
}
