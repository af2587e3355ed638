/** Stored bytes; a quarter more may be there until the oldest go. */
const MAX_BYTES = 1 << 20;
const FIRST_SIZE = 1 << 14;

/** The newest bytes of a line, addressed by their count since the line began. */
export class ByteLog {
  #store = new Uint8Array(FIRST_SIZE);
  #length = 0;
  /** Count of the first stored byte. */
  first = 0;

  /** Count after the last byte. */
  get end(): number {
    return this.first + this.#length;
  }

  push(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#store.length) this.#makeRoom(bytes.length);
    this.#store.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Goes on after bytes that are missing; only the bytes after them stay. */
  skip(count: number): void {
    this.first = this.end + count;
    this.#length = 0;
  }

  /** The stored bytes of a range. */
  slice(from: number, to: number): Uint8Array {
    return this.#store.subarray(
      Math.max(0, from - this.first),
      Math.max(0, Math.min(to, this.end) - this.first),
    );
  }

  /** The oldest go in large steps, so that a byte is moved a few times at most. */
  #makeRoom(count: number): void {
    const stays = Math.min(this.#length, MAX_BYTES);
    const size = Math.min(2 * this.#store.length, 1.25 * MAX_BYTES);
    const store = new Uint8Array(Math.max(size, stays + count));
    store.set(this.#store.subarray(this.#length - stays, this.#length));
    this.#store = store;
    this.first += this.#length - stays;
    this.#length = stays;
  }
}
