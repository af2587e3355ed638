import type { Literal } from './lut-graph.ts';
import { type Cases, casesOfTable, signatureOf } from './table-cases.ts';

/** Tables of one, two and three operands. */
const SAME = 0x2;
const AND = 0x8;
const EXCLUSIVE_OR = 0x6;
const EXCLUSIVE_OR_OF_THREE = 0x96;
const MAJORITY = 0xe8;

/** A table in a sum; leaves have no operands. */
export interface Step {
  table: number;
  operands: readonly Literal[];
}

/** A product with other numbers added. */
export interface SumForm {
  /** The factors, lowest bits first, with their sign bits last if `isSigned`. */
  a: readonly Literal[];
  b: readonly Literal[];
  isSigned: boolean;
  /** A literal for each bit of the number. */
  addends: readonly (readonly Literal[])[];
  width: number;
}

/**
 * The product of two numbers, plus others, as synthesis builds it: a row for each bit of the second factor, and full
 * adders that make two rows of three, until a chain of carries adds the last two. It is right by its construction; that
 * a design does the same has to be proven.
 */
export class SumOfRows {
  /** Nodes of the design → literals of this sum. */
  readonly leaves = new Map<number, Literal>([[0, 0]]);
  readonly #width: number;
  /** Operands come before their users; 0 is the constant. */
  readonly #steps: Step[] = [{ table: 0, operands: [] }];
  readonly #numbers = new Map<string, number>();
  /** Other ways to compute a step. */
  readonly #others = new Map<number, Step>();
  readonly #supports: ReadonlySet<number>[] = [];
  readonly #bits: Literal[];

  /** @param isReversed whether the last row is added first */
  constructor({ a, b, isSigned, addends, width }: SumForm, isReversed: boolean) {
    this.#width = width;
    const positions = Array.from({ length: width }, (_, position) => position);
    const columns: Literal[][] = positions.map(() => []);
    const put = (position: number, literal: Literal) => columns[position]?.push(literal);
    for (const addend of addends)
      addend.forEach((literal, position) => {
        if (literal !== 0) put(position, this.#leaf(literal));
      });
    const [bits, rows] = [a, b].map((factor) => factor.map((literal) => this.#leaf(literal)));
    const sign = isSigned ? (bits?.at(-1) ?? 0) : 0;
    // The row of a sign counts negative: it is its complement, plus one.
    const isNegative = (row: number) => isSigned && row === b.length - 1;
    rows?.forEach((bit, row) => {
      if (isNegative(row)) put(row, bit);
    });
    rows?.forEach((bit, row) => {
      for (const position of positions) {
        const other = (bits?.[position - row] ?? sign) ^ (isNegative(row) ? 1 : 0);
        put(position, position < row ? 0 : this.#table(AND, [other, bit]));
      }
    });
    if (isReversed) for (const column of columns) column.reverse();
    this.#bits = this.#added(columns);
  }

  /** The bits of the number, the lowest first. */
  get bits(): Literal[] {
    return this.#bits.map((literal) => this.sameAs(literal));
  }

  /** How a step is computed. @param other in another way, where one is known */
  step(number: number, other = false): Step {
    const usual = this.#steps[number] ?? { table: 0, operands: [] };
    return other ? (this.#others.get(number) ?? usual) : usual;
  }

  /** Whether a step is an exclusive or, or another step by itself. */
  isExclusiveOr(step: number): boolean {
    return [SAME, EXCLUSIVE_OR, EXCLUSIVE_OR_OF_THREE].includes(this.step(step).table);
  }

  /** Makes a literal another one, which is proven to be the same and comes earlier. */
  merge(literal: Literal, same: Literal): void {
    const step = this.step(literal >> 1);
    if (((literal ^ same) & 1) === 0 && step.operands.every((operand) => operand >> 1 < same >> 1))
      this.#others.set(same >> 1, step);
    this.#steps[literal >> 1] = { table: SAME, operands: [same ^ (literal & 1)] };
  }

  /** The literal, or the one that it was made. */
  sameAs(literal: Literal): Literal {
    const { table, operands } = this.step(literal >> 1);
    return table === SAME ? this.sameAs(operands[0] ?? 0) ^ (literal & 1) : literal;
  }

  /** How many leaves a step depends on. */
  leavesOf(step: number): number {
    for (let next = this.#supports.length; next <= step; next++) {
      const { operands } = this.step(next);
      const support = operands.flatMap((literal) => [...(this.#supports[literal >> 1] ?? [])]);
      this.#supports.push(new Set(operands.length === 0 ? [next] : support));
    }
    return this.#supports[step]?.size ?? 0;
  }

  /** Literals by their signatures in these cases of the leaves. */
  signatures(words: number, casesOf: (node: number) => Cases | undefined): Map<string, Literal[]> {
    const values: (Cases | undefined)[] = [];
    for (const [node, literal] of this.leaves) values[literal >> 1] = casesOf(node);
    const known = new Map<string, Literal[]>();
    this.#steps.forEach(({ table, operands }, number) => {
      const value = values[number] ?? casesOfTable(table, operands, (operand) => values[operand], words);
      values[number] = value;
      const { signature, inverted } = signatureOf(value);
      const same = known.get(signature);
      if (same) same.push(2 * number + inverted);
      else known.set(signature, [2 * number + inverted]);
    });
    return known;
  }

  /** The sum of columns. Their order decides which bits a full adder gets. */
  #added(columns: readonly Literal[][]): Literal[] {
    /** Rows with a bit of each column. */
    let rows: Literal[][] = [];
    /** Bits that enter at the lowest end of a row of carries, where no carry is. */
    const fillers: Literal[] = [];
    while (columns.some((column) => column.length > 0)) {
      rows.push(columns.map((column) => column.shift() ?? 0));
      // Each row but two will be the third of full adders, and leave a place.
      let places = rows.length - 2 - fillers.length;
      for (let position = 0; position < this.#width && 2 ** position <= places; position++)
        for (const column = columns[position] ?? []; column.length > 0 && 2 ** position <= places; ) {
          const bit = column.shift() ?? 0;
          for (let unit = 0; unit < 2 ** position; unit++, places--) fillers.push(bit);
        }
    }
    while (rows.length > 2) {
      const next: Literal[][] = [];
      while (rows.length > 2) {
        const [x = [], y = [], z = []] = rows.splice(0, 3);
        const of = (table: number) => x.map((bit, k) => this.#table(table, [bit, y[k] ?? 0, z[k] ?? 0]));
        next.push(of(EXCLUSIVE_OR_OF_THREE), [fillers.pop() ?? 0, ...of(MAJORITY).slice(0, -1)]);
      }
      rows = [...next, ...rows];
    }
    const [x = [], y = []] = rows;
    let carry: Literal = 0;
    return x.map((bit, k) => {
      const operands = [bit, y[k] ?? 0, carry];
      carry = this.#table(MAJORITY, operands);
      return this.#table(EXCLUSIVE_OR_OF_THREE, operands);
    });
  }

  #leaf(literal: Literal): Literal {
    let own = this.leaves.get(literal >> 1);
    if (own === undefined) {
      own = 2 * (this.#steps.push({ table: 0, operands: [] }) - 1);
      this.leaves.set(literal >> 1, own);
    }
    return own ^ (literal & 1);
  }

  /** A table of literals, some of which may be 0. */
  #table(table: number, literals: readonly Literal[]): Literal {
    const operands = literals.filter((literal) => literal !== 0).sort((x, y) => x - y);
    if (operands.length === literals.length) {
      if (operands.length === 3) this.#pairs(operands);
      return this.#step(table, operands);
    }
    if (table === EXCLUSIVE_OR_OF_THREE)
      return operands.length === 2 ? this.#step(EXCLUSIVE_OR, operands) : (operands[0] ?? 0);
    return table === MAJORITY && operands.length === 2 ? this.#step(AND, operands) : 0;
  }

  /** What synthesis may make a full adder of. */
  #pairs([x = 0, y = 0, z = 0]: readonly Literal[]): void {
    for (const table of [EXCLUSIVE_OR, AND])
      for (const pair of [
        [x, y],
        [x, z],
        [y, z],
      ])
        this.#step(table, pair);
  }

  /** Equal steps are one. */
  #step(table: number, operands: readonly Literal[]): Literal {
    const key = `${table} ${operands}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.#steps.push({ table, operands }) - 1;
      this.#numbers.set(key, number);
    }
    return 2 * number;
  }
}
