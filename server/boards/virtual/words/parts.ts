import { BitMatrix } from './bit-matrix.ts';
import type { Value, WordGraph } from './word-graph.ts';

/** The location of a node: a bit of a value. */
export interface Location {
  value: Value;
  lane: number;
}

/** Values that are each right in some lanes. */
export class Parts {
  /** Lanes that are constant. */
  constants = 0;
  #ones = 0;
  readonly #masks = new Map<Value, number>();
  readonly #singles: Value[] = [];
  readonly #moved: BitMatrix;
  #movedTo = 0;
  readonly #words: WordGraph;

  constructor(words: WordGraph) {
    this.#words = words;
    this.#moved = new BitMatrix(words);
  }

  constant(lane: number, value: number): void {
    this.constants |= 1 << lane;
    this.#ones |= value << lane;
  }

  add(value: Value, lane: number): void {
    this.#masks.set(value, (this.#masks.get(value) ?? 0) | (1 << lane));
  }

  move({ value, lane: from }: Location, lane: number): void {
    this.#moved.toggle(value, from, lane);
    this.#movedTo |= 1 << lane;
  }

  /** Bit 0 of a value. */
  single(value: Value, lane: number): void {
    const words = this.#words;
    this.#singles.push(words.shl(words.and(value, words.constant(1)), words.constant(lane)));
  }

  joined(live: number): Value {
    const words = this.#words;
    if (this.#movedTo === live) return this.#moved.joined(live);
    const [only] = this.#masks;
    // A part that is right in all lanes needs no mask.
    if (only && only[1] === live) return only[0];
    let value = words.or(words.constant(this.#ones), this.#moved.joined(-1));
    for (const [part, mask] of this.#masks) value = words.or(value, words.and(part, words.constant(mask)));
    for (const single of this.#singles) value = words.or(value, single);
    return value;
  }
}
