/** The compiled engine's own memory, after that of the machine: byte addresses. */
export class WordMemory {
  /** Not 0 when the memory was changed from outside the machine. */
  readonly stale: number;
  /** Not 0 where an observed logic output has changed. */
  readonly changedOutputs: number;
  /** 1 where registers must be set or reset at once. */
  readonly overruled: number;
  /** Not 0 where a clock must continue at its falling edge. */
  readonly half: number;
  readonly #levels: number;
  readonly #changed: number;
  #bytes: number;
  readonly #tables = new Map<Int32Array, number>();

  /**
   * @param from its first byte address
   * @param sets words that mark changed sources
   * @param clocks number of derived clocks
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

  /** Its end. */
  get end(): number {
    return this.#bytes;
  }

  /** Constants to be written into it. */
  get tables(): { address: number; contents: Int32Array }[] {
    return [...this.#tables].map(([contents, address]) => ({ address, contents }));
  }

  /** Cell whose bits mark changes of sources 32 k to 32 k + 31. */
  readonly changed = (k: number): number => this.#changed + 4 * k;

  /** Cell with the present level of a derived clock: 0 or 1. */
  readonly levels = (clock: number): number => this.#levels + 4 * clock;

  /** A new cell. */
  readonly cell = (): number => {
    this.#bytes += 4;
    return this.#bytes - 4;
  };

  /** Place of a table by its contents. */
  readonly table = (contents: Int32Array): number => {
    const known = this.#tables.get(contents);
    if (known !== undefined) return known;
    const address = this.#bytes;
    this.#tables.set(contents, address);
    this.#bytes += contents.byteLength;
    return address;
  };
}
