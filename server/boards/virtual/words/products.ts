import { cofactor } from '../graph/truth-table.ts';
import { type Literal, type LutGraph, tableOf } from './lut-graph.ts';
import { SameFunctions } from './same-functions.ts';
import { type SumForm, SumOfRows } from './sum-of-rows.ts';
import { type Cases, casesOfTable, signatureOf } from './table-cases.ts';
import { isExclusiveWith, widened } from './table-classes.ts';

/** Limits of the logic in front of a chain of carries, and minimum tables in it for each carry. */
const MAX_TABLES = 8000;
const MAX_LEAVES = 144;
const TABLES = 2;
/** Maximum bits of two factors, and of what is added below the chain. */
const MAX_SILENT = 80;
/** Cases that fit one word, with one that is 0. */
const FEW = 31;
/** Minimum bits of a factor. */
const LEAST = 3;
/** Readers of a node from which on it may be a bit of a factor. */
const READERS = 5;
/** Words of random cases: 32 in each. */
const WORDS = 16;
/** Maximum parts of a sum with which a node is compared. */
const MAX_SAME = 4;
/** Share of nodes that equal a part of a sum in these cases, from which on no other sum is tried. */
const ENOUGH = 0.9;

/** Bits that are those of a product with other numbers added, modulo 2^width. */
export interface Product extends SumForm {
  /** Literals with their positions in the number. */
  bits: readonly { literal: Literal; position: number }[];
}

/**
 * Finds products of two variable numbers. Synthesis adds a row for each bit of a factor: full adders bring them to two
 * before a chain of carries. Then it merges their tables. Values of single bits and of pairs tell what a chain may
 * compute. The same sum is built again, and each table of the design is proven equal to a part of it.
 */
export function productsOf(graph: LutGraph): Product[] {
  const products: Product[] = [];
  const taken = new Set<number>();
  // The factors are bits of the state, or what many tables read.
  for (const chain of graph.chains)
    for (const readers of [Number.POSITIVE_INFINITY, READERS]) {
      const form = formOf(graph, chain, (node) => graph.readersOf(node).length >= readers);
      if (!form) continue;
      const bits = provenBits(graph, form).filter(({ literal }) => !taken.has(literal >> 1));
      const found = new Set(bits.map(({ literal }) => literal >> 1));
      // With a single bit missing, all the logic would stay.
      if (!sumsOf(graph, chain).every((node) => found.has(node))) continue;
      for (const node of found) taken.add(node);
      products.push({ ...form, bits });
      break;
    }
  return products;
}

/** The tables with the bits of what a chain adds. */
function sumsOf(graph: LutGraph, chain: readonly number[]): number[] {
  const sums = chain.flatMap((member) => {
    const carry = graph.nodes[member];
    const sum = carry?.kind === 'carry' ? graph.exclusiveOr(carry.operands) : undefined;
    return sum === undefined ? [] : [sum >> 1];
  });
  return [...sums, ...highestOf(graph, chain)];
}

/** The table with the highest bit, an exclusive or with the last carry; empty where there is none. */
function highestOf(graph: LutGraph, chain: readonly number[]): number[] {
  const last = chain.at(-1) ?? 0;
  const isHighest = (reader: number) => {
    const { table, operands } = tableOf(graph.nodes[reader]) ?? { table: 0, operands: [] };
    return operands.some((literal, k) => literal >> 1 === last && isExclusiveWith(table, operands.length, k));
  };
  return graph.readersOf(last).filter(isHighest).slice(0, 1);
}

/** Tables, operands first, and what they depend on. */
interface Cone {
  tables: readonly number[];
  leaves: readonly number[];
}

/** What these nodes depend on; null where that is too much or too little. */
function coneOf(graph: LutGraph, roots: readonly number[], isEnd: (node: number) => boolean): Cone | null {
  const tables: number[] = [];
  const leaves: number[] = [];
  const seen = new Set([0]);
  const stack = [...roots];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    const made = tableOf(graph.nodes[node]);
    if (made && !isEnd(node)) {
      tables.push(node);
      for (const literal of made.operands) stack.push(literal >> 1);
    } else leaves.push(node);
    if (leaves.length > MAX_LEAVES || tables.length > MAX_TABLES) return null;
  }
  return { tables: tables.sort((x, y) => x - y), leaves };
}

/** A weight with its sign, as far as the bits of a chain show it. */
interface Weight {
  position: number;
  isNegative: boolean;
}

/** Where only some leaves of a chain are 1: the weight of its sum, null for 0, undefined for what is no weight. */
type WeightsOf = (cases: readonly (readonly number[])[]) => (Weight | null | undefined)[];

/**
 * What a chain seems to compute.
 * @param isEnd nodes that are taken for leaves
 */
function formOf(graph: LutGraph, chain: readonly number[], isEnd: (node: number) => boolean): SumForm | null {
  const highest = highestOf(graph, chain);
  const cone = coneOf(graph, [...chain.slice(-1), ...highest], isEnd);
  if (!cone || cone.tables.length < (1 + TABLES) * chain.length) return null;
  const { leaves } = cone;
  const inverted = invertedIn(graph, cone);
  const weightsOf = weightsIn(graph, chain, highest, cone, inverted);
  // Most chains are no products: few cases show that.
  const alone = leaves.map((leaf) => [leaf]);
  if (weightsOf(alone.slice(0, FEW)).includes(undefined)) return null;
  const single = weightsOf(alone);
  if (single.includes(undefined)) return null;
  const silent = leaves.filter((_, k) => single[k] === null);
  if (silent.length < 2 * LEAST || silent.length > MAX_SILENT) return null;
  const pairs = silent.flatMap((x, k) => silent.slice(k + 1).map((y): [number, number] => [x, y]));
  const double = weightsOf(pairs);
  if (double.includes(undefined)) return null;
  /** Leaf → its partners, with the weights of their products. */
  const partners = new Map<number, Map<number, Weight>>();
  const join = (x: number, y: number, weight: Weight) =>
    partners.set(x, (partners.get(x) ?? new Map()).set(y, weight));
  pairs.forEach(([x, y], k) => {
    const weight = double[k];
    if (!weight) return;
    join(x, y, weight);
    join(y, x, weight);
  });
  const factors = factorsOf(partners);
  if (!factors) return null;
  const { a, b, dropped, isSigned } = factors;
  const width = dropped + chain.length + highest.length;
  const literalOf = (leaf: number): Literal => 2 * leaf + (inverted.has(leaf) ? 1 : 0);
  const addends: Literal[][] = [];
  const place = (leaf: number, from: number, to: number) => {
    const isFree = (addend: readonly Literal[]) => addend.slice(from, to).every((literal) => literal === 0);
    const addend = addends.find(isFree) ?? new Array<Literal>(width).fill(0);
    if (!addends.includes(addend)) addends.push(addend);
    addend.fill(literalOf(leaf), from, to);
  };
  leaves.forEach((leaf, k) => {
    const weight = single[k];
    if (!weight) return;
    const from = weight.position + dropped;
    // A sign is in all bits from its own on.
    place(leaf, from, weight.isNegative ? width : from + 1);
  });
  // A bit that is added below the chain is where it makes a carry with all bits from there on.
  const low = silent.filter((leaf) => !partners.has(leaf));
  for (const leaf of low) {
    const carries = weightsOf(
      b.slice(0, dropped).map((_, from) => [leaf, a[0] ?? 0, ...b.slice(from, dropped)]),
    );
    const position = carries.findLastIndex((weight) => weight !== null);
    if (position < 0) return null;
    place(leaf, position, position + 1);
  }
  return { a: a.map(literalOf), b: b.map(literalOf), isSigned, addends, width };
}

/** The leaves of which the complement is a bit of a factor: most products with other leaves are of this complement. */
function invertedIn(graph: LutGraph, { tables, leaves }: Cone): Set<number> {
  const votes = new Map(leaves.map((leaf) => [leaf, 0]));
  const vote = (literal: Literal, value: number) =>
    votes.set(literal >> 1, (votes.get(literal >> 1) ?? 0) + (value ^ (literal & 1) ? 1 : -1));
  for (const node of tables) {
    const { table, operands } = tableOf(graph.nodes[node]) ?? { table: 0, operands: [] };
    const wide = widened(table, operands.length);
    for (const [i, x] of operands.entries())
      for (const [j, y] of operands.entries()) {
        if (i >= j || !votes.has(x >> 1) || !votes.has(y >> 1)) continue;
        const rests = [0, 1, 2, 3].map((both) => cofactor(cofactor(wide, i, both & 1), j, both >> 1));
        // Only one of the four cases of a product differs from the others.
        const high = rests.findIndex((rest) => rests.filter((other) => other === rest).length === 1);
        if (high < 0 || new Set(rests).size > 2) continue;
        vote(x, high & 1);
        vote(y, high >> 1);
      }
  }
  return new Set(leaves.filter((leaf) => (votes.get(leaf) ?? 0) < 0));
}

/** Evaluates a chain, with its highest bit, where it is 0 if all leaves are. */
function weightsIn(
  graph: LutGraph,
  chain: readonly number[],
  highest: readonly number[],
  { tables, leaves }: Cone,
  inverted: ReadonlySet<number>,
): WeightsOf {
  return (ones) => {
    // The last case: no leaf is 1.
    const cases = [...ones, []];
    const words = Math.ceil(cases.length / 32);
    const values = new Map<number, Cases>(
      [0, ...leaves].map((leaf) => [leaf, new Int32Array(words).fill(inverted.has(leaf) ? -1 : 0)]),
    );
    cases.forEach((high, k) => {
      for (const leaf of high) {
        const value = values.get(leaf);
        if (value) value[k >> 5] = (value[k >> 5] ?? 0) ^ (1 << (k & 31));
      }
    });
    const isOne = (value: Cases | undefined, k: number) => ((value?.[k >> 5] ?? 0) >> (k & 31)) & 1;
    for (const node of tables) {
      const { table, operands } = tableOf(graph.nodes[node]) ?? { table: 0, operands: [] };
      values.set(
        node,
        casesOfTable(table, operands, (operand) => values.get(operand), words),
      );
    }
    const bitOf = (member: number, k: number) =>
      (tableOf(graph.nodes[member])?.operands ?? []).reduce(
        (odd, literal) => odd ^ isOne(values.get(literal >> 1), k) ^ (literal & 1),
        0,
      );
    const bitsOf = (k: number) => [
      ...chain.map((member) => bitOf(member, k)),
      // This table may have the complement.
      ...highest.map((node) => isOne(values.get(node), k) ^ isOne(values.get(node), ones.length)),
    ];
    if (bitsOf(ones.length).includes(1)) return ones.map(() => undefined);
    return ones.map((_, k) => {
      const bits = bitsOf(k);
      const position = bits.indexOf(1);
      if (position < 0) return null;
      const isNegative = !bits.includes(0, position) && position < bits.length - 1;
      return isNegative || !bits.includes(1, position + 1) ? { position, isNegative } : undefined;
    });
  };
}

/** The two factors, with their bits in order, from the weights of products of their bits; null where there are none. */
function factorsOf(
  partners: ReadonlyMap<number, ReadonlyMap<number, Weight>>,
): { a: number[]; b: number[]; dropped: number; isSigned: boolean } | null {
  /** Leaf → which factor it is in, and its position from some bit on. */
  const places = new Map<number, { side: number; at: number }>();
  const [first] = partners.keys();
  if (first === undefined) return null;
  places.set(first, { side: 0, at: 0 });
  let isSigned = false;
  // The map grows meanwhile: all leaves that products join with the first one.
  for (const [leaf, { side, at }] of places)
    for (const [other, { position, isNegative }] of partners.get(leaf) ?? []) {
      isSigned ||= isNegative;
      const known = places.get(other);
      if (!known) places.set(other, { side: 1 - side, at: position - at });
      else if (known.side === side || known.at !== position - at) return null;
    }
  if (places.size < partners.size) return null;
  let dropped = 0;
  const [a = [], b = []] = [0, 1].map((side) => {
    const own = [...places].filter(([, place]) => place.side === side).sort(([, x], [, y]) => x.at - y.at);
    const least = own[0]?.[1].at ?? 0;
    dropped -= least;
    return own.every(([, { at }], k) => at === least + k) ? own.map(([leaf]) => leaf) : [];
  });
  return a.length < LEAST || b.length < LEAST || dropped < 0 ? null : { a, b, dropped, isSigned };
}

/** The bits of a number that are proven. */
function provenBits(graph: LutGraph, form: SumForm): { literal: Literal; position: number }[] {
  const { values, inside } = randomCases(graph, form);
  let best: { sum: SumOfRows; found: Map<number, Literal[]> } | null = null;
  for (const sum of sumsLike(form)) {
    const known = sum.signatures(WORDS, (node) => values.get(node));
    const found = new Map<number, Literal[]>();
    for (const node of inside) {
      const { signature, inverted } = signatureOf(values.get(node) ?? new Int32Array(WORDS));
      const same = known.get(signature);
      if (same)
        found.set(
          node,
          same.slice(0, MAX_SAME).map((literal) => literal ^ inverted),
        );
    }
    if (!best || found.size > best.found.size) best = { sum, found };
    if (found.size > ENOUGH * inside.length) break;
  }
  if (!best) return [];
  const { sum, found } = best;
  const functions = new SameFunctions(graph, sum);
  for (const [node, literals] of found) functions.prove(node, literals);
  const bits = new Map(sum.bits.map((literal, position) => [literal >> 1, { literal, position }]));
  return [...functions.proven].flatMap(([node, proven]) => {
    const same = sum.sameAs(proven);
    const bit = bits.get(same >> 1);
    const isTable = graph.nodes[node]?.kind === 'lut';
    return bit && isTable ? [{ literal: 2 * node + ((same ^ bit.literal) & 1), position: bit.position }] : [];
  });
}

/** Random values of what a form reads, and of all tables that depend on nothing else. */
function randomCases(
  graph: LutGraph,
  { a, b, addends }: SumForm,
): { values: Map<number, Cases>; inside: number[] } {
  let seed = 0x9e37_79b9;
  const random = () => {
    seed ^= seed << 13;
    seed ^= seed >>> 17;
    seed ^= seed << 5;
    return seed;
  };
  // In some cases most bits are 1, so that carries go far; in some most are 0.
  const word = (_: unknown, k: number) => {
    if (k % 4 === 1) return random() | random() | random();
    return k % 4 === 3 ? random() & random() & random() : random();
  };
  const values = new Map<number, Cases>([[0, new Int32Array(WORDS)]]);
  for (const literal of [a, b, ...addends].flat())
    if (!values.has(literal >> 1)) values.set(literal >> 1, Int32Array.from({ length: WORDS }, word));
  const inside: number[] = [];
  graph.nodes.forEach((node, index) => {
    const made = tableOf(node);
    if (!made || values.has(index) || !made.operands.every((literal) => values.has(literal >> 1))) return;
    values.set(
      index,
      casesOfTable(made.table, made.operands, (operand) => values.get(operand), WORDS),
    );
    inside.push(index);
  });
  return { values, inside };
}

/** Sums that synthesis may build of a form: which factor makes the rows, and which row is first. */
function* sumsLike(form: SumForm): Generator<SumOfRows> {
  // The lower half of a product does not show signs.
  for (const isSigned of form.isSigned ? [true] : [false, true])
    for (const isReversed of [true, false])
      for (const [a, b] of [
        [form.a, form.b],
        [form.b, form.a],
      ] as const)
        yield new SumOfRows({ ...form, a, b, isSigned }, isReversed);
}
