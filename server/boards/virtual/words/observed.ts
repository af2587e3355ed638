import { demandedBits } from './demanded-bits.ts';
import type { Schedule } from './schedule.ts';
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

/** What values were in some clocks of the running design, computed one by one: which of their operations were in vain. */
export class Observed {
  readonly #demanded: Int32Array;
  readonly #clocks: number;
  readonly #zero: Count;
  readonly #decided: readonly [Count, Count];

  /** @param memories what the machine's memory was in each of the clocks */
  constructor(schedule: Schedule, words: WordGraph, memories: readonly Int32Array[], places: ObservedPlaces) {
    this.#demanded = demandedBits(schedule, words);
    this.#clocks = memories.length;
    this.#zero = new Count(words.size);
    this.#decided = [new Count(words.size), new Count(words.size)];
    const steps = schedule.steps.flatMap(({ value }): Computed[] => {
      if (value === null) return [];
      const [a, b, c] = ([0, 1, 2] as const).map((k) => words.operand(value, k));
      const resolved = { a: a ?? 0, b: b ?? 0, c: c ?? 0 };
      const operator = words.operator(value);
      if (operator >= WORD_OP.and && operator !== WORD_OP.table) resolved.a = schedule.resolved(resolved.a);
      if (operator > WORD_OP.load) resolved.b = schedule.resolved(resolved.b);
      if (operator === WORD_OP.select) resolved.c = schedule.resolved(resolved.c);
      return [{ value, operator, ...resolved }];
    });
    const values = new Int32Array(words.size);
    for (const memory of memories) this.#observe(steps, values, words, memory, places);
  }

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

  #observe(
    steps: readonly Computed[],
    values: Int32Array,
    words: WordGraph,
    memory: Int32Array,
    places: ObservedPlaces,
  ): void {
    const halves = new Uint16Array(memory.buffer, memory.byteOffset, 2 * memory.length);
    for (const step of steps) {
      const { value, operator, a, b } = step;
      values[value] = computed(step, values, words, memory, halves, places);
      this.#zero.add(value, values[value] === 0);
      if (operator !== WORD_OP.and && operator !== WORD_OP.or) continue;
      const bits = this.demanded(value);
      const alone = operator === WORD_OP.and ? 0 : bits;
      this.#decided[0].add(value, ((values[a] ?? 0) & bits) === alone);
      this.#decided[1].add(value, ((values[b] ?? 0) & bits) === alone);
    }
  }
}

/** A value and what it is computed from; operands that are values are those that are evaluated in their place. */
interface Computed {
  value: Value;
  operator: number;
  a: number;
  b: number;
  c: number;
}

function computed(
  { operator, a, b, c }: Computed,
  values: Int32Array,
  words: WordGraph,
  memory: Int32Array,
  halves: Uint16Array,
  places: ObservedPlaces,
): number {
  const [x, y] = [values[a] ?? 0, values[b] ?? 0];
  switch (operator) {
    case WORD_OP.constant:
      return a;
    case WORD_OP.load:
      return memory[places.word(a) >> 2] ?? 0;
    case WORD_OP.ram:
      return halves[(places.ram(a) >> 1) + y] ?? 0;
    case WORD_OP.table:
      return words.tables[a]?.[y >> 2] ?? 0;
    case WORD_OP.select:
      return x ? y : (values[c] ?? 0);
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
