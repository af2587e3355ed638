import type { Regions } from '../words/regions.ts';
import type { Action, Schedule, Step } from '../words/schedule.ts';
import { type Value, WORD_OP, type WordGraph } from '../words/word-graph.ts';
import { FunctionBody, I32, type Local } from './assembler.ts';

/** Where what the values read is in the memory. */
export interface WordPlaces {
  word(index: number): number;
  ram(index: number): number;
  table(index: number): number;
  /** Cell whose bits say which of sources 32 k to 32 k + 31 have changed. */
  changed(k: number): number;
  /** Cell for a value that several functions need; to be called once for each. */
  cell(): number;
}

/** V8's optimising compiler slows down on larger functions. */
const FUNCTION_VALUES = 1200;
/** What is evaluated only under a condition is worth a branch from this many values on. */
const WORTH_A_BRANCH = 14;

const INSTRUCTION = new Map<number, number>([
  [WORD_OP.and, I32.and],
  [WORD_OP.or, I32.or],
  [WORD_OP.xor, I32.xor],
  [WORD_OP.add, I32.add],
  [WORD_OP.sub, I32.sub],
  [WORD_OP.shl, I32.shl],
  [WORD_OP.shrU, I32.shrU],
  [WORD_OP.shrS, I32.shrS],
]);

/** Writes the functions that evaluate a schedule once, one after another. */
export class WordCode {
  readonly functions: FunctionBody[] = [];
  readonly #schedule: Schedule;
  readonly #words: WordGraph;
  readonly #places: WordPlaces;
  readonly #regions: Regions;
  /** Region by region; actions come last. */
  readonly #steps: Step[];
  /** Values that are needed outside of their region. */
  readonly #escapes = new Set<Value>();
  readonly #uses = new Map<Value, number>();
  /** The action that alone needs a value and can do without where its condition does not hold. */
  readonly #owners = new Map<Value, Action | null>();
  readonly #owned = new Map<Action, Value[]>();
  /** Functions in which values are wanted: the last one. */
  readonly #lastUse = new Map<Value, number>();
  readonly #functionOf = new Map<Value | Action, number>();
  readonly #cells = new Map<Value, number>();
  #locals = new Map<Value, Local>();
  #body = new FunctionBody('words0', 0, 0);

  constructor(schedule: Schedule, words: WordGraph, places: WordPlaces, regions: Regions) {
    this.#schedule = schedule;
    this.#words = words;
    this.#places = places;
    this.#regions = regions;
    const regionOf = ({ value }: Step) => (value === null ? regions.guards.length : regions.regionOf(value));
    this.#steps = schedule.steps.toSorted((x, y) => regionOf(x) - regionOf(y));
    this.#findOwners(() => true);
    const worth = new Map(this.#owned);
    this.#findOwners((action) => (worth.get(action)?.length ?? 0) >= WORTH_A_BRANCH);
    this.#divide();
    this.#write();
  }

  #isGuarded(value: Value): boolean {
    return this.#regions.regionOf(value) < this.#regions.guards.length;
  }

  #used(action: Action, visit: (value: Value, conditional: boolean) => void): void {
    if (action.condition !== null) visit(this.#schedule.resolved(action.condition), false);
    for (const { value } of action.stores) visit(this.#schedule.resolved(value), action.condition !== null);
  }

  #operands(value: Value, visit: (operand: Value) => void): void {
    this.#words.operands(value, (operand) => visit(this.#schedule.resolved(operand)));
  }

  #findOwners(worth: (action: Action) => boolean): void {
    this.#owners.clear();
    this.#owned.clear();
    this.#uses.clear();
    this.#escapes.clear();
    const own = (value: Value, owner: Action | null, region: number) => {
      this.#uses.set(value, (this.#uses.get(value) ?? 0) + 1);
      if (this.#isGuarded(value)) {
        this.#owners.set(value, null);
        if (this.#regions.regionOf(value) !== region) this.#escapes.add(value);
        return;
      }
      const before = this.#owners.get(value);
      this.#owners.set(value, before === undefined || before === owner ? owner : null);
    };
    for (const { value, action } of this.#steps.toReversed())
      if (action)
        this.#used(action, (used, conditional) =>
          own(used, conditional && worth(action) ? action : null, this.#regions.guards.length),
        );
      else if (this.#uses.has(value)) {
        const owner = this.#owners.get(value) ?? null;
        const region = this.#regions.regionOf(value);
        this.#operands(value, (operand) => own(operand, owner, region));
      }
    for (const { value } of this.#steps) {
      const owner = value === null ? null : this.#owners.get(value);
      if (value === null || !owner) continue;
      const owned = this.#owned.get(owner);
      if (owned) owned.push(value);
      else this.#owned.set(owner, [value]);
    }
  }

  /** A value with a statement of its own; others are computed where they are used. */
  #isDefined(value: Value): boolean {
    const op = this.#words.operator(value);
    if (this.#escapes.has(value)) return true;
    return (this.#uses.get(value) ?? 0) > 1 && op !== WORD_OP.constant && op !== WORD_OP.load;
  }

  /** Divides the steps among functions. */
  #divide(): void {
    let current = 0;
    let size = 0;
    for (const { value, action } of this.#steps) {
      if (value !== null) {
        if (!this.#uses.has(value)) continue;
        size++;
        if (this.#owners.get(value) || !this.#isDefined(value)) continue;
        this.#functionOf.set(value, current);
      } else this.#functionOf.set(action, current);
      if (size < FUNCTION_VALUES) continue;
      current++;
      size = 0;
    }
    const want = (value: Value, where: number) =>
      this.#lastUse.set(value, Math.max(where, this.#lastUse.get(value) ?? 0));
    for (const { value, action } of this.#steps.toReversed())
      if (action) this.#used(action, (used) => want(used, this.#functionOf.get(action) ?? 0));
      else if (this.#uses.has(value)) {
        const owner = this.#owners.get(value);
        const where =
          (owner ? this.#functionOf.get(owner) : this.#functionOf.get(value)) ??
          this.#lastUse.get(value) ??
          0;
        this.#operands(value, (operand) => want(operand, where));
      }
  }

  #write(): void {
    let current = 0;
    let region = -1;
    let guarded: Value[] = [];
    const endRegion = () => {
      if (guarded.length > 0) this.#whereChanged(region, guarded);
      guarded = [];
    };
    for (const { value, action } of this.#steps) {
      const where = this.#functionOf.get(value ?? action);
      if (where === undefined) continue;
      const next = value === null ? this.#regions.guards.length : this.#regions.regionOf(value);
      if (where !== current || next !== region) endRegion();
      region = next;
      while (current < where) {
        this.functions.push(this.#body);
        this.#body = new FunctionBody(`words${++current}`, 0, 0);
        this.#locals = new Map();
      }
      if (action) this.#act(action);
      else if (this.#isGuarded(value)) guarded.push(value);
      else this.#define(value);
    }
    endRegion();
    this.functions.push(this.#body);
  }

  /** Evaluates values of a region if anything that they depend on has changed. */
  #whereChanged(region: number, values: readonly Value[]): void {
    const body = this.#body;
    const guard = this.#regions.guards[region] ?? [];
    let terms = 0;
    guard.forEach((bits, k) => {
      if (bits === 0) return;
      body.load(this.#places.changed(k));
      body.constant(bits);
      body.op(I32.and);
      if (terms++ > 0) body.op(I32.or);
    });
    // What depends on nothing but inputs is evaluated when they change, which sets all bits.
    if (terms === 0) body.load(this.#places.changed(0));
    body.if(() =>
      this.#inside(() => {
        for (const value of values) this.#define(value);
      }),
    );
  }

  /** What is computed inside is not there outside. */
  #inside(write: () => void): void {
    const outside = this.#locals;
    this.#locals = new Map(outside);
    this.#body.scoped(write);
    this.#locals = outside;
  }

  #define(value: Value): void {
    const body = this.#body;
    const local = body.newLocal();
    this.#compute(value);
    body.set(local);
    this.#locals.set(value, local);
    const defined = this.#functionOf.get(value);
    const later = defined !== undefined && (this.#lastUse.get(value) ?? 0) > defined;
    if (!later && !this.#escapes.has(value)) return;
    const cell = this.#places.cell();
    this.#cells.set(value, cell);
    body.store(cell, () => body.get(local));
  }

  #act(action: Action): void {
    const body = this.#body;
    const { condition, stores } = action;
    if (condition === null) {
      for (const { address, value } of stores) body.store(address, () => this.#push(value));
      return;
    }
    const owned = this.#owned.get(action);
    if (!owned) {
      for (const { address, value } of stores)
        body.store(address, () => {
          this.#push(value);
          body.load(address);
          this.#push(condition);
          body.select();
        });
      return;
    }
    this.#push(condition);
    body.if(() =>
      this.#inside(() => {
        for (const value of owned) if (this.#isDefined(value)) this.#define(value);
        for (const { address, value } of stores) body.store(address, () => this.#push(value));
      }),
    );
  }

  #push(wanted: Value): void {
    const body = this.#body;
    const value = this.#schedule.resolved(wanted);
    const local = this.#locals.get(value);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    const cell = this.#cells.get(value);
    if (cell !== undefined) body.load(cell);
    else this.#compute(value);
    if (
      cell === undefined &&
      (this.#words.operator(value) !== WORD_OP.load || (this.#uses.get(value) ?? 0) < 2)
    )
      return;
    const kept = body.newLocal();
    body.tee(kept);
    this.#locals.set(value, kept);
  }

  #compute(value: Value): void {
    const body = this.#body;
    const words = this.#words;
    const op = words.operator(value);
    const a = words.operand(value, 0);
    const b = words.operand(value, 1);
    switch (op) {
      case WORD_OP.constant:
        body.constant(a);
        return;
      case WORD_OP.load:
        body.load(this.#places.word(a));
        return;
      case WORD_OP.ram:
        this.#push(b);
        body.constant(1);
        body.op(I32.shl);
        body.load16(this.#places.ram(a));
        return;
      case WORD_OP.table:
        this.#push(b);
        body.loadAt(this.#places.table(a));
        return;
      case WORD_OP.select:
        this.#push(b);
        this.#push(words.operand(value, 2));
        this.#push(a);
        body.select();
        return;
      default: {
        const instruction = INSTRUCTION.get(op);
        if (instruction === undefined) throw new Error(`no instruction for operation ${op}`);
        this.#push(a);
        this.#push(b);
        body.op(instruction);
      }
    }
  }
}
