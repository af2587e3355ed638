import type { Order } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/**
 * Maximum share of clocks in which a region is evaluated, smallest first: where its values would always be needed, and
 * where not.
 */
const CALM = [0.02, 0.06];
const LEVELS = [0.12, 0.2, 0.28, 0.36, 0.45, 0.55, 0.65, 0.75, 0.85];
/** Share of clocks in which a needed value is computed, because of branches. */
const COMPUTED = 0.7;
/** Maximum regions, and minimum saving of each, in operations a clock. */
const MAX_REGIONS = 40;
const WORTH = 30;
/** Cost of testing whether a region must be evaluated, and of a hard-to-predict test. */
const LOOK = 8;
const SURPRISE = 50;

/** Sets of sources, 32 to a word: changed state, or the sources of a value. */
export type SourceSet = Uint32Array;

/**
 * Divides values into regions that are evaluated only when a source has changed. They hold the values whose sources
 * rarely changed in the running design. The rest is evaluated in every clock.
 */
export class Regions {
  /** For each region the sources of its values. */
  readonly guards: SourceSet[] = [];
  readonly #regionOf = new Map<Value, number>();
  readonly #samples: readonly SourceSet[];
  #left: Class[];

  /**
   * @param sourceOf number of a leaf's source; -1 for one whose changes always count
   * @param sources number of them; one more stands for anything that changes all the time
   * @param samples the changed sources in some clocks
   */
  constructor(
    order: Order,
    words: WordGraph,
    sourceOf: (value: Value) => number = () => -1,
    sources = 0,
    samples: readonly SourceSet[] = [],
  ) {
    this.#samples = samples;
    const length = (sources >> 5) + 1;
    const sets = new Map<Value, SourceSet>();
    const classes = new Map<string, Class>();
    for (const { value } of order.steps) {
      if (value === null) continue;
      const set = new Uint32Array(length);
      const op = words.operator(value);
      if (op === WORD_OP.load || op === WORD_OP.ram) {
        const source = sourceOf(value);
        if (source >= 0) set[source >> 5] = (set[source >> 5] ?? 0) | (1 << (source & 31));
      }
      words.operands(value, (operand) => {
        sets.get(order.resolved(operand))?.forEach((bits, k) => {
          set[k] = (set[k] ?? 0) | bits;
        });
      });
      sets.set(value, set);
      if (op === WORD_OP.load || op === WORD_OP.constant) continue;
      const key = set.join();
      const known = classes.get(key);
      if (known) known.values.push(value);
      else classes.set(key, { set, values: [value], active: activeIn(set, samples) });
    }
    this.#left = [...classes.values()];
    for (const level of CALM) this.#choose(level, costOf);
  }

  /** Finds more regions. @param needs share of clocks in which values are needed, for those not always needed */
  extend(needs: ReadonlyMap<Value, number>): void {
    const worthOf = (classes: readonly Class[]) =>
      classes.reduce(
        (sum, { values }) => sum + values.reduce((all, value) => all + COMPUTED * (needs.get(value) ?? 0), 0),
        0,
      );
    for (const level of LEVELS) this.#choose(level, worthOf);
  }

  /** The region of a value; the number of regions for a value evaluated in every clock. */
  regionOf(value: Value): number {
    return this.#regionOf.get(value) ?? this.guards.length;
  }

  /** Whether it is evaluated only after a change. */
  isGuarded(value: Value): boolean {
    return this.#regionOf.has(value);
  }

  /**
   * Starts with the values that change least: a region then needs nothing from later ones.
   * @param worthOf saving of having values without computing them, in operations a clock
   */
  #choose(level: number, worthOf: (classes: readonly Class[]) => number): void {
    const clocks = this.#samples.length;
    const most = level * clocks;
    while (clocks > 0 && this.guards.length < MAX_REGIONS) {
      const calm = this.#left.filter(({ active }) => count(active) <= most);
      const seed = best(calm, (one) => {
        const inside = within(this.#left, one.set);
        return worthOf(inside) * clocks - costOf(inside) * count(one.active);
      });
      if (!seed) break;
      // Adds values that are active at much the same time.
      let { set, active } = seed;
      for (const slack of [0, 0.01, 0.04])
        for (const one of calm) {
          const together = union(active, one.active);
          if (count(together) > Math.min(most, count(active) + slack * clocks)) continue;
          set = union(set, one.set);
          active = together;
        }
      const inside = within(this.#left, set);
      const activity = count(active) / clocks;
      const surprise = SURPRISE * Math.min(activity, 1 - activity);
      if (worthOf(inside) - costOf(inside) * activity - LOOK - surprise < WORTH) break;
      for (const { values } of inside)
        for (const value of values) this.#regionOf.set(value, this.guards.length);
      this.guards.push(set);
      this.#left = this.#left.filter((one) => !inside.includes(one));
    }
  }
}

/** Values whose sources are all in a set. */
const within = (classes: readonly Class[], set: SourceSet): Class[] =>
  classes.filter((one) => one.set.every((bits, k) => (bits & ~(set[k] ?? 0)) === 0));

const costOf = (classes: readonly Class[]) => classes.reduce((sum, { values }) => sum + values.length, 0);

function best<T>(list: readonly T[], worth: (one: T) => number): T | undefined {
  let found: T | undefined;
  let most = 0;
  for (const one of list) {
    const value = worth(one);
    if (value <= most) continue;
    found = one;
    most = value;
  }
  return found;
}

/** Values that depend on exactly the same sources. */
interface Class {
  readonly set: SourceSet;
  readonly values: Value[];
  /** The samples in which any of its sources changed. */
  readonly active: Uint32Array;
}

/** The samples in which any of the sources changed. */
function activeIn(set: SourceSet, samples: readonly SourceSet[]): Uint32Array {
  const active = new Uint32Array((samples.length + 31) >> 5);
  samples.forEach((changed, index) => {
    if (set.some((bits, k) => (bits & (changed[k] ?? 0)) !== 0))
      active[index >> 5] = (active[index >> 5] ?? 0) | (1 << (index & 31));
  });
  return active;
}

const union = (x: Uint32Array, y: Uint32Array) => x.map((bits, k) => bits | (y[k] ?? 0));

function count(set: Uint32Array): number {
  let sum = 0;
  for (const word of set) for (let rest = word; rest !== 0; rest &= rest - 1) sum++;
  return sum;
}
