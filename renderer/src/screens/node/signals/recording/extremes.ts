import type { SignalTrace } from './trace.ts';

/** Pieces of a block. */
const BLOCK = 64;

/** The least and the greatest value of ranges of pieces: a curve costs its columns, not its samples. */
export class Extremes {
  readonly #values: Float64Array;
  /** The least and the greatest value of each block, one after the other. */
  readonly #blocks: Float64Array;

  /** @param signed the values are two's complement */
  constructor({ starts, field: { width }, value }: SignalTrace, signed: boolean) {
    const limit = 2 ** (width - 1);
    this.#values = Float64Array.from(starts, (_, piece) => {
      const plain = Number(value(piece));
      return signed && plain >= limit ? plain - 2 * limit : plain;
    });
    const count = Math.ceil(starts.length / BLOCK);
    this.#blocks = new Float64Array(2 * count);
    for (let block = 0; block < count; block++) {
      const [min, max] = this.#scan(block * BLOCK, Math.min(starts.length, (block + 1) * BLOCK) - 1);
      this.#blocks[2 * block] = min;
      this.#blocks[2 * block + 1] = max;
    }
  }

  at(piece: number): number {
    return this.#values[piece] ?? 0;
  }

  /** Of the pieces from `first` to `last`, both included. */
  of(first: number, last: number): [min: number, max: number] {
    const [from, to] = [Math.ceil(first / BLOCK), Math.floor((last + 1) / BLOCK)];
    if (from >= to) return this.#scan(first, last);
    let [min, max] = this.#scan(first, from * BLOCK - 1);
    const [least, greatest] = this.#scan(to * BLOCK, last);
    min = Math.min(min, least);
    max = Math.max(max, greatest);
    for (let block = from; block < to; block++) {
      min = Math.min(min, this.#blocks[2 * block] ?? min);
      max = Math.max(max, this.#blocks[2 * block + 1] ?? max);
    }
    return [min, max];
  }

  #scan(first: number, last: number): [min: number, max: number] {
    let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (let piece = first; piece <= last; piece++) {
      const value = this.#values[piece] ?? 0;
      if (value < min) min = value;
      if (value > max) max = value;
    }
    return [min, max];
  }
}
