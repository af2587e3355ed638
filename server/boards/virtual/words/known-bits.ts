import type { Rows } from './rows.ts';
import { type Value, WORD_OP } from './word-graph.ts';

/** Known bits of words of the machine: a mask, and their values. */
export type KnownWords = ReadonlyMap<number, { mask: number; value: number }>;

const { constant, load, ram, table, kept, and, or, xor, add, sub, shl, mul, shrU, select } = WORD_OP;

/**
 * Known bits of values where bits of the state are known, and the bits on which a result depends. A value must be right
 * in its demanded bits; all others are free.
 */
export class KnownBits {
  /** By rows: bits that are known to be 0, and to be 1. */
  readonly zeros: Int32Array;
  readonly ones: Int32Array;
  /** By rows: bits on which something depends. */
  readonly asked: Int32Array;
  /** Number of values that remain to be computed. */
  left = 0;
  readonly #rows: Rows;
  readonly #tables: readonly Int32Array[];
  readonly #kept: Uint8Array;

  /**
   * @param tables contents of the look-up tables
   * @param isKept whether a value exists already, whatever its operands
   */
  constructor(rows: Rows, tables: readonly Int32Array[], isKept: (value: Value) => boolean = () => false) {
    this.#rows = rows;
    this.#tables = tables;
    this.#kept = Uint8Array.from(rows.values, (value) => (isKept(value) ? 1 : 0));
    this.zeros = new Int32Array(rows.length);
    this.ones = new Int32Array(rows.length);
    this.asked = new Int32Array(rows.length);
  }

  /** Computes everything again, for a new evaluation. */
  find(known: KnownWords): void {
    for (let row = 0; row < this.#rows.length; row++) this.#learn(row, known);
    this.#ask(true);
  }

  /** The same for the evaluation as it is: no state is known, and nothing is left out. */
  findAsItIs(): void {
    for (let row = 0; row < this.#rows.length; row++) this.#learn(row, new Map());
    this.#ask(false);
  }

  isKept(row: number): boolean {
    return this.#kept[row] === 1;
  }

  /** Whether all demanded bits are known. */
  isKnown(row: number): boolean {
    return ((this.asked[row] ?? 0) & ~this.#sure(row)) === 0;
  }

  /** Whether it must be computed. */
  isLeft(row: number): boolean {
    return !this.isKnown(row) && !this.isKept(row) && !this.#rows.isGiven(row) && this.sameAs(row) < 0;
  }

  /** The row that is equal in all demanded bits; -1 where there is none. */
  sameAs(row: number): number {
    if (this.isKept(row)) return -1;
    const { zeros, ones } = this;
    const bits = this.asked[row] ?? 0;
    const x = this.#rows.a[row] ?? 0;
    const y = this.#rows.b[row] ?? 0;
    const operator = this.#rows.operators[row];
    switch (operator) {
      case and:
      case or: {
        const idle = operator === and ? ones : zeros;
        const decides = operator === and ? zeros : ones;
        if ((bits & ~(idle[y] ?? 0) & ~(decides[x] ?? 0)) === 0) return x;
        return (bits & ~(idle[x] ?? 0) & ~(decides[y] ?? 0)) === 0 ? y : -1;
      }
      case xor: {
        if ((bits & ~(zeros[y] ?? 0)) === 0) return x;
        if ((bits & ~(zeros[x] ?? 0)) === 0) return y;
        const chosen = this.#chosen(x, y, bits);
        return chosen >= 0 ? chosen : this.#chosen(y, x, bits);
      }
      case select:
        if ((ones[x] ?? 0) & 1) return y;
        return (zeros[x] ?? 0) & 1 ? (this.#rows.c[row] ?? -1) : -1;
      default:
        return -1;
    }
  }

  /** For `((h ^ l) & s) ^ l`, which is `h` where `s` is known to be 1. */
  #chosen(masked: number, l: number, bits: number): number {
    const { operators, a, b } = this.#rows;
    if (operators[masked] !== and || this.isKept(masked)) return -1;
    const [x, y] = [a[masked] ?? 0, b[masked] ?? 0];
    for (const [difference, s] of [
      [x, y],
      [y, x],
    ] as const) {
      if (operators[difference] !== xor || this.isKept(difference)) continue;
      if ((bits & ~(this.ones[s] ?? 0)) !== 0) continue;
      if (a[difference] === l) return b[difference] ?? -1;
      if (b[difference] === l) return a[difference] ?? -1;
    }
    return -1;
  }

  #sure(row: number): number {
    return (this.zeros[row] ?? 0) | (this.ones[row] ?? 0);
  }

  /** Derives known bits from those of the operands. */
  #learn(row: number, known: KnownWords): void {
    const { zeros, ones } = this;
    const x = this.#rows.a[row] ?? 0;
    const y = this.#rows.b[row] ?? 0;
    const operator = this.#rows.operators[row] ?? 0;
    const x0 = zeros[x] ?? 0;
    const x1 = ones[x] ?? 0;
    const y0 = zeros[y] ?? 0;
    const y1 = ones[y] ?? 0;
    let zero = 0;
    let one = 0;
    switch (operator) {
      case constant:
        zero = ~x;
        one = x;
        break;
      case load: {
        const bits = known.get(x);
        if (!bits) break;
        zero = bits.mask & ~bits.value;
        one = bits.mask & bits.value;
        break;
      }
      case table: {
        if ((y0 | y1) !== -1) break;
        one = this.#tables[x]?.[y1 >> 2] ?? 0;
        zero = ~one;
        break;
      }
      case kept:
      case ram:
        break;
      case and:
        zero = x0 | y0;
        one = x1 & y1;
        break;
      case or:
        zero = x0 & y0;
        one = x1 | y1;
        break;
      case xor:
        zero = (x0 & y0) | (x1 & y1);
        one = (x0 & y1) | (x1 & y0);
        break;
      case add:
      case sub:
      case mul: {
        // The bits below the first one that is unknown in either.
        const unknown = ~((x0 | x1) & (y0 | y1));
        const below = unknown === 0 ? -1 : (unknown & -unknown) - 1;
        const sum = operator === add ? x1 + y1 : operator === sub ? x1 - y1 : Math.imul(x1, y1);
        zero = ~sum & below;
        one = sum & below;
        break;
      }
      case select: {
        const z = this.#rows.c[row] ?? 0;
        const mayBe = (x0 & 1) === 0;
        const mayNotBe = (x1 & 1) === 0;
        zero = (mayBe ? y0 : -1) & (mayNotBe ? (zeros[z] ?? 0) : -1);
        one = (mayBe ? y1 : -1) & (mayNotBe ? (ones[z] ?? 0) : -1);
        break;
      }
      default: {
        if ((y0 | y1) !== -1) break;
        const by = y1 & 31;
        if (operator === shl) {
          zero = (x0 << by) | ((1 << by) - 1);
          one = x1 << by;
        } else if (operator === shrU) {
          zero = (x0 >>> by) | ~(-1 >>> by);
          one = x1 >>> by;
        } else {
          zero = x0 >> by;
          one = x1 >> by;
        }
      }
    }
    const bits = this.#rows.bits[row] ?? -1;
    zeros[row] = zero | ~bits;
    ones[row] = one & bits;
  }

  /**
   * Finds the demanded bits, from the end to the beginning.
   * @param leavesOut whether known values and duplicates of other rows are not computed
   */
  #ask(leavesOut: boolean): void {
    this.asked.fill(0);
    for (const { condition, values } of this.#rows.outcomes) {
      if (condition >= 0) {
        if (leavesOut && (this.zeros[condition] ?? 0) & 1) continue;
        this.#add(condition, -1);
      }
      for (const value of values) this.#add(value, -1);
    }
    this.left = 0;
    for (let row = this.#rows.length - 1; row >= 0; row--) {
      const bits = this.asked[row] ?? 0;
      if (bits === 0 || this.#rows.isGiven(row)) continue;
      if (leavesOut && (this.isKnown(row) || this.isKept(row))) continue;
      const same = leavesOut ? this.sameAs(row) : -1;
      if (same >= 0) {
        this.#add(same, bits);
        continue;
      }
      this.left++;
      this.#askOperands(row, bits);
    }
  }

  #askOperands(row: number, bits: number): void {
    const { zeros, ones } = this;
    const x = this.#rows.a[row] ?? 0;
    const y = this.#rows.b[row] ?? 0;
    const operator = this.#rows.operators[row] ?? 0;
    switch (operator) {
      case table:
      case ram:
        this.#add(y, -1);
        break;
      case and:
      case or: {
        // Where one operand is known to decide, the other is free.
        const decides = operator === and ? zeros : ones;
        const p = bits & (decides[x] ?? 0);
        const q = bits & (decides[y] ?? 0);
        const first = bitCount(p) > bitCount(q);
        this.#add(x, first ? bits : bits & ~q);
        this.#add(y, first ? bits & ~p : bits);
        break;
      }
      case xor:
        this.#add(x, bits);
        this.#add(y, bits);
        break;
      case add:
      case sub:
      case mul: {
        // A bit of a sum or a product depends on all those below it.
        const below = -1 >>> Math.clz32(bits);
        this.#add(x, below);
        this.#add(y, below);
        break;
      }
      case select:
        this.#add(x, -1);
        this.#add(y, bits);
        this.#add(this.#rows.c[row] ?? 0, bits);
        break;
      default: {
        const by = this.#sure(y) === -1 ? (ones[y] ?? 0) & 31 : -1;
        this.#add(y, -1);
        if (by < 0) this.#add(x, -1);
        else if (operator === shl) this.#add(x, bits >>> by);
        else if (operator === shrU) this.#add(x, bits << by);
        else this.#add(x, (bits << by) | (1 << 31));
      }
    }
  }

  #add(row: number, bits: number): void {
    this.asked[row] = (this.asked[row] ?? 0) | bits;
  }
}

/** The number of bits that are 1. */
export function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}
