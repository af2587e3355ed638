import { KnownBits, type KnownWords } from './known-bits.ts';
import { Rows } from './rows.ts';
import type { Order, Step } from './schedule.ts';
import { type Value, WORD_OP, WordGraph } from './word-graph.ts';

const { constant, load, ram, table, kept, and, or, xor, add, sub, shl, shrU, shrS, mul, select } = WORD_OP;

/**
 * An evaluation for states with known bits: values that follow from them are not computed. Stores are the same, except
 * those whose condition is known to be false.
 */
export class Specialised implements Order {
  readonly words = new WordGraph();
  readonly steps: Step[] = [];
  readonly #from: WordGraph;
  readonly #rows: Rows;
  readonly #bits: KnownBits;
  /** By the rows of the other evaluation. */
  readonly #values: Int32Array;
  #written = 0;

  /** @param isKept values that the other evaluation stores in memory */
  constructor(order: Order, from: WordGraph, known: KnownWords, isKept: (value: Value) => boolean) {
    this.#from = from;
    this.#rows = new Rows(order, from);
    this.#bits = new KnownBits(this.#rows, from.tables, isKept);
    this.#bits.find(known);
    this.#values = new Int32Array(this.#rows.length).fill(-1);
    let row = 0;
    for (const step of order.steps) {
      if (step.action) this.#act(step);
      else if (this.#bits.asked[row] !== 0) this.#values[row] = this.#valueOf(row);
      if (step.value !== null) row++;
      for (; this.#written < this.words.size; this.#written++)
        this.steps.push({ value: this.#written, action: null });
      if (step.action) this.#store(step);
    }
  }

  resolved(value: Value): Value {
    return value;
  }

  /** Makes the values that an action still needs. */
  #act({ action }: Step): void {
    for (const { value } of action?.stores ?? []) this.#at(this.#rows.of(value));
    if (action?.condition != null) this.#at(this.#rows.of(action.condition));
  }

  #store({ action }: Step): void {
    if (!action) return;
    const row = action.condition === null ? -1 : this.#rows.of(action.condition);
    if (row >= 0 && (this.#bits.zeros[row] ?? 0) & 1) return;
    const always = row < 0 || ((this.#bits.ones[row] ?? 0) & 1) === 1;
    this.steps.push({
      value: null,
      action: {
        condition: always ? null : this.#at(row),
        stores: action.stores.map(({ address, value }) => ({
          address,
          value: this.#at(this.#rows.of(value)),
        })),
      },
    });
  }

  /** The value for a row; one without demanded bits is arbitrary. */
  #at(row: number): Value {
    const value = this.#values[row] ?? -1;
    return value >= 0 ? value : this.words.constant(this.#bits.ones[row] ?? 0);
  }

  #valueOf(row: number): Value {
    const { words } = this;
    const own = this.#rows.values[row] ?? 0;
    if (this.#bits.isKnown(row)) return words.constant(this.#bits.ones[row] ?? 0);
    if (this.#bits.isKept(row)) return words.kept(own, this.#from.bitsOf(own));
    const same = this.#bits.sameAs(row);
    if (same >= 0) return this.#at(same);
    const [x, y] = [this.#rows.a[row] ?? 0, this.#rows.b[row] ?? 0];
    switch (this.#rows.operators[row]) {
      case constant:
        return words.constant(x);
      case load:
        return words.load(x, this.#from.bitsOf(own));
      case kept:
        return words.kept(x, this.#from.bitsOf(own));
      case ram:
        return words.ram(x, this.#at(y));
      case table:
        return words.table(this.#from.tables[x] ?? new Int32Array(), this.#at(y));
      case and:
        return words.and(this.#at(x), this.#at(y));
      case or:
        return words.or(this.#at(x), this.#at(y));
      case xor:
        return words.xor(this.#at(x), this.#at(y));
      case add:
        return words.add(this.#at(x), this.#at(y));
      case sub:
        return words.sub(this.#at(x), this.#at(y));
      case mul:
        return words.mul(this.#at(x), this.#at(y));
      case shl:
        return words.shl(this.#at(x), this.#at(y));
      case shrU:
        return words.shrU(this.#at(x), this.#at(y));
      case shrS:
        return words.shrS(this.#at(x), this.#at(y));
      case select:
        return words.select(this.#at(x), this.#at(y), this.#at(this.#rows.c[row] ?? 0));
      default:
        throw new Error(`no meaning for operation ${this.#rows.operators[row]}`);
    }
  }
}
