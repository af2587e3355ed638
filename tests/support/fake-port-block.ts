import { bitsOfWords, wordsOfBits } from '../../server/wishbone/pin-block.ts';

/** The port block of docs/gateware.md without a board: what is written becomes the inputs, a read takes a snapshot. */
export class FakePortBlock {
  readonly #inputs: number;
  readonly #outputs: number;
  readonly #design: (inputs: bigint) => bigint;
  driven: bigint;
  #level: bigint;
  #rose = 0n;
  #fell = 0n;
  snapshots = 0;

  /** @param design what the outputs are for these inputs */
  constructor(inputs: number, outputs: number, design: (inputs: bigint) => bigint, initial = 0n) {
    this.#inputs = inputs;
    this.#outputs = outputs;
    this.#design = design;
    this.driven = initial;
    this.#level = design(initial);
  }

  /** Samples the outputs, as in every clock, and notes edges. */
  clock(): void {
    const level = this.#design(this.driven);
    this.#rose |= level & ~this.#level;
    this.#fell |= ~level & this.#level;
    this.#level = level;
  }

  write(words: Uint32Array): void {
    this.driven = bitsOfWords(words) >> BigInt(32 * words.length - this.#inputs);
    this.clock();
  }

  read(count: number): Uint32Array {
    this.clock();
    this.snapshots++;
    const width = BigInt(this.#outputs);
    const chain = this.#level | (this.#rose << width) | (this.#fell << (2n * width));
    this.#rose = 0n;
    this.#fell = 0n;
    return wordsOfBits(chain, count);
  }
}
