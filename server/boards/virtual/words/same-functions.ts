import { type Literal, type LutGraph, tableOf } from './lut-graph.ts';
import type { Step, SumOfRows } from './sum-of-rows.ts';
import { type Cases, casesOfTable } from './table-cases.ts';
import { isExclusiveWith } from './table-classes.ts';

/** Maximum variables of which all cases are tried, parts on the way to these, and tables of a design in between. */
const MAX_VARIABLES = 14;
const MAX_PARTS = 32;
const MAX_TRIALS = 120;
const MAX_TABLES = 24;
/** Maximum words of cases in all proofs. A product of 32 by 32 bits takes up to two fifths. */
const MAX_WORK = 2 ** 25;
/** The table that is its only operand. */
const IDENTITY = 0x2;
/** Values of the first five variables in 32 cases. */
const PATTERNS = [0xaaaa_aaaa, 0xcccc_cccc, 0xf0f0_f0f0, 0xff00_ff00, 0xffff_0000];

/** A table of a design. */
interface Table extends Step {
  node: number;
}

/** An exclusive or of tables and of literals of a sum; that it is 0 is to be proven. */
interface Claim {
  /** What the tables need before them. */
  tables: Table[];
  roots: number[];
  terms: Literal[];
}

/** Which part of a sum is next replaced by what it is made of, and whether by what else it is made of. */
const CHOICES = [
  { choice: 'fewest', other: false },
  { choice: 'latest', other: false },
  { choice: 'unread', other: false },
  { choice: 'fewest', other: true },
] as const;
type Choice = (typeof CHOICES)[number]['choice'];

/**
 * Proves nodes of a design to be parts of a sum. Node and part are computed from other parts, in all cases. Where they
 * differ, some of these parts are replaced by what they are made of: so cases that cannot happen fall away.
 */
export class SameFunctions {
  readonly #graph: LutGraph;
  readonly #sum: SumOfRows;
  /** Nodes → the literals of the sum that they are proven to be. */
  readonly proven: Map<number, Literal>;
  #work = 0;

  constructor(graph: LutGraph, sum: SumOfRows) {
    this.#graph = graph;
    this.#sum = sum;
    this.proven = new Map(sum.leaves);
  }

  /** Proves a node to be one of these literals, if it can, and the others that it is as well to be the same. */
  prove(node: number, literals: readonly Literal[]): void {
    const [same, ...others] = literals.filter((literal) => this.#isSame(node, literal));
    if (same === undefined) return;
    this.proven.set(node, same);
    for (const other of others) this.#sum.merge(other, same);
  }

  #isSame(node: number, literal: Literal): boolean {
    const whole: Claim = { tables: [], roots: [node], terms: [literal] };
    this.#addTables(whole.tables, node);
    if (this.#isProven(whole)) return true;
    const rest = this.#withoutExclusiveOrs(node, literal);
    return rest.roots.length === 0 ? rest.terms.length === 0 : this.#isProven(rest);
  }

  /** Adds a node's table after those that it needs, down to what is proven. */
  #addTables(tables: Table[], node: number): void {
    const made = tableOf(this.#graph.nodes[node]);
    if (!made || tables.length > MAX_TABLES || tables.some((table) => table.node === node)) return;
    for (const literal of made.operands)
      if (!this.proven.has(literal >> 1)) this.#addTables(tables, literal >> 1);
    tables.push({ ...made, node });
  }

  #isProven(claim: Claim): boolean {
    if (claim.tables.length > MAX_TABLES) return false;
    const read = new Set<number>();
    for (const { operands } of claim.tables)
      for (const literal of operands) read.add((this.proven.get(literal >> 1) ?? 0) >> 1);
    return CHOICES.some(({ choice, other }) => {
      const stepOf = (number: number) => this.#sum.step(number, other);
      /** Parts that are computed from others, and those that take all values. */
      const computed = new Set<number>();
      const varied = new Set([...read, ...claim.terms.map((literal) => literal >> 1)]);
      varied.delete(0);
      for (let trial = 0; trial < MAX_TRIALS && varied.size <= MAX_PARTS; trial++) {
        if (varied.size <= MAX_VARIABLES && this.#isZero(claim, stepOf, [...varied], [...computed]))
          return true;
        const next = this.#next(choice, stepOf, varied, computed, read);
        if (next === null || this.#work > MAX_WORK) return false;
        varied.delete(next);
        computed.add(next);
        for (const literal of stepOf(next).operands)
          if (literal >= 2 && !computed.has(literal >> 1)) varied.add(literal >> 1);
      }
      return false;
    });
  }

  /** The part to replace next; null where only leaves are left. */
  #next(
    choice: Choice,
    stepOf: (number: number) => Step,
    varied: ReadonlySet<number>,
    computed: ReadonlySet<number>,
    read: ReadonlySet<number>,
  ): number | null {
    const made = [...varied].filter((part) => stepOf(part).operands.length > 0);
    const unread = made.filter((part) => !read.has(part));
    if (made.length === 0) return null;
    const costOf = (part: number): number => {
      if (choice === 'latest') return 0;
      if (choice === 'unread') return unread.length === 0 ? this.#sum.leavesOf(part) : read.has(part) ? 1 : 0;
      const isNew = (literal: Literal) => !varied.has(literal >> 1) && !computed.has(literal >> 1);
      return stepOf(part).operands.filter(isNew).length;
    };
    return made.reduce((best, part) => {
      const more = costOf(part) - costOf(best);
      return more < 0 || (more === 0 && part > best) ? part : best;
    });
  }

  /** The claim with exclusive ors taken apart, in the design and in the sum: equal terms cancel out. */
  #withoutExclusiveOrs(node: number, literal: Literal): Claim {
    const claim: Claim = { tables: [], roots: [], terms: [] };
    const terms = new Set<number>();
    let inverted = 0;
    const toggle = (term: Literal): void => {
      inverted ^= term & 1;
      if (term >= 2 && !terms.delete(term >> 1)) terms.add(term >> 1);
    };
    const take = (term: Literal): void => {
      const same = this.proven.get(term >> 1);
      if (same !== undefined) {
        toggle(same ^ (term & 1));
        return;
      }
      inverted ^= term & 1;
      const made = tableOf(this.#graph.nodes[term >> 1]);
      if (!made) throw new Error(`node ${term >> 1} is neither proven nor a table`);
      const { table, operands } = made;
      const isApart = operands.map((_, k) => isExclusiveWith(table, operands.length, k));
      for (const [k, operand] of operands.entries()) if (isApart[k]) take(operand);
      if (!isApart.includes(false)) {
        inverted ^= table & 1;
        return;
      }
      const rest = operands.map((operand, k) => (isApart[k] ? 0 : operand));
      for (const operand of rest)
        if (!this.proven.has(operand >> 1)) this.#addTables(claim.tables, operand >> 1);
      // A node of its own: other tables may need the whole one.
      const root = -1 - claim.roots.length;
      claim.tables.push({ node: root, table, operands: rest });
      claim.roots.push(root);
    };
    take(2 * node);
    toggle(literal);
    for (;;) {
      const latest = Math.max(-1, ...[...terms].filter((term) => this.#sum.isExclusiveOr(term)));
      if (latest < 0) break;
      terms.delete(latest);
      for (const operand of this.#sum.step(latest).operands) toggle(operand);
    }
    claim.terms = [...[...terms].map((term) => 2 * term), ...(inverted ? [1] : [])];
    return claim;
  }

  /** Whether a claim holds for all values of the varied parts. */
  #isZero(
    claim: Claim,
    stepOf: (number: number) => Step,
    varied: readonly number[],
    computed: readonly number[],
  ): boolean {
    const words = Math.max(1, 2 ** (varied.length - 5));
    this.#work += words * (claim.tables.length + computed.length);
    const parts = new Map<number, Cases>([[0, new Int32Array(words)]]);
    varied.forEach((part, k) => {
      const value = (_: unknown, word: number) => PATTERNS[k] ?? -((word >> (k - 5)) & 1);
      parts.set(part, Int32Array.from({ length: words }, value));
    });
    for (const part of [...computed].sort((x, y) => x - y)) {
      const { table, operands } = stepOf(part);
      parts.set(
        part,
        casesOfTable(table, operands, (operand) => parts.get(operand), words),
      );
    }
    const values = new Map<number, Cases>();
    const casesOf = (node: number) => {
      const same = this.proven.get(node);
      return same === undefined
        ? values.get(node)
        : casesOfTable(IDENTITY, [same], (part) => parts.get(part), words);
    };
    for (const { node, table, operands } of claim.tables)
      values.set(node, casesOfTable(table, operands, casesOf, words));
    const rest: Cases = new Int32Array(words);
    const toggle = (value: Cases | undefined) => {
      for (let word = 0; word < words; word++) rest[word] = (rest[word] ?? 0) ^ (value?.[word] ?? 0);
    };
    for (const root of claim.roots) toggle(values.get(root));
    for (const term of claim.terms) toggle(casesOfTable(IDENTITY, [term], (part) => parts.get(part), words));
    return rest.every((word) => word === 0);
  }
}
