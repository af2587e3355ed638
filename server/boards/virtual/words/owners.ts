import type { Regions } from './regions.ts';
import type { Action, Order, Step } from './schedule.ts';
import type { Rate, ValueSamples } from './value-samples.ts';
import { isAvailable, type Value, WORD_OP, type WordGraph } from './word-graph.ts';

/**
 * The only user of a value, which does not always need it: a conditional action, or an `and` or `or` whose other
 * operand mostly decides.
 */
export type Owner = Action | Value;

/** Cost of a branch, in operations, and of a mispredicted one. */
const BRANCH = 4;
const SURPRISE = 20;
/** Cost of a store without a branch: the old value is loaded and selected. */
const CHOSEN = 3;
/** Minimum share of clocks in which one operand decides. */
const MOSTLY = 0.2;

/**
 * Finds values that not every clock needs. Their only user computes them in a branch, if that paid in the observed
 * clocks.
 */
export class Owners {
  /** Number of uses of values; a missing value is not needed. */
  readonly uses = new Map<Value, number>();
  /** Values that are needed outside their region. */
  readonly escapes = new Set<Value>();
  readonly #order: Order;
  readonly #words: WordGraph;
  readonly #regions: Regions;
  readonly #steps: readonly Step[];
  readonly #observed: ValueSamples;
  /** For values with a branch, the operand that decides. */
  readonly #deciding = new Map<Value, 0 | 1>();
  readonly #branching = new Set<Action>();
  readonly #owners = new Map<Value, Owner | null>();
  readonly #owned = new Map<Owner, Value[]>();

  /** @param steps of the schedule, region by region */
  constructor(
    order: Order,
    words: WordGraph,
    regions: Regions,
    steps: readonly Step[],
    observed: ValueSamples,
  ) {
    this.#order = order;
    this.#words = words;
    this.#regions = regions;
    this.#steps = steps;
    this.#observed = observed;
    for (const { value, action } of steps)
      if (value !== null) this.#mayBranch(value);
      else if (action.condition !== null) this.#branching.add(action);
    this.#find();
    for (const [value, k] of this.#deciding)
      if (!this.#pays(value, observed.decided(value, k), 0)) this.#deciding.delete(value);
    this.#find();
    for (const action of this.#branching) {
      const condition = order.resolved(action.condition ?? 0);
      if (!this.#pays(action, observed.zero(condition), CHOSEN * action.stores.length))
        this.#branching.delete(action);
    }
    this.#find();
  }

  /** The outermost owner; null for a value that is always computed. */
  outermost(value: Value): Owner | null {
    const owner = this.#owners.get(value) ?? null;
    return typeof owner === 'number' ? (this.outermost(owner) ?? owner) : owner;
  }

  /** In the order of evaluation. */
  ownedBy(owner: Owner): readonly Value[] {
    return this.#owned.get(owner) ?? [];
  }

  /** The operand that guards the branch of a value; undefined where there is none. */
  deciding(value: Value): Value | undefined {
    const k = this.#deciding.get(value);
    return k === undefined ? undefined : this.#order.resolved(this.#words.operand(value, k));
  }

  /** Whether an action has a branch. */
  isBranch(action: Action): boolean {
    return this.#branching.has(action);
  }

  /** Number of branches. */
  get branches(): number {
    return this.#branching.size + this.#deciding.size;
  }

  #mayBranch(value: Value): void {
    const words = this.#words;
    const operator = words.operator(value);
    if (operator !== WORD_OP.and && operator !== WORD_OP.or) return;
    for (const k of [0, 1] as const)
      if (words.operator(this.#order.resolved(words.operand(value, k))) === WORD_OP.constant) return;
    const [first, second] = [this.#observed.decided(value, 0), this.#observed.decided(value, 1)];
    const k = first.part >= second.part ? 0 : 1;
    if (Math.max(first.part, second.part) > MOSTLY) this.#deciding.set(value, k);
  }

  #pays(owner: Owner, inVain: Rate, more: number): boolean {
    return (this.#cost(owner) + more) * inVain.part > BRANCH + SURPRISE * inVain.surprise;
  }

  /** Operations in a branch, nested branches included. */
  #cost(owner: Owner): number {
    return this.ownedBy(owner).reduce((sum, value) => {
      return sum + (isAvailable(this.#words.operator(value)) ? 0 : 1) + this.#cost(value);
    }, 0);
  }

  /** Finds the owners, from the end to the beginning. */
  #find(): void {
    this.#owners.clear();
    this.#owned.clear();
    this.uses.clear();
    this.escapes.clear();
    const everyClock = this.#regions.guards.length;
    for (const { value, action } of this.#steps.toReversed())
      if (action) {
        const owner = this.#branching.has(action) ? action : null;
        if (action.condition !== null) this.#use(action.condition, null, everyClock);
        for (const store of action.stores) this.#use(store.value, owner, everyClock);
      } else if (this.uses.has(value)) {
        const owner = this.#owners.get(value) ?? null;
        const region = this.#regions.regionOf(value);
        const deciding = this.deciding(value);
        this.#words.operands(value, (operand) => {
          const behind = deciding !== undefined && this.#order.resolved(operand) !== deciding;
          this.#use(operand, behind ? value : owner, region);
        });
      }
    for (const { value } of this.#steps) {
      const owner = value === null ? null : this.#owners.get(value);
      if (value === null || !owner) continue;
      const owned = this.#owned.get(owner);
      if (owned) owned.push(value);
      else this.#owned.set(owner, [value]);
    }
  }

  /** @param region of the user */
  #use(wanted: Value, by: Owner | null, region: number): void {
    const value = this.#order.resolved(wanted);
    this.uses.set(value, (this.uses.get(value) ?? 0) + 1);
    // A value that another region needs, or that has no owner, must exist after each evaluation of its region.
    if (region !== this.#regions.regionOf(value) && this.#regions.isGuarded(value)) this.escapes.add(value);
    const before = this.#owners.get(value);
    const owner = this.escapes.has(value) ? null : before === undefined ? by : this.#common(before, by);
    this.#owners.set(value, owner);
  }

  /** The innermost owner that contains both. */
  #common(x: Owner | null, y: Owner | null): Owner | null {
    const around = (owner: Owner) => (typeof owner === 'number' ? (this.#owners.get(owner) ?? null) : null);
    const chain = new Set<Owner>();
    for (let at = x; at !== null; at = around(at)) chain.add(at);
    let at = y;
    while (at !== null && !chain.has(at)) at = around(at);
    return at;
  }
}
