import { Owners } from '../words/owners.ts';
import type { Regions } from '../words/regions.ts';
import type { Action, Order, Step } from '../words/schedule.ts';
import type { ValueSamples } from '../words/value-samples.ts';
import { isAvailable, type Value, WORD_OP, type WordGraph } from '../words/word-graph.ts';
import { FunctionBody, I32, type Local } from './assembler.ts';

/** Memory places that the values read. */
export interface WordPlaces {
  word(index: number): number;
  ram(index: number): number;
  /** Place of a table by its contents. */
  table(contents: Int32Array): number;
  /** Place of a value that another evaluation stores. */
  kept(value: Value): number;
  /** Cell whose bits mark changes of sources 32 k to 32 k + 31. */
  changed(k: number): number;
  /** A new cell for a value that several functions need; call it once for each. */
  cell(): number;
}

/** V8's optimising compiler slows down on larger functions. */
const FUNCTION_VALUES = 1200;

const INSTRUCTION = new Map<number, number>([
  [WORD_OP.and, I32.and],
  [WORD_OP.or, I32.or],
  [WORD_OP.xor, I32.xor],
  [WORD_OP.add, I32.add],
  [WORD_OP.sub, I32.sub],
  [WORD_OP.mul, I32.mul],
  [WORD_OP.shl, I32.shl],
  [WORD_OP.shrU, I32.shrU],
  [WORD_OP.shrS, I32.shrS],
]);

const isInMemory = (operator: number): boolean => operator === WORD_OP.load || operator === WORD_OP.kept;

/** Writes the functions that evaluate a schedule once, one after another. */
export class WordCode {
  readonly functions: FunctionBody[] = [];
  readonly #order: Order;
  readonly #words: WordGraph;
  readonly #places: WordPlaces;
  readonly #regions: Regions;
  /** Region by region; actions come last. */
  readonly #steps: Step[];
  readonly #owners: Owners;
  readonly #observed: ValueSamples;
  /** The last function that uses each value. */
  readonly #lastUse = new Map<Value, number>();
  readonly #functionOf = new Map<Value | Action, number>();
  readonly #cells = new Map<Value, number>();
  #locals = new Map<Value, Local>();
  #body: FunctionBody;
  readonly #name: string;
  #calm = 0;

  /** @param name prefix of its functions' names, followed by a number */
  constructor(
    order: Order,
    words: WordGraph,
    places: WordPlaces,
    regions: Regions,
    observed: ValueSamples,
    name: string,
  ) {
    this.#name = name;
    this.#body = new FunctionBody(`${name}0`, 0, 0);
    this.#order = order;
    this.#words = words;
    this.#places = places;
    this.#regions = regions;
    const regionOf = ({ value }: Step) => (value === null ? regions.guards.length : regions.regionOf(value));
    this.#steps = order.steps.toSorted((x, y) => regionOf(x) - regionOf(y));
    this.#owners = new Owners(order, words, regions, this.#steps, observed);
    this.#observed = observed;
    this.#divide();
    this.#write();
  }

  /** Number of branches around values that are rarely needed. */
  get branches(): number {
    return this.#owners.branches;
  }

  /** Functions that evaluate regions. */
  get calm(): readonly FunctionBody[] {
    return this.functions.slice(0, this.#calm);
  }

  /** The cell of a region's value that is needed outside it. */
  cellOf(value: Value): number {
    const cell = this.#cells.get(value);
    if (cell === undefined) throw new Error(`Value ${value} has no cell.`);
    return cell;
  }

  #used(action: Action, visit: (value: Value) => void): void {
    if (action.condition !== null) visit(this.#order.resolved(action.condition));
    for (const { value } of action.stores) visit(this.#order.resolved(value));
  }

  #operands(value: Value, visit: (operand: Value) => void): void {
    this.#words.operands(value, (operand) => visit(this.#order.resolved(operand)));
  }

  /** A value with a statement of its own; others are computed where they are used. */
  #isDefined(value: Value): boolean {
    if (this.#owners.escapes.has(value) || this.#owners.deciding(value) !== undefined) return true;
    return (this.#owners.uses.get(value) ?? 0) > 1 && !isAvailable(this.#words.operator(value));
  }

  /** Divides the steps among functions. */
  #divide(): void {
    let current = 0;
    let size = 0;
    let isCalm = true;
    for (const { value, action } of this.#steps) {
      if (isCalm && (value === null || !this.#regions.isGuarded(value))) {
        // Values that are evaluated in every clock have functions of their own.
        isCalm = false;
        if (size > 0) current++;
        size = 0;
        this.#calm = current;
      }
      if (value !== null) {
        if (!this.#owners.uses.has(value)) continue;
        size++;
        if (this.#owners.outermost(value) !== null || !this.#isDefined(value)) continue;
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
      else if (this.#owners.uses.has(value)) {
        const owner = this.#owners.outermost(value);
        const where = this.#functionOf.get(owner ?? value) ?? this.#lastUse.get(value) ?? 0;
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
        this.#body = new FunctionBody(`${this.#name}${++current}`, 0, 0);
        this.#locals = new Map();
      }
      if (action) this.#act(action);
      else if (this.#regions.isGuarded(value)) guarded.push(value);
      else this.#define(value);
    }
    endRegion();
    this.functions.push(this.#body);
  }

  /** Evaluates values of a region if any of its sources has changed. */
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
    // Values that depend only on inputs are evaluated when inputs change, which sets all bits.
    if (terms === 0) body.load(this.#places.changed(0));
    body.if(() =>
      this.#inside(() => {
        for (const value of values) this.#define(value);
      }),
    );
  }

  /** Values computed inside are undefined outside. */
  #inside(write: () => void): void {
    const outside = this.#locals;
    this.#locals = new Map(outside);
    this.#body.scoped(write);
    this.#locals = outside;
  }

  #define(value: Value): void {
    const body = this.#body;
    const local = body.newLocal();
    const deciding = this.#owners.deciding(value);
    if (deciding === undefined) this.#compute(value);
    else this.#unlessDecided(value, deciding, local);
    body.set(local);
    this.#locals.set(value, local);
    const defined = this.#functionOf.get(value);
    const later = defined !== undefined && (this.#lastUse.get(value) ?? 0) > defined;
    if (!later && !this.#owners.escapes.has(value)) return;
    const cell = this.#places.cell();
    this.#cells.set(value, cell);
    body.store(cell, () => body.get(local));
  }

  /** Pushes a value whose private parts are computed only where one operand does not decide the result. */
  #unlessDecided(value: Value, deciding: Value, local: Local): void {
    const body = this.#body;
    const demanded = this.#observed.demanded(value);
    const isOr = this.#words.operator(value) === WORD_OP.or;
    body.constant(isOr ? demanded : 0);
    body.set(local);
    this.#push(deciding);
    if (isOr) {
      body.constant(-1);
      body.op(I32.xor);
    }
    body.constant(demanded);
    body.op(I32.and);
    body.if(() =>
      this.#inside(() => {
        this.#defineAll(this.#owners.ownedBy(value));
        this.#compute(value);
        body.set(local);
      }),
    );
    body.get(local);
  }

  #defineAll(values: readonly Value[]): void {
    for (const value of values) if (this.#isDefined(value)) this.#define(value);
  }

  #act(action: Action): void {
    const body = this.#body;
    const { condition, stores } = action;
    if (condition === null) {
      for (const { address, value } of stores) body.store(address, () => this.#push(value));
      return;
    }
    if (!this.#owners.isBranch(action)) {
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
        this.#defineAll(this.#owners.ownedBy(action));
        for (const { address, value } of stores) body.store(address, () => this.#push(value));
      }),
    );
  }

  #push(wanted: Value): void {
    const body = this.#body;
    const value = this.#order.resolved(wanted);
    const local = this.#locals.get(value);
    if (local !== undefined) {
      body.get(local);
      return;
    }
    const cell = this.#cells.get(value);
    if (cell !== undefined) body.load(cell);
    else this.#compute(value);
    const isLoaded = cell !== undefined || isInMemory(this.#words.operator(value));
    if (!isLoaded || (cell === undefined && (this.#owners.uses.get(value) ?? 0) < 2)) return;
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
      case WORD_OP.kept:
        body.load(this.#places.kept(a));
        return;
      case WORD_OP.ram:
        this.#push(b);
        body.constant(1);
        body.op(I32.shl);
        body.load16(this.#places.ram(a));
        return;
      case WORD_OP.table:
        this.#push(b);
        body.loadAt(this.#places.table(words.tables[a] ?? new Int32Array()));
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
