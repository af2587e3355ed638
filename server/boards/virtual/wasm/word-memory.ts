/** Memory that an evaluation in words has for its own, behind that of the machine: byte addresses. */
export class WordMemory {
  /** Not 0 when anything but the machine itself has changed its memory. */
  readonly stale: number;
  /** Not 0 where an observed output that is logic has changed. */
  readonly changedOutputs: number;
  /** 1 where registers are to be set or reset at once. */
  readonly overruled: number;
  /** Not 0 where a clock is to be gone on with at its falling edge. */
  readonly half: number;
  readonly #levels: number;
  readonly #changed: number;
  #bytes: number;
  readonly #tables = new Map<Int32Array, number>();

  /**
   * @param from where it begins
   * @param sets words that say which sources have changed
   * @param clocks that the design makes itself
   */
  constructor(from: number, sets: number, clocks: number) {
    this.stale = from;
    this.changedOutputs = from + 4;
    this.overruled = from + 8;
    this.half = from + 12;
    this.#levels = from + 16;
    this.#changed = this.#levels + 4 * clocks;
    this.#bytes = this.#changed + 4 * sets;
  }

  /** Where it ends. */
  get end(): number {
    return this.#bytes;
  }

  /** Constants that are to be written into it. */
  get tables(): { address: number; contents: Int32Array }[] {
    return [...this.#tables].map(([contents, address]) => ({ address, contents }));
  }

  /** Cell whose bits say which of sources 32 k to 32 k + 31 have changed. */
  readonly changed = (k: number): number => this.#changed + 4 * k;

  /** Cell with the level that a clock which the design makes itself has now: 0 or 1. */
  readonly levels = (clock: number): number => this.#levels + 4 * clock;

  /** One more cell. */
  readonly cell = (): number => {
    this.#bytes += 4;
    return this.#bytes - 4;
  };

  /** Where a table is, by its contents. */
  readonly table = (contents: Int32Array): number => {
    const known = this.#tables.get(contents);
    if (known !== undefined) return known;
    const address = this.#bytes;
    this.#tables.set(contents, address);
    this.#bytes += contents.byteLength;
    return address;
  };
}
