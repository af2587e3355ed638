import type { Schedule } from './schedule.ts';
import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/** Parts of the clocks in which a region may have to be evaluated: few first. */
const LEVELS = [0.02, 0.06, 0.12, 0.2, 0.28, 0.36, 0.45, 0.55, 0.65, 0.75, 0.85];
/** Regions at most, and what one must save at least, in operations a clock. */
const MOST_REGIONS = 40;
const WORTH = 30;
/** What looking whether a region is to be evaluated costs, and what it costs where that is hard to predict. */
const LOOK = 8;
const SURPRISE = 50;

/** Sets of sources, 32 to a word: what of the state has changed, or what a value depends on. */
export type SourceSet = Uint32Array;

/**
 * Divides values into regions that are evaluated only when something that they depend on has changed: those for which
 * that is seldom, by what was seen of the design while it ran. The rest is evaluated in every clock.
 */
export class Regions {
  /** For each region the sources that its values depend on. */
  readonly guards: SourceSet[] = [];
  readonly #regionOf = new Map<Value, number>();

  /**
   * @param sourceOf number of a leaf's source; -1 for one whose changes are always seen to
   * @param sources how many there are; one more stands for what changes all the time
   * @param samples which sources changed in some clocks
   */
  constructor(
    schedule: Schedule,
    words: WordGraph,
    sourceOf: (value: Value) => number,
    sources: number,
    samples: readonly SourceSet[],
  ) {
    const length = (sources >> 5) + 1;
    const sets = new Map<Value, SourceSet>();
    const classes = new Map<string, Class>();
    for (const { value } of schedule.steps) {
      if (value === null) continue;
      const set = new Uint32Array(length);
      const op = words.operator(value);
      if (op === WORD_OP.load || op === WORD_OP.ram) {
        const source = sourceOf(value);
        if (source >= 0) set[source >> 5] = (set[source >> 5] ?? 0) | (1 << (source & 31));
      }
      words.operands(value, (operand) => {
        sets.get(schedule.resolved(operand))?.forEach((bits, k) => {
          set[k] = (set[k] ?? 0) | bits;
        });
      });
      sets.set(value, set);
      if (op === WORD_OP.load || op === WORD_OP.constant) continue;
      const key = set.join();
      const known = classes.get(key);
      if (known) known.values.push(value);
      else classes.set(key, { set, values: [value] });
    }
    if (samples.length > 0) this.#choose([...classes.values()], samples);
  }

  /** The region of a value; as many as there are for what is evaluated in every clock. */
  regionOf(value: Value): number {
    return this.#regionOf.get(value) ?? this.guards.length;
  }

  /** Whether it is evaluated only when something has changed. */
  isGuarded(value: Value): boolean {
    return this.#regionOf.has(value);
  }

  /** What seldom changes first: a region then needs nothing from those behind it. */
  #choose(classes: Class[], samples: readonly SourceSet[]): void {
    let left = classes.map((one) => ({ ...one, active: activeIn(one.set, samples) }));
    for (const level of LEVELS)
      while (this.guards.length < MOST_REGIONS) {
        const most = level * samples.length;
        const calm = left.filter(({ active }) => count(active) <= most);
        const seed = best(
          calm,
          (one) => costOf(within(left, one.set)) * (samples.length - count(one.active)),
        );
        if (!seed) break;
        // What is active at much the same time joins.
        let { set, active } = seed;
        for (const slack of [0, 0.01, 0.04])
          for (const one of calm) {
            const together = union(active, one.active);
            if (count(together) > Math.min(most, count(active) + slack * samples.length)) continue;
            set = union(set, one.set);
            active = together;
          }
        const inside = within(left, set);
        const activity = count(active) / samples.length;
        if (costOf(inside) * (1 - activity) - LOOK - SURPRISE * Math.min(activity, 1 - activity) < WORTH)
          break;
        for (const { values } of inside)
          for (const value of values) this.#regionOf.set(value, this.guards.length);
        this.guards.push(set);
        left = left.filter((one) => !inside.includes(one));
      }
  }
}

/** Those that depend on nothing but members of a set. */
const within = <T extends Class>(classes: T[], set: SourceSet): T[] =>
  classes.filter((one) => one.set.every((bits, k) => (bits & ~(set[k] ?? 0)) === 0));

const costOf = (classes: Class[]) => classes.reduce((sum, { values }) => sum + values.length, 0);

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
  set: SourceSet;
  values: Value[];
}

/** In which samples any of the sources changed. */
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
