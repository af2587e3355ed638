import type { ModelBus } from '../wishbone/gateware-model.ts';

/** resources/check/board_check.v as a model, written from its description. */
export class CheckDesignModel implements ModelBus {
  /** Changes a word that the design makes or compares. */
  damage: (word: number, index: number) => number = (word) => word;
  readonly #memory = new Map<number, number>();
  #word = 0x5742_4348;
  #wrong = 0;
  #words = 0;

  read(address: number): number {
    switch (address) {
      case 0x1000:
        return this.damage(this.#next(), this.#words);
      case 0x1004:
        return this.#wrong;
      case 0x1008:
        return this.#words;
      default:
        return this.#memory.get(address) ?? 0;
    }
  }

  write(address: number, value: number): number {
    if (address === 0x1000) {
      if (this.damage(this.#next(), this.#words) !== value) this.#wrong++;
    } else if (address === 0x1004) {
      this.#word = 0x5742_4348;
      this.#wrong = 0;
      this.#words = 0;
    } else this.#memory.set(address, value);
    return value;
  }

  #next(): number {
    const word = this.#word;
    let next = BigInt(word);
    next ^= (next << 13n) & 0xffff_ffffn;
    next ^= next >> 17n;
    next ^= (next << 5n) & 0xffff_ffffn;
    this.#word = Number(next);
    this.#words++;
    return word;
  }
}
