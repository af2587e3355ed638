import type { Literal, LutGraph, LutNode } from './lut-graph.ts';
import type { Location } from './parts.ts';
import { lowestBit, Polynomial, type Term, termsOf, withoutDivision } from './polynomial.ts';
import type { Value, WordGraph } from './word-graph.ts';

/** Maximum terms of a polynomial on its way. Adders and multiplications by constants stay far below. */
const MAX_TERMS = 1500;
/** Maximum operations of a sum for each look-up table that it replaces. Tables of single bits take five each. */
const OPERATIONS_PER_TABLE = 1.5;
/** Maximum products of bits in the highest bit of a sum. */
const MAX_PRODUCTS = 4;
/** Terms that may be added on the way to fewer. */
const ROOM = 100;
/** Minimum bits whose weights double from lane to lane, for them to be one field. */
const FIELD = 3;
const WORD = 32;

/** Where bit `position` of a chain's sum is, or its complement. */
interface SumBit {
  literal: Literal;
  position: number;
}

/** A chain of carries with what it adds. */
interface Adder {
  chain: readonly number[];
  bits: readonly SumBit[];
  /** The sum. */
  sum: Polynomial;
  /** The sum as whole number, where that is known. */
  exact: readonly Term[] | null;
  /** Look-up tables and carries that the sum replaces. */
  replaced: number;
}

/** What the planner of words does for this. */
interface Planner {
  /** The lane for the lowest bit of a chain. */
  laneOf(chain: readonly number[]): number;
  /** The literals as a word. */
  plan(lanes: readonly Literal[]): Value;
}

/**
 * Sums of words and multiplications by constants, which synthesis makes from carry-save adders in front of chains of
 * carries. What a chain adds is written as a polynomial of the bits that it comes from. If that is a weighted sum, it is
 * computed from words, without the adders in between.
 */
export class Arithmetic {
  readonly #graph: LutGraph;
  readonly #words: WordGraph;
  readonly #locations: Map<number, Location>;
  readonly #planner: Planner;
  readonly #adders: Adder[] = [];
  /** Bits of sums, which other chains add as they are: the adder of each. */
  readonly #sums = new Map<number, Adder>();
  /** Node → how many sums it is in. */
  readonly #uses = new Map<number, number>();
  /** Bits that several sums weigh, in an order in which their weights double. */
  readonly #packs: (readonly number[])[] = [];

  /** @param locations of the leaves; receives those of the sums */
  constructor(graph: LutGraph, words: WordGraph, locations: Map<number, Location>, planner: Planner) {
    this.#graph = graph;
    this.#words = words;
    this.#locations = locations;
    this.#planner = planner;
  }

  /** Finds the sums, from the first adders on. */
  find(): void {
    const chains = this.#graph.chains.map((chain) => ({ chain, level: this.#levelOf(chain) }));
    for (const { chain } of chains.sort((a, b) => a.level - b.level)) this.#read(chain);
    for (const { sum } of this.#adders)
      for (const { nodes } of sum.terms)
        for (const node of nodes) this.#uses.set(node, (this.#uses.get(node) ?? 0) + 1);
    for (const adder of this.#adders) this.#place(adder);
  }

  /** Computes a sum from words where that pays. */
  #place(adder: Adder): void {
    // A product in the highest bit has no carry: it is not part of a sum.
    const highest = 2 ** (adder.sum.width - 1);
    const isApart = ({ nodes, weight }: Term) => nodes.length > 1 && Math.abs(weight) === highest;
    const apart = adder.sum.terms.filter(isApart);
    const whole = withoutDivision(adder.sum.terms.filter((term) => !isApart(term)));
    if (whole === null || apart.length > MAX_PRODUCTS) return;
    const { terms, dropped } = whole;
    const width = adder.sum.width + dropped;
    if (width > WORD || adder.replaced === 0) return;
    // The lane of the lowest bit of the chain, above those that are dropped.
    const wanted = this.#planner.laneOf(adder.chain);
    const lane = wanted >= dropped && wanted + adder.sum.width <= WORD ? wanted : dropped;
    const before = this.#words.size;
    const value = this.#valueOf(
      [...terms, ...apart.map(({ nodes, weight }) => ({ nodes, weight: weight * 2 ** dropped }))],
      width,
      lane - dropped,
    );
    if (this.#words.size - before > OPERATIONS_PER_TABLE * adder.replaced) return;
    for (const { literal, position } of adder.bits)
      this.#locations.set(literal >> 1, {
        value: literal & 1 ? this.#words.not(value) : value,
        lane: lane + position,
      });
  }

  /** Reads what a chain adds. */
  #read(chain: readonly number[]): void {
    const { terms, bits, width } = this.#operandsOf(chain);
    if (bits.length === 0 || width > WORD) return;
    const sum = new Polynomial(this.#graph, width);
    for (const term of terms) sum.add(term);
    const seen = new Set<number>();
    const isLeaf = (node: number) => this.#sums.has(node) || this.#graph.nodes[node]?.kind === 'leaf';
    const found = sum.expand(isLeaf, MAX_TERMS, seen);
    const adder: Adder = { chain, bits, sum, exact: null, replaced: seen.size };
    if (found) {
      adder.sum = this.#expanded(adder.sum);
      this.#insert(adder);
      adder.exact = adder.sum.exact();
      this.#adders.push(adder);
    }
    for (const { literal } of bits) this.#sums.set(literal >> 1, adder);
  }

  /** Puts sums in place of their bits, where all bits of a sum are added. */
  #insert(adder: Adder): void {
    const inner = new Set(adder.sum.terms.flatMap(({ nodes }) => this.#sums.get(nodes[0] ?? 0) ?? []));
    for (const { bits, exact, replaced, sum: own } of inner) {
      const higher = bits.filter(({ position }) => position > 0);
      const [second] = higher;
      if (!exact || !second || higher.length < own.width - 1) continue;
      const weightOf = ({ literal }: SumBit) =>
        literal & 1 ? -adder.sum.weightOf(literal >> 1) : adder.sum.weightOf(literal >> 1);
      const factor = weightOf(second) >> 1;
      const sum = adder.sum.copy();
      for (const { literal, position } of higher)
        for (const term of literalTerms(literal, -(factor << position))) sum.add(term);
      const lowest = bits.find((bit) => bit.position === 0 && weightOf(bit) !== 0);
      const inferred = lowest ? [] : lowestBit(exact);
      if (!inferred) continue;
      if (lowest) for (const term of literalTerms(lowest.literal, -factor)) sum.add(term);
      for (const { nodes, weight } of inferred) sum.add({ nodes, weight: -Math.imul(weight, factor) });
      for (const { nodes, weight } of exact) sum.add({ nodes, weight: Math.imul(weight, factor) });
      const simpler = this.#expanded(sum);
      if (simpler.size >= adder.sum.size) continue;
      adder.sum = simpler;
      adder.replaced += replaced + bits.length;
    }
  }

  /** The same with single bits of sums replaced, which another sum happens to have as well, where that is simpler. */
  #expanded(sum: Polynomial): Polynomial {
    const expanded = sum.copy();
    const isLeaf = (node: number) => this.#graph.nodes[node]?.kind === 'leaf';
    const found = expanded.expand(isLeaf, sum.size + ROOM, new Set());
    return found && expanded.size < sum.size ? expanded : sum;
  }

  /** The level of what a chain adds. */
  #levelOf(chain: readonly number[]): number {
    let level = 0;
    for (const node of chain) {
      const carry = this.#graph.nodes[node];
      if (carry?.kind !== 'carry') continue;
      for (const literal of carry.operands.slice(0, 2))
        level = Math.max(level, this.#graph.levelOf(literal >> 1));
    }
    return level;
  }

  /** What a chain adds, and which look-up tables have the bits of the sum. */
  #operandsOf(chain: readonly number[]): { terms: Term[]; bits: SumBit[]; width: number } {
    const terms: Term[] = [];
    const bits: SumBit[] = [];
    chain.forEach((member, position) => {
      const carry = this.#graph.nodes[member];
      if (carry?.kind !== 'carry') return;
      const [a, b, carryIn] = carry.operands;
      for (const literal of position === 0 ? [a, b, carryIn] : [a, b])
        terms.push(...literalTerms(literal, 1 << position));
      const sum = this.#graph.exclusiveOr(carry.operands);
      if (sum !== undefined) bits.push({ literal: sum, position });
    });
    // The last carry goes into the highest bit, which needs no carry of its own.
    const last = chain.at(-1) ?? 0;
    for (const highest of this.#graph.readersOf(last)) {
      const others = withoutCarry(this.#graph.nodes[highest], last);
      if (!others) continue;
      // Of a function and its complement the one that is 0 where all its bits are: it adds no constant.
      const inverted = others.some(({ nodes }) => nodes.length === 0);
      for (const { nodes, weight } of others)
        if (nodes.length > 0) terms.push({ nodes, weight: (inverted ? -weight : weight) << chain.length });
      bits.push({ literal: 2 * highest + (inverted ? 1 : 0), position: chain.length });
      return { terms, bits, width: chain.length + 1 };
    }
    return { terms, bits, width: chain.length };
  }

  /** A weighted sum with its lowest bit in a lane. */
  #valueOf(terms: readonly Term[], width: number, lane: number): Value {
    const words = this.#words;
    const unused = WORD - width - lane;
    let sum = words.low;
    const weights = new Map<number, number>();
    for (const { nodes, weight } of terms) {
      const [node, second] = nodes;
      if (node === undefined) sum = words.add(sum, words.constant(weight << lane));
      else if (second === undefined) weights.set(node, weight << lane);
      else sum = words.add(sum, words.times(this.#product(nodes), weight << lane));
    }
    for (const [value, lanes] of this.#byWord(weights, unused))
      for (const field of fieldsOf(lanes, unused)) sum = words.add(sum, this.#fieldOf(value, field));
    return sum;
  }

  /** A product of bits, as 0 or 1. */
  #product(nodes: readonly number[]): Value {
    const words = this.#words;
    return nodes.reduce((all, node) => {
      const { value, lane } = this.#locationOf(node);
      return words.and(all, words.moved(value, lane));
    }, words.constant(1));
  }

  #locationOf(node: number): Location {
    return this.#locations.get(node) ?? { value: this.#words.scalar(node), lane: 0 };
  }

  /** Weights by the lanes of words. Scattered bits that other sums weigh as well are packed into a word first. */
  #byWord(weights: ReadonlyMap<number, number>, unused: number): Map<Value, Map<number, number>> {
    const byWord = new Map<Value, Map<number, number>>();
    const put = (node: number, { value, lane }: Location) => {
      const lanes = byWord.get(value) ?? new Map<number, number>();
      byWord.set(value, lanes.set(lane, weights.get(node) ?? 0));
    };
    for (const node of weights.keys()) put(node, this.#locationOf(node));
    const inFields = new Set<string>();
    for (const [value, lanes] of byWord)
      for (const { from, length } of fieldsOf(lanes, unused))
        if (length >= FIELD) for (let k = 0; k < length; k++) inFields.add(`${value} ${from + k}`);
    const scattered = [...weights.keys()].filter((node) => {
      const { value, lane } = this.#locationOf(node);
      return (this.#uses.get(node) ?? 0) > 1 && !inFields.has(`${value} ${lane}`);
    });
    if (scattered.length <= FIELD || scattered.length > WORD) return byWord;
    let pack = this.#packs.find((one) => scattered.every((node) => one.includes(node)));
    if (pack === undefined) {
      const size = (node: number) => Math.abs(weights.get(node) ?? 0);
      pack = scattered.sort((a, b) => size(a) - size(b));
      this.#packs.push(pack);
    }
    const word = this.#planner.plan(pack.map((node) => 2 * node));
    byWord.clear();
    for (const node of weights.keys())
      put(
        node,
        scattered.includes(node) ? { value: word, lane: pack.indexOf(node) } : this.#locationOf(node),
      );
    return byWord;
  }

  /** Weighted bits of a value. A bit of negative weight counts as its complement, less one. */
  #fieldOf(value: Value, { from, length, weight, negative }: Field): Value {
    const words = this.#words;
    const mask = words.constant(-1 >>> (WORD - length));
    const field = words.xor(words.and(words.moved(value, from), mask), words.constant(negative));
    return words.add(words.times(field, weight), words.constant(-Math.imul(weight, negative)));
  }
}

/** A weighted literal. */
const literalTerms = (literal: Literal, weight: number): Term[] => [
  { nodes: [], weight: literal & 1 ? weight : 0 },
  { nodes: literal < 2 ? [] : [literal >> 1], weight: literal < 2 ? 0 : literal & 1 ? -weight : weight },
];

/** What a table has an exclusive or with a carry of; null where it does not. */
function withoutCarry(node: LutNode | undefined, carry: number): Term[] | null {
  if (node?.kind !== 'lut') return null;
  const where = (value: 0 | 1): LutNode => ({
    ...node,
    operands: node.operands.map((literal) => (literal >> 1 === carry ? (literal & 1) ^ value : literal)),
  });
  const whenLow = termsOf(where(0));
  const whenHigh = new Map(termsOf(where(1)).map(({ nodes, weight }) => [nodes.join(), weight]));
  // The complement: one minus the other.
  for (const { nodes, weight } of [...whenLow, { nodes: [], weight: -1 }]) {
    const key = nodes.join();
    const sum = (whenHigh.get(key) ?? 0) + weight;
    whenHigh.set(key, sum);
  }
  return [...whenHigh.values()].every((weight) => weight === 0) ? whenLow : null;
}

/** Neighbouring bits whose weights double from lane to lane. */
interface Field {
  from: number;
  length: number;
  /** Of the lowest bit, without its sign. */
  weight: number;
  /** Bits whose weight is negative. */
  negative: number;
}

/**
 * @param weights by lane
 * @param unused bits at the top of a weight that do not count
 */
function fieldsOf(weights: ReadonlyMap<number, number>, unused: number): Field[] {
  const isSame = (a: number, b: number) => (a - b) << unused === 0;
  const fields: Field[] = [];
  const rest = new Map([...weights].sort(([a], [b]) => a - b));
  for (const [from, first] of rest) {
    const field: Field = { from, length: 0, weight: Math.abs(first), negative: 0 };
    for (let next = rest.get(from); next !== undefined; next = rest.get(from + field.length)) {
      const weight = field.weight << field.length;
      if (!isSame(next, weight)) {
        if (!isSame(next, -weight)) break;
        field.negative |= 1 << field.length;
      }
      rest.delete(from + field.length++);
    }
    fields.push(field);
  }
  return fields;
}
