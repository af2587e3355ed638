import type { Place } from '../graph/partition.ts';
import { lookUp, type Operations } from '../graph/truth-table.ts';
import { Arithmetic } from './arithmetic.ts';
import { BitMatrix } from './bit-matrix.ts';
import { coneAsWord } from './cone-word.ts';
import { Cones } from './cones.ts';
import type { Literal, LutGraph } from './lut-graph.ts';
import { type Location, Parts } from './parts.ts';
import { wordsOfProduct } from './product-words.ts';
import { type Product, productsOf } from './products.ts';
import { type Shift, shiftsOf } from './shifts.ts';
import { Sums } from './sums.ts';
import { symmetriesOf, widened, withInverted } from './table-classes.ts';
import type { Value, WordGraph } from './word-graph.ts';

/** An unused lane. */
export const ANY = -1;

/** Minimum lanes that are worth computing together. */
const WORTH = 3;
/** Minimum share of a vector's operands that continue those of the lane before. */
const REGULAR = 0.45;
/** Cost of a single look-up table of an exclusive or, and of a word of collected terms, in operations. */
const TABLE = 3;
const LAYER = 8;
const DEPTH = 60;
/** Readers of a bit from which on it chooses between words. */
const SELECTS = 8;
const WORD = 32;

/**
 * Finds word operations that compute many look-up tables at a time: tables of one class in different lanes, and adders.
 * A value is correct by its construction, lane by lane; similarity only guides the search.
 */
export class WordPlanner {
  readonly #graph: LutGraph;
  readonly #words: WordGraph;
  readonly #locations = new Map<number, Location>();
  readonly #plans = new Map<string, Value>();
  readonly #begun = new Set<number>();
  readonly #sums: Sums;
  readonly #cones: Cones;

  /**
   * @param placeOf place of a leaf by its source
   * @param bitsOf bits of a word that are in use
   */
  constructor(
    graph: LutGraph,
    words: WordGraph,
    placeOf: (source: number) => Place | null,
    bitsOf: (word: number) => number,
  ) {
    this.#graph = graph;
    this.#words = words;
    this.#sums = new Sums(graph);
    this.#cones = new Cones(graph, (node) => this.#locations.get(node));
    graph.nodes.forEach((node, index) => {
      const place = node.kind === 'leaf' ? placeOf(node.source) : null;
      if (place)
        this.#locations.set(index, {
          value: words.load(place.word, bitsOf(place.word)),
          lane: place.bit,
        });
    });
    new Arithmetic(graph, words, this.#locations, {
      laneOf: (chain) => this.#laneOf(chain),
      plan: (lanes) => this.plan(lanes),
    }).find();
    for (const product of productsOf(graph)) this.#placeProduct(product);
    for (const shift of shiftsOf(graph, (node) => this.#laneNear(node))) this.#placeShift(shift);
  }

  locationOf(node: number): Location | undefined {
    return this.#locations.get(node);
  }

  /** A value whose bit 0 is the literal. */
  bit(literal: Literal): Value {
    const words = this.#words;
    if (literal < 2) return literal ? words.high : words.low;
    const node = words.scalar(literal >> 1);
    return literal & 1 ? words.not(node) : node;
  }

  /** A single node, from single operands. */
  apart(node: number): Value {
    const words = this.#words;
    const lut = this.#graph.nodes[node];
    if (lut?.kind === 'carry') {
      const [a, b, c] = lut.operands.map((literal) => this.bit(literal));
      return words.majority(a ?? 0, b ?? 0, c ?? 0);
    }
    if (lut?.kind !== 'lut') return words.low;
    let inverted = 0;
    const operands = lut.operands.map((literal, k) => {
      inverted |= (literal & 1) << k;
      return words.scalar(literal >> 1);
    });
    return this.#lookUp(withInverted(lut.table, operands.length, inverted), operands);
  }

  /** The literals as a word that is 0 in all other lanes. */
  exact(lanes: readonly Literal[]): Value {
    return this.#words.and(this.plan(lanes), this.#words.constant(maskOf(lanes)));
  }

  /** The literals as a word; lanes with ANY are undefined. */
  plan(lanes: readonly Literal[], depth = DEPTH): Value {
    const key = lanes.join();
    const known = this.#plans.get(key);
    if (known !== undefined) return known;
    const value = this.#plan(lanes, depth);
    this.#plans.set(key, value);
    return value;
  }

  #plan(lanes: readonly Literal[], depth: number): Value {
    const words = this.#words;
    const parts = new Parts(words);
    let flips = 0;
    const counts = new Map<number, number>();
    for (const literal of lanes)
      if (literal >= 2) {
        this.#findAdder(literal >> 1);
        counts.set(literal >> 1, (counts.get(literal >> 1) ?? 0) + 1);
      }
    const classes = new Map<string, number[]>();
    const sum = depth > 0 ? this.#sum(lanes, depth - 1) : null;
    if (depth > 0)
      this.#findCones(
        lanes.map((literal, lane) => {
          const apart = (counts.get(literal >> 1) ?? 0) < WORTH && !this.#locations.has(literal >> 1);
          return apart && (sum === null || !((sum.mask >> lane) & 1)) ? literal : ANY;
        }),
        depth - 1,
      );
    lanes.forEach((literal, lane) => {
      if (literal === ANY) return;
      if (literal < 2) {
        parts.constant(lane, literal);
        return;
      }
      if (literal & 1) flips |= 1 << lane;
      const node = literal >> 1;
      const location = this.#locations.get(node);
      if (location) parts.move(location, lane);
      else if (sum !== null && (sum.mask >> lane) & 1) parts.add(sum.value, lane);
      else if ((counts.get(node) ?? 0) >= WORTH) parts.move({ value: words.scalar(node), lane: 0 }, lane);
      else {
        const lut = this.#graph.nodes[node];
        const kind = lut?.kind === 'lut' ? `${lut.operands.length} ${lut.table}` : 'carry';
        const known = classes.get(kind);
        if (known) known.push(lane);
        else classes.set(kind, [lane]);
      }
    });
    for (const members of classes.values()) {
      const vector = members.length >= WORTH && depth > 0 ? this.#vector(lanes, members, depth - 1) : null;
      for (const lane of members)
        if (vector !== null) parts.add(vector, lane);
        else parts.single(words.scalar((lanes[lane] ?? 0) >> 1), lane);
    }
    const live = maskOf(lanes);
    return words.xor(
      parts.joined(live),
      words.constant(flips === (live & ~parts.constants) ? ~parts.constants : flips),
    );
  }

  /** Computes bits that are those of a word, moved by a distance that other bits decide. */
  #placeShift({ bits, data, distance, isRight, fill: literal }: Shift): void {
    const words = this.#words;
    const fill = literal < 2 ? words.constant(-literal) : words.spread(this.bit(literal), 0);
    // What comes in is 0 where its value is taken off before, and put on again.
    const inside = words.constant(maskOf(data));
    const from = words.and(words.xor(this.plan(data), fill), inside);
    const by = this.exact(distance);
    const value = words.xor(isRight ? words.shrU(from, by) : words.shl(from, by), fill);
    for (const { literal: bit, lane } of bits)
      this.#locations.set(bit >> 1, { value: bit & 1 ? words.not(value) : value, lane });
  }

  /** Computes bits that are those of a product, with other numbers added. */
  #placeProduct(product: Product): void {
    const words = this.#words;
    const halves = wordsOfProduct(words, (literals) => this.exact(literals), product);
    for (const { literal, position } of product.bits) {
      const half = halves[position >> 5] ?? words.low;
      const value = literal & 1 ? words.not(half) : half;
      this.#locations.set(literal >> 1, { value, lane: position & (WORD - 1) });
    }
  }

  /** A lane near which a node belongs: its own, or that of something that it reads; -1 where that is unknown. */
  #laneNear(node: number, depth = 3): number {
    const location = this.#locations.get(node);
    if (location) return location.lane;
    const lut = this.#graph.nodes[node];
    if (lut?.kind !== 'lut' || depth === 0) return -1;
    // What many tables read is no bit of a word.
    for (const literal of lut.operands) {
      const lane =
        this.#graph.readersOf(literal >> 1).length > SELECTS ? -1 : this.#laneNear(literal >> 1, depth - 1);
      if (lane >= 0) return lane;
    }
    return -1;
  }

  /** Finds lanes of the same function, and computes them together. */
  #findCones(lanes: readonly Literal[], depth: number): void {
    for (const group of this.#cones.groups(lanes)) {
      const plan = (literalOf: (lane: number) => Literal) => {
        const wanted: Literal[] = new Array(lanes.length).fill(ANY);
        for (const lane of group.lanes) wanted[lane] = literalOf(lane);
        return this.plan(wanted, depth);
      };
      const flips = group.lanes.reduce((mask, lane) => mask | (((lanes[lane] ?? 0) & 1) << lane), 0);
      const value = this.#words.xor(
        coneAsWord(this.#graph, this.#words, group, plan),
        this.#words.constant(flips),
      );
      for (const lane of group.lanes) {
        const node = (lanes[lane] ?? 0) >> 1;
        if (!this.#locations.has(node)) this.#locations.set(node, { value, lane });
      }
    }
  }

  /**
   * Exclusive ors over several look-up tables as a word, with the lanes in which it is right. Null where that does not
   * pay.
   */
  #sum(lanes: readonly Literal[], depth: number): { value: Value; mask: number } | null {
    const words = this.#words;
    const matrix = new BitMatrix(words);
    const inside = new Set<number>();
    /** Terms without a location, and their lanes. */
    const others = new Map<number, number>();
    let [mask, flips] = [0, 0];
    lanes.forEach((literal, lane) => {
      const node = literal >> 1;
      const sum = literal < 2 || this.#locations.has(node) ? null : this.#sums.of(node);
      if (!sum) return;
      mask |= 1 << lane;
      flips |= sum.inverted << lane;
      this.#sums.inside(node, inside);
      for (const term of sum.terms) {
        const location = this.#locations.get(term);
        if (location) matrix.toggle(location.value, location.lane, lane);
        else others.set(term, (others.get(term) ?? 0) ^ (1 << lane));
      }
    });
    /** Terms of one lane each. */
    const layers: Literal[][] = [];
    let apart = 0;
    for (const [term, into] of others)
      if ((into & (into - 1)) === 0) {
        const lane = 31 - Math.clz32(into);
        let layer = layers.find((one) => one[lane] === ANY);
        if (!layer) {
          layer = new Array<Literal>(lanes.length).fill(ANY);
          layers.push(layer);
        }
        layer[lane] = 2 * term;
      } else {
        apart++;
        for (let rest = into; rest !== 0; rest &= rest - 1)
          matrix.toggle(words.scalar(term), 0, 31 - Math.clz32(rest & -rest));
      }
    if (matrix.cost + LAYER * layers.length + apart >= TABLE * inside.size) return null;
    const value = layers.reduce((sum, layer) => {
      const terms = words.and(this.plan(layer, depth), words.constant(maskOf(layer)));
      return words.xor(sum, terms);
    }, matrix.joined(mask));
    return { value: words.xor(value, words.constant(flips)), mask };
  }

  /** Tables of one class in several lanes as operations on whole words; null where their operands have no order. */
  #vector(lanes: readonly Literal[], members: readonly number[], depth: number): Value | null {
    const nodes = members.map((lane) => (lanes[lane] ?? 0) >> 1);
    const first = this.#graph.nodes[nodes[0] ?? 0];
    if (first?.kind !== 'lut') return null;
    const { table } = first;
    const inputs = first.operands.length;
    const chosen: Literal[][] = [];
    let regular = 0;
    /** The last lane that continued another one. */
    let anchor = 0;
    nodes.forEach((index, k) => {
      const node = this.#graph.nodes[index];
      if (node?.kind !== 'lut') return;
      let best: Literal[] = [...node.operands];
      let bestFits: number[] = [];
      let bestSum = 0;
      for (const { order, inverted } of symmetriesOf(table, inputs)) {
        const operands = order.map((from, to) => (node.operands[from] ?? 0) ^ ((inverted >> to) & 1));
        for (const reference of k === 0 ? [] : new Set([k - 1, anchor])) {
          const gap = (members[k] ?? 0) - (members[reference] ?? 0);
          const before = chosen[reference] ?? [];
          const fits = operands.map((literal, slot) => this.#fit(literal, before[slot] ?? 0, gap));
          const sum = fits.reduce((total, one) => total + one, 0);
          if (sum <= bestSum) continue;
          best = operands;
          bestFits = fits;
          bestSum = sum;
        }
      }
      const continued = bestFits.filter((fit) => fit >= 2).length;
      regular += continued;
      if (continued * 2 > inputs) anchor = k;
      chosen.push(best);
    });
    if (regular < REGULAR * inputs * (nodes.length - 1)) return null;
    let inverted = 0;
    const operands = Array.from({ length: inputs }, (_, slot) => {
      const wanted: Literal[] = new Array(lanes.length).fill(ANY);
      members.forEach((lane, k) => {
        wanted[lane] = chosen[k]?.[slot] ?? 0;
      });
      const odd = wanted.filter((literal) => literal >= 2 && literal & 1).length;
      // An input that is inverted in most lanes is inverted in the table.
      if (odd * 2 <= members.length) return this.plan(wanted, depth);
      inverted |= 1 << slot;
      return this.plan(
        wanted.map((literal) => (literal === ANY ? ANY : literal ^ 1)),
        depth,
      );
    });
    const value = this.#lookUp(withInverted(table, inputs, inverted), operands);
    members.forEach((lane, k) => {
      const node = nodes[k] ?? 0;
      if (!this.#locations.has(node)) this.#locations.set(node, { value, lane });
    });
    return value;
  }

  /** How well a literal continues a literal `gap` lanes before. */
  #fit(literal: Literal, before: Literal, gap: number): number {
    const [x, y] = [literal >> 1, before >> 1];
    const same = (literal & 1) === (before & 1) ? 0.5 : 0;
    if (x === y) return 4 + same;
    const [p, q] = [this.#locations.get(x), this.#locations.get(y)];
    if (p && q) {
      if (p.lane - q.lane !== gap) return p.value === q.value ? 1 : 0;
      return (p.value === q.value ? 4 : 2) + same;
    }
    const [a, b] = [this.#graph.nodes[x], this.#graph.nodes[y]];
    if (a?.kind === 'carry' && b?.kind === 'carry')
      return a.chain >= 0 && a.chain === b.chain && a.position - b.position === gap ? 4 : 0;
    if (a?.kind === 'lut' && b?.kind === 'lut' && !p && !q) return a.table === b.table ? 3 + same : 0.5;
    return 0;
  }

  #lookUp(table: number, operands: readonly Value[]): Value {
    return lookUp(this.#words satisfies Operations, widened(table, operands.length), operands);
  }

  /** Plans the adder that contains a carry. */
  #findAdder(node: number): void {
    const carry = this.#graph.nodes[node];
    if (carry?.kind !== 'carry' || carry.chain < 0 || this.#begun.has(carry.chain)) return;
    this.#begun.add(carry.chain);
    const chain = this.#graph.chains[carry.chain] ?? [];
    const start = this.#laneOf(chain);
    for (let at = 0; at < chain.length; ) {
      const lane = at === 0 ? start : 0;
      const length = Math.min(chain.length - at, WORD - lane);
      this.#adder(chain.slice(at, at + length), lane);
      at += length;
    }
  }

  /** The lane for the lowest bit of an adder in which most of its operands need no move. */
  #laneOf(chain: readonly number[]): number {
    const votes = new Map<number, number>();
    chain.forEach((node, position) => {
      const carry = this.#graph.nodes[node];
      if (carry?.kind !== 'carry') return;
      const sources = carry.operands.slice(0, 2).flatMap((literal) => {
        const operand = this.#graph.nodes[literal >> 1];
        return operand?.kind === 'lut' ? [literal, ...operand.operands] : [literal];
      });
      for (const literal of sources) {
        const location = this.#locations.get(literal >> 1);
        const lane = location ? location.lane - position : -1;
        if (lane >= 0) votes.set(lane, (votes.get(lane) ?? 0) + 1);
      }
    });
    let best = 0;
    for (const [lane, count] of votes) if (count > (votes.get(best) ?? 0)) best = lane;
    return best;
  }

  /**
   * The carries of an adder from its sum: a carry enters a bit where the sum differs from the exclusive or of the
   * operands.
   */
  #adder(carries: readonly number[], start: number): void {
    const words = this.#words;
    const a: Literal[] = new Array(WORD).fill(ANY);
    const b: Literal[] = new Array(WORD).fill(ANY);
    let before: [Literal, Literal] | null = null;
    let carryIn: Literal = 0;
    carries.forEach((node, k) => {
      const carry = this.#graph.nodes[node];
      if (carry?.kind !== 'carry') return;
      let [x, y] = carry.operands;
      if (before) {
        const straight = this.#fit(x, before[0], 1) + this.#fit(y, before[1], 1);
        const crossed = this.#fit(y, before[0], 1) + this.#fit(x, before[1], 1);
        if (crossed > straight) [x, y] = [y, x];
      } else carryIn = carry.operands[2];
      before = [x, y];
      a[start + k] = x;
      b[start + k] = y;
    });
    const [p, q] = [this.exact(a), this.exact(b)];
    const first = words.shl(words.and(this.bit(carryIn), words.constant(1)), words.constant(start));
    const sum = words.add(words.add(p, q), first);
    const into = words.xor(words.xor(p, q), sum);
    carries.forEach((node, k) => {
      if (this.#locations.has(node)) return;
      const lane = start + k + 1;
      // No bit above the highest one could receive its carry.
      this.#locations.set(
        node,
        lane < WORD ? { value: into, lane } : { value: words.majority(p, q, into), lane: WORD - 1 },
      );
    });
  }
}

function maskOf(lanes: readonly Literal[]): number {
  let mask = 0;
  lanes.forEach((literal, lane) => {
    if (literal !== ANY) mask |= 1 << lane;
  });
  return mask;
}
