import { KnownBits } from './known-bits.ts';
import { Rows } from './rows.ts';
import type { Order } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/** How often a condition held, as shares of the observed clocks. */
export interface Rate {
  part: number;
  /** How often a branch on it is probably mispredicted. */
  surprise: number;
}

/** The places where a value reads a recorded memory. */
export interface SampleLayout {
  /** Byte addresses. */
  word(index: number): number;
  ram(index: number): number;
}

/** The value of another evaluation in one of the clocks, by the clock's number. */
export type ValueHistory = (value: Value, clock: number) => number;

/** Values in some clocks of the running design: they show which operations were useless. */
export class ValueSamples {
  readonly #bits: KnownBits;
  readonly #rows: Rows;
  readonly #words: WordGraph;
  readonly #memories: readonly Int32Array[];
  readonly #places: SampleLayout;
  /** By rows, for all clocks: an operation is done for all of them before the next one. */
  readonly #results: Int32Array[] = [];

  /**
   * @param memories the machine's memory in each of the clocks
   * @param keptAt values of another evaluation
   */
  constructor(
    order: Order,
    words: WordGraph,
    memories: readonly Int32Array[],
    places: SampleLayout,
    keptAt: ValueHistory = () => 0,
  ) {
    this.#words = words;
    this.#memories = memories;
    this.#places = places;
    this.#rows = new Rows(order, words);
    this.#bits = new KnownBits(this.#rows, words.tables);
    this.#bits.findAsItIs();
    for (let row = 0; row < this.#rows.length; row++) this.#results.push(this.#computed(row, keptAt));
  }

  /** The demanded bits of a value. */
  demanded(value: Value): number {
    return this.#bits.asked[this.#rows.of(value)] ?? 0;
  }

  /** A value in a clock. */
  readonly at: ValueHistory = (value, clock) => this.#resultsOf(value)[clock] ?? 0;

  /** How often a value is 0. */
  zero(value: Value): Rate {
    return rateOf(this.#resultsOf(value), -1, 0);
  }

  /** How often operand `k` of an `and` or `or` decides the demanded bits: all 0, or all 1. */
  decided(value: Value, k: 0 | 1): Rate {
    const bits = this.demanded(value);
    const alone = this.#words.operator(value) === WORD_OP.and ? 0 : bits;
    return rateOf(this.#resultsOf(this.#words.operand(value, k)), bits, alone);
  }

  #resultsOf(value: Value): Int32Array {
    return this.#results[this.#rows.of(value)] ?? new Int32Array();
  }

  #computed(row: number, keptAt: ValueHistory): Int32Array {
    const { operators, a, b, c } = this.#rows;
    const [x, y, z] = [a[row] ?? 0, b[row] ?? 0, c[row] ?? 0];
    const operator = operators[row] ?? 0;
    const results = new Int32Array(this.#memories.length);
    const [p, q] = [this.#results[x] ?? results, this.#results[y] ?? results];
    const each = (of: (clock: number) => number) => {
      for (let clock = 0; clock < results.length; clock++) results[clock] = of(clock);
      return results;
    };
    switch (operator) {
      case WORD_OP.constant:
        return results.fill(x);
      case WORD_OP.load: {
        const cell = this.#places.word(x) >> 2;
        return each((clock) => this.#memories[clock]?.[cell] ?? 0);
      }
      case WORD_OP.kept:
        return each((clock) => keptAt(x, clock));
      case WORD_OP.ram: {
        const from = this.#places.ram(x) >> 1;
        return each((clock) => this.#half(clock, from + (q[clock] ?? 0)));
      }
      case WORD_OP.table: {
        const contents = this.#words.tables[x] ?? results;
        return each((clock) => contents[(q[clock] ?? 0) >> 2] ?? 0);
      }
      case WORD_OP.select: {
        const otherwise = this.#results[z] ?? results;
        return each((clock) => (p[clock] ? q[clock] : otherwise[clock]) ?? 0);
      }
      case WORD_OP.and:
        return each((clock) => (p[clock] ?? 0) & (q[clock] ?? 0));
      case WORD_OP.or:
        return each((clock) => (p[clock] ?? 0) | (q[clock] ?? 0));
      case WORD_OP.xor:
        return each((clock) => (p[clock] ?? 0) ^ (q[clock] ?? 0));
      case WORD_OP.add:
        return each((clock) => (p[clock] ?? 0) + (q[clock] ?? 0));
      case WORD_OP.sub:
        return each((clock) => (p[clock] ?? 0) - (q[clock] ?? 0));
      case WORD_OP.mul:
        return each((clock) => Math.imul(p[clock] ?? 0, q[clock] ?? 0));
      case WORD_OP.shl:
        return each((clock) => (p[clock] ?? 0) << (q[clock] ?? 0));
      case WORD_OP.shrU:
        return each((clock) => (p[clock] ?? 0) >>> (q[clock] ?? 0));
      case WORD_OP.shrS:
        return each((clock) => (p[clock] ?? 0) >> (q[clock] ?? 0));
      default:
        throw new Error(`no meaning for operation ${operator}`);
    }
  }

  /** A 16-bit word of a memory. */
  #half(clock: number, index: number): number {
    const cell = this.#memories[clock]?.[index >> 1] ?? 0;
    return (index & 1 ? cell >>> 16 : cell) & 0xffff;
  }
}

/** How often these bits had this value. */
function rateOf(results: Int32Array, bits: number, value: number): Rate {
  let [times, changes, last] = [0, 0, 0];
  for (const result of results) {
    const now = (result & bits) === value ? 1 : 0;
    times += now;
    changes += now ^ last;
    last = now;
  }
  const part = times / results.length;
  return { part, surprise: Math.min(part, 1 - part, changes / results.length) };
}
