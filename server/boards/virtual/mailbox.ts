import type { Watched } from './alertness.ts';

/** Maximum bytes of a letter: copying a longer burst costs more than a message, which takes all of it at once. */
const MAX_BYTES = 1024;
/** Maximum requests in a letter. */
const MAX_REQUESTS = 16;

/** Cells before the bytes. */
const CELL = {
  /** 1 while a letter waits. */
  full: 0,
  /** 1 while the receiver polls. */
  watched: 1,
  /** Messages taken from the accompanying port; wraps after 2³¹. */
  taken: 2,
  fabric: 3,
  length: 4,
  count: 5,
  requests: 6,
} as const;

const CELLS = CELL.requests + MAX_REQUESTS;

/** Bytes to a design or from it. */
export interface Letter {
  fabric: number;
  /** The request that it is, or the requests that it answers. */
  requests: readonly number[];
  bytes: Uint8Array;
}

/** The shared memory of an empty mailbox. */
export const newMailbox = (): SharedArrayBuffer =>
  new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT + MAX_BYTES);

/**
 * One end of a shared-memory slot for one letter at a time, between threads. It accompanies the port for their
 * messages, because a message costs both threads about as much as a word on the board. Letters and messages arrive in
 * order: a letter is put only when no message is in flight, and a receiver takes a waiting letter before a message.
 */
class End {
  protected readonly cells: Int32Array;
  protected readonly bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.cells = new Int32Array(memory, 0, CELLS);
    this.bytes = new Uint8Array(memory, CELLS * Int32Array.BYTES_PER_ELEMENT);
  }
}

/** The end of the thread that sends. */
export class Outbox extends End {
  #posted = 0;
  readonly #wake: () => void;

  /** @param wake posts a message whose receiver finds the letter */
  constructor(memory: SharedArrayBuffer, wake: () => void) {
    super(memory);
    this.#wake = wake;
  }

  /** To be called with each message that is posted to the port. */
  posted(): void {
    this.#posted = (this.#posted + 1) | 0;
  }

  /** Sends a letter; false where it must be a message, because the receiver does not poll, or a message precedes it. */
  put({ fabric, requests, bytes }: Letter): boolean {
    const { cells } = this;
    if (
      Atomics.load(cells, CELL.watched) === 0 ||
      Atomics.load(cells, CELL.taken) !== this.#posted ||
      Atomics.load(cells, CELL.full) !== 0 ||
      bytes.length > MAX_BYTES ||
      requests.length > MAX_REQUESTS
    )
      return false;
    this.bytes.set(bytes);
    cells[CELL.fabric] = fabric;
    cells[CELL.length] = bytes.length;
    cells[CELL.count] = requests.length;
    cells.set(requests, CELL.requests);
    Atomics.store(cells, CELL.full, 1);
    // The receiver may have stopped polling meanwhile without seeing it.
    if (Atomics.load(cells, CELL.watched) === 0) this.#wake();
    return true;
  }
}

/** The end of the thread that receives. */
export class Inbox extends End implements Watched {
  readonly #take: (letter: Letter) => void;

  /** @param take gets each letter */
  constructor(memory: SharedArrayBuffer, take: (letter: Letter) => void) {
    super(memory);
    this.#take = take;
  }

  /** To be called with each message from the port, before it is processed. */
  arrived(): void {
    this.take();
    Atomics.add(this.cells, CELL.taken, 1);
  }

  /** Whether this thread polls. After it stops, the caller must check once more. */
  watch(watched: boolean): void {
    Atomics.store(this.cells, CELL.watched, watched ? 1 : 0);
  }

  /** Whether a letter waits. */
  get full(): boolean {
    return Atomics.load(this.cells, CELL.full) !== 0;
  }

  /** Takes the waiting letter, if there is one. */
  take(): void {
    const { cells } = this;
    if (!this.full) return;
    const letter = {
      fabric: cells[CELL.fabric] ?? 0,
      requests: Array.from({ length: cells[CELL.count] ?? 0 }, (_, at) => cells[CELL.requests + at] ?? 0),
      bytes: this.bytes.slice(0, cells[CELL.length]),
    };
    Atomics.store(cells, CELL.full, 0);
    this.#take(letter);
  }
}
