import type { BitTest, TriggerStep } from '../observation.ts';

/** Words of a sample to compare, with their required values; null for a condition that can never hold. */
type Test = readonly { word: number; mask: number; value: number }[] | null;

function testOf(bits: readonly BitTest[]): Test {
  const words = new Map<number, { word: number; mask: number; value: number }>();
  for (const { bit, value } of bits) {
    const word = bit >> 5;
    const test = words.get(word) ?? { word, mask: 0, value: 0 };
    // A trigger may require different values for bits that synthesis has merged.
    if (test.mask & (1 << (bit & 31)) && ((test.value >>> (bit & 31)) & 1) !== value) return null;
    test.mask |= 1 << (bit & 31);
    test.value |= value << (bit & 31);
    words.set(word, test);
  }
  return [...words.values()];
}

function holds(test: Test, words: Int32Array): boolean {
  if (test === null) return false;
  for (const { word, mask, value } of test) if (((words[word] ?? 0) & mask) !== value) return false;
  return true;
}

/** No clock: of a step that was never complete. */
const NEVER = Number.NEGATIVE_INFINITY;

/** A step with its progress. */
interface Step {
  any: readonly { now: Test; before: Test }[];
  count: number;
  within: number;
  /**
   * For its last `count` occurrences, a ring: the last clock before each at which the step before was complete. The oldest
   * is the best beginning of a run of `count` occurrences that ends now.
   */
  begins: Float64Array;
  occurrences: number;
  /** The last clock at which it was complete. */
  complete: number;
}

/**
 * A trigger of several steps: each occurs `count` times after the one before was complete, at most `within` clocks later.
 * It remembers only the latest way to be at each step, because an earlier one can never end later.
 */
export class TriggerSequence {
  readonly #steps: Step[];
  /** Clocks in which every chain that nothing renews has ended. */
  readonly #memory: number;
  /** Clocks after which what holds in every clock is as if it had always held. */
  readonly #renewal: number;
  #clock = 0;

  constructor(steps: readonly TriggerStep[]) {
    this.#steps = steps.map(({ any, count, within }) => ({
      any: any.map(({ now, before }) => ({ now: testOf(now), before: testOf(before) })),
      count,
      within: within ?? Number.POSITIVE_INFINITY,
      begins: new Float64Array(count).fill(NEVER),
      occurrences: 0,
      complete: NEVER,
    }));
    this.#renewal = steps.reduce((sum, { count }) => sum + count + 1, 0);
    this.#memory = this.#renewal + steps.reduce((sum, { within }) => sum + (within ?? 0), 0);
  }

  /**
   * Whether it fires in this clock.
   * @param before the sample of the clock before; null in the first clock
   */
  look(words: Int32Array, before: Int32Array | null): boolean {
    this.#clock++;
    let fires = false;
    // From the last step on: a step counts only what was complete before this clock.
    for (let at = this.#steps.length - 1; at >= 0; at--) {
      const step = this.#steps[at];
      if (!step || !this.#occurs(step, words, before)) continue;
      const began = at === 0 ? 0 : (this.#steps[at - 1]?.complete ?? NEVER);
      step.begins[step.occurrences % step.count] = began;
      step.occurrences++;
      if (step.occurrences < step.count) continue;
      const first = step.begins[step.occurrences % step.count] ?? NEVER;
      if (first === NEVER || (at > 0 && this.#clock - first > step.within)) continue;
      step.complete = this.#clock;
      if (at === this.#steps.length - 1) fires = true;
    }
    return fires;
  }

  /** Whether another clock like the last one may fire it. */
  mayFire(words: Int32Array): boolean {
    const last = this.#steps.at(-1);
    return last !== undefined && this.#occurs(last, words, words);
  }

  /** Counts so many clocks that are equal to the one before, and do not fire it. */
  rest(words: Int32Array, clocks: number): void {
    if (!this.#steps.some((step) => this.#occurs(step, words, words))) {
      this.#clock += clocks;
      return;
    }
    const first = Math.min(clocks, this.#memory);
    for (let k = 0; k < first; k++) this.look(words, words);
    const last = Math.min(clocks - first, this.#renewal);
    this.#clock += clocks - first - last;
    for (let k = 0; k < last; k++) this.look(words, words);
  }

  #occurs({ any }: Step, words: Int32Array, before: Int32Array | null): boolean {
    for (const test of any)
      if (holds(test.now, words) && (test.before?.length === 0 || (before && holds(test.before, before))))
        return true;
    return false;
  }
}
