/** Size of the ring buffer, bytes: a power of two, because the counts wrap around. */
const ROOM = 64 * 1024;
const HEADER = 8;

/** Indices of the counts: bytes written and bytes read, modulo 2^32. */
const WRITTEN = 0;
const READ = 1;

/** Creates memory through which a busy tool thread passes its output to a reader without messages. */
export const sharedOutput = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER + ROOM);

/** The thread's side. */
export class OutputWriter {
  readonly #counts: Int32Array;
  readonly #ring: Uint8Array;
  readonly #full: () => void;

  /** @param full notifies the reader, without waiting */
  constructor(shared: SharedArrayBuffer, full: () => void) {
    this.#counts = new Int32Array(shared, 0, 2);
    this.#ring = new Uint8Array(shared, HEADER);
    this.#full = full;
  }

  /** Writes bytes, and blocks the thread while the buffer is full. */
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

/** The reader's side. */
export class OutputReader {
  readonly #counts: Int32Array;
  readonly #ring: Uint8Array;

  constructor(shared: SharedArrayBuffer) {
    this.#counts = new Int32Array(shared, 0, 2);
    this.#ring = new Uint8Array(shared, HEADER);
  }

  /** Returns a copy of the new output. */
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
