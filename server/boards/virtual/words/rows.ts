import type { Order } from './schedule.ts';
import { isAvailable, type Value, type WordGraph } from './word-graph.ts';

/** Actions on values, by their rows; `condition` is -1 for always. */
export interface Outcome {
  condition: number;
  values: readonly number[];
}

/** The values of an evaluation in order, as rows of numbers for fast repeated passes. */
export class Rows {
  readonly values: readonly Value[];
  readonly operators: Int32Array;
  /** Operands by their rows; an operand that is no value is as given, see WordGraph.operand. */
  readonly a: Int32Array;
  readonly b: Int32Array;
  readonly c: Int32Array;
  /** Bits that may be 1. */
  readonly bits: Int32Array;
  readonly outcomes: readonly Outcome[];
  readonly #order: Order;
  readonly #rowOf = new Map<Value, number>();

  constructor(order: Order, words: WordGraph) {
    this.#order = order;
    this.values = order.steps.flatMap(({ value }) => (value === null ? [] : [value]));
    this.values.forEach((value, row) => {
      this.#rowOf.set(value, row);
    });
    const column = (of: (value: Value) => number) => Int32Array.from(this.values, of);
    const operands = (k: 0 | 1 | 2) =>
      column((value) => {
        const given = words.operand(value, k);
        return words.isOperand(value, k) ? this.of(given) : given;
      });
    this.operators = column((value) => words.operator(value));
    this.a = operands(0);
    this.b = operands(1);
    this.c = operands(2);
    this.bits = column((value) => words.bitsOf(value));
    this.outcomes = order.steps.flatMap(({ action }) =>
      action
        ? [
            {
              condition: action.condition === null ? -1 : this.of(action.condition),
              values: action.stores.map(({ value }) => this.of(value)),
            },
          ]
        : [],
    );
  }

  get length(): number {
    return this.values.length;
  }

  /** The row that is evaluated for a value. */
  of(value: Value): number {
    return this.#rowOf.get(this.#order.resolved(value)) ?? -1;
  }

  /** Whether it needs at most a read from memory. */
  isGiven(row: number): boolean {
    return isAvailable(this.operators[row] ?? 0);
  }
}
