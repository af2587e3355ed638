/** Bytes that a thread may be ahead of whoever reads them; a power of two, so that the counts may wrap around. */
const ROOM = 64 * 1024;
const HEADER = 8;

/** Places of the counts: bytes that were written and that were read, modulo 2^32. */
const WRITTEN = 0;
const READ = 1;

/** Memory that a thread which is busy in a tool and its listener share: what the tool prints is there at once, without a message. */
export const sharedOutput = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER + ROOM);

/** The end of the thread. */
export class OutputWriter {
  readonly #counts: Int32Array;
  readonly #ring: Uint8Array;
  readonly #full: () => void;

  /** @param full calls the reader, without waiting for it */
  constructor(shared: SharedArrayBuffer, full: () => void) {
    this.#counts = new Int32Array(shared, 0, 2);
    this.#ring = new Uint8Array(shared, HEADER);
    this.#full = full;
  }

  /** Blocks the thread while there is no room. */
  write(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const written = Atomics.load(this.#counts, WRITTEN);
      const read = Atomics.load(this.#counts, READ);
      const free = ROOM - ((written - read) | 0);
      if (free === 0) {
        this.#full();
        Atomics.wait(this.#counts, READ, read);
        continue;
      }
      const start = written & (ROOM - 1);
      const count = Math.min(free, ROOM - start, bytes.length - at);
      this.#ring.set(bytes.subarray(at, at + count), start);
      Atomics.store(this.#counts, WRITTEN, (written + count) | 0);
      at += count;
    }
  }
}

/** The end of the listener. */
export class OutputReader {
  readonly #counts: Int32Array;
  readonly #ring: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.#counts = new Int32Array(shared, 0, 2);
    this.#ring = new Uint8Array(shared, HEADER);
  }

  /** What was written since the last time, a copy. */
  read(): Uint8Array {
    const read = Atomics.load(this.#counts, READ);
    const count = (Atomics.load(this.#counts, WRITTEN) - read) | 0;
    const start = read & (ROOM - 1);
    const bytes = new Uint8Array(count);
    const first = this.#ring.subarray(start, start + count);
    bytes.set(first);
    bytes.set(this.#ring.subarray(0, count - first.length), first.length);
    Atomics.store(this.#counts, READ, (read + count) | 0);
    Atomics.notify(this.#counts, READ);
    return bytes;
  }
}
