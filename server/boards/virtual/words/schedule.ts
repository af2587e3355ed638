import { type Value, WORD_OP, type WordGraph } from './word-graph.ts';
import type { WordPlanner } from './word-planner.ts';

/** Stores of values, all of them under one condition. */
export interface Action {
  /** 0 or 1; null for always. */
  condition: Value | null;
  stores: { address: number; value: Value }[];
}

/** In the order of evaluation: a value, or an action after its values. */
export type Step = { value: Value; action: null } | { value: null; action: Action };

/** An evaluation: its steps, and which value is evaluated for another one. */
export interface Order {
  readonly steps: readonly Step[];
  resolved(value: Value): Value;
}

/** Attempts after which a design is given up: its words depend on one another in too many ways. */
const MAX_ATTEMPTS = 400_000;

/**
 * Orders values so that each comes after its operands. A single bit is extracted from its word, unless that word
 * depends on this bit through other lanes: then the bit is computed separately.
 */
export class Schedule implements Order {
  readonly steps: Step[] = [];
  readonly #words: WordGraph;
  readonly #planner: WordPlanner;
  readonly #instead = new Map<Value, Value>();
  readonly #done = new Set<Value>();
  readonly #open = new Set<Value>();
  #attempts = 0;

  /** @throws RangeError when it finds no order within its limits. */
  constructor(words: WordGraph, planner: WordPlanner, actions: readonly Action[]) {
    this.#words = words;
    this.#planner = planner;
    for (const action of actions) {
      const wanted = action.stores.map(({ value }) => value);
      if (action.condition !== null) wanted.unshift(action.condition);
      for (const value of wanted) if (!this.#visit(value)) throw new RangeError('A word depends on itself.');
      this.steps.push({ value: null, action });
    }
  }

  /** The value that is evaluated for another one. */
  resolved(value: Value): Value {
    let at = value;
    for (let next = this.#instead.get(at); next !== undefined; next = this.#instead.get(at)) at = next;
    return at;
  }

  /** False when the value needs one whose evaluation is in progress. */
  #visit(wanted: Value): boolean {
    const value = this.resolved(wanted);
    if (this.#done.has(value)) return true;
    if (this.#open.has(value)) return false;
    if (++this.#attempts > MAX_ATTEMPTS) throw new RangeError('The words of the design are too entangled.');
    this.#open.add(value);
    const found =
      this.#words.operator(value) === WORD_OP.scalar ? this.#visitScalar(value) : this.#visitOperands(value);
    this.#open.delete(value);
    return found;
  }

  #visitOperands(value: Value): boolean {
    let found = true;
    this.#words.operands(value, (operand) => {
      found &&= this.#visit(operand);
    });
    if (!found) return false;
    this.#done.add(value);
    this.steps.push({ value, action: null });
    return true;
  }

  #visitScalar(value: Value): boolean {
    const words = this.#words;
    const node = words.operand(value, 0);
    const location = this.#planner.locationOf(node);
    if (location && this.#visit(location.value))
      return this.#replace(value, words.moved(location.value, location.lane));
    return this.#replace(value, this.#planner.apart(node));
  }

  #replace(value: Value, by: Value): boolean {
    if (!this.#visit(by)) return false;
    this.#instead.set(value, by);
    return true;
  }
}
