import { demandedBits } from './demanded-bits.ts';
import { Rows } from './rows.ts';
import type { Order } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/** How often something was so, as parts of the clocks that were looked at. */
export interface Rate {
  part: number;
  /** How often a branch on it is likely to go the other way than the processor expects. */
  surprise: number;
}

/** Where a value reads a remembered memory. */
export interface ObservedPlaces {
  /** Byte addresses. */
  word(index: number): number;
  ram(index: number): number;
}

/** What a value of another evaluation was in one of the clocks, by its number among them. */
export type KeptAt = (value: Value, clock: number) => number;

/** What values were in some clocks of the running design, computed one by one: which of their operations were in vain. */
export class Observed {
  readonly #demanded: Int32Array;
  readonly #rows: Rows;
  readonly #words: WordGraph;
  readonly #places: ObservedPlaces;
  readonly #clocks: number;
  readonly #zero: Count;
  readonly #decided: readonly [Count, Count];
  readonly #remembered: ReadonlyMap<Value, Int32Array>;

  /**
   * @param memories what the machine's memory was in each of the clocks
   * @param keptAt what values of another evaluation were
   * @param remembered values whose results are kept for others
   */
  constructor(
    order: Order,
    words: WordGraph,
    memories: readonly Int32Array[],
    places: ObservedPlaces,
    keptAt: KeptAt = () => 0,
    remembered: readonly Value[] = [],
  ) {
    this.#demanded = demandedBits(order, words);
    this.#words = words;
    this.#places = places;
    this.#clocks = memories.length;
    this.#rows = new Rows(order, words);
    this.#zero = new Count(words.size);
    this.#decided = [new Count(words.size), new Count(words.size)];
    this.#remembered = new Map(remembered.map((value) => [value, new Int32Array(memories.length)]));
    const results = new Int32Array(this.#rows.length);
    memories.forEach((memory, clock) => {
      this.#observe(results, memory, (value) => keptAt(value, clock));
      for (const [value, known] of this.#remembered) known[clock] = results[this.#rows.of(value)] ?? 0;
    });
  }

  /** What a value that is remembered was. */
  readonly at: KeptAt = (value, clock) => this.#remembered.get(value)?.[clock] ?? 0;

  /** The bits of a value that anything depends on. */
  demanded(value: Value): number {
    return this.#demanded[value] ?? 0;
  }

  /** That a value is 0. */
  zero(value: Value): Rate {
    return this.#zero.rate(value, this.#clocks);
  }

  /** That operand `k` of an `and` or `or` says alone what its demanded bits are: all 0, or all 1. */
  decided(value: Value, k: 0 | 1): Rate {
    return this.#decided[k].rate(value, this.#clocks);
  }

  #observe(results: Int32Array, memory: Int32Array, kept: (value: Value) => number): void {
    const { values, operators, a, b } = this.#rows;
    const halves = new Uint16Array(memory.buffer, memory.byteOffset, 2 * memory.length);
    for (let row = 0; row < values.length; row++) {
      const result = this.#computed(row, results, memory, halves, kept);
      results[row] = result;
      const value = values[row] ?? 0;
      this.#zero.add(value, result === 0);
      const operator = operators[row];
      if (operator !== WORD_OP.and && operator !== WORD_OP.or) continue;
      const bits = this.demanded(value);
      const alone = operator === WORD_OP.and ? 0 : bits;
      this.#decided[0].add(value, ((results[a[row] ?? 0] ?? 0) & bits) === alone);
      this.#decided[1].add(value, ((results[b[row] ?? 0] ?? 0) & bits) === alone);
    }
  }

  #computed(
    row: number,
    results: Int32Array,
    memory: Int32Array,
    halves: Uint16Array,
    kept: (value: Value) => number,
  ): number {
    const a = this.#rows.a[row] ?? 0;
    const b = this.#rows.b[row] ?? 0;
    const x = results[a] ?? 0;
    const y = results[b] ?? 0;
    const operator = this.#rows.operators[row] ?? 0;
    switch (operator) {
      case WORD_OP.constant:
        return a;
      case WORD_OP.load:
        return memory[this.#places.word(a) >> 2] ?? 0;
      case WORD_OP.kept:
        return kept(a);
      case WORD_OP.ram:
        return halves[(this.#places.ram(a) >> 1) + y] ?? 0;
      case WORD_OP.table:
        return this.#words.tables[a]?.[y >> 2] ?? 0;
      case WORD_OP.select:
        return x ? y : (results[this.#rows.c[row] ?? 0] ?? 0);
      case WORD_OP.and:
        return x & y;
      case WORD_OP.or:
        return x | y;
      case WORD_OP.xor:
        return x ^ y;
      case WORD_OP.add:
        return x + y;
      case WORD_OP.sub:
        return x - y;
      case WORD_OP.shl:
        return x << y;
      case WORD_OP.shrU:
        return x >>> y;
      case WORD_OP.shrS:
        return x >> y;
      default:
        throw new Error(`no meaning for operation ${operator}`);
    }
  }
}

/** Counts for each value the clocks in which something was so, and those in which that was not as the clock before. */
class Count {
  readonly #times: Uint16Array;
  readonly #changes: Uint16Array;
  readonly #last: Uint8Array;

  constructor(values: number) {
    this.#times = new Uint16Array(values);
    this.#changes = new Uint16Array(values);
    this.#last = new Uint8Array(values);
  }

  add(value: Value, holds: boolean): void {
    const now = holds ? 1 : 0;
    this.#times[value] = (this.#times[value] ?? 0) + now;
    if (now !== this.#last[value]) this.#changes[value] = (this.#changes[value] ?? 0) + 1;
    this.#last[value] = now;
  }

  rate(value: Value, clocks: number): Rate {
    const part = (this.#times[value] ?? 0) / clocks;
    const changes = (this.#changes[value] ?? 0) / clocks;
    return { part, surprise: Math.min(part, 1 - part, changes) };
  }
}
