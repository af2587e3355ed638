import type { Watched } from './alertness.ts';

/** Most bytes of a letter: a burst takes longer than a message does, and goes in one. */
const MAX_BYTES = 1024;
/** Most numbers of requests in a letter. */
const MAX_REQUESTS = 16;

/** Cells before the bytes. */
const CELL = {
  /** 1 while a letter waits. */
  full: 0,
  /** 1 while the one that it is for looks again and again. */
  watched: 1,
  /** Messages that have been taken from the port beside it, of which there may be more than 2³¹: it wraps. */
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
  /** The request that it is, or those that it answers. */
  requests: readonly number[];
  bytes: Uint8Array;
}

/** The memory of a mailbox, empty, to be shared by both its ends. */
export const newMailbox = (): SharedArrayBuffer =>
  new SharedArrayBuffer(CELLS * Int32Array.BYTES_PER_ELEMENT + MAX_BYTES);

/**
 * One end of a place in shared memory for one letter at a time, from a thread to another that looks for it just now.
 * It stands beside the port through which their messages go: to post one and to take it takes both threads about as long as
 * a word takes the board. Letters and messages arrive in the order in which they were sent: a letter is put only
 * where no message is under way, and who takes a message takes a waiting letter before it.
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

  /** @param wake posts a message whose taker finds the letter */
  constructor(memory: SharedArrayBuffer, wake: () => void) {
    super(memory);
    this.#wake = wake;
  }

  /** To be called with each message that is posted to the port. */
  posted(): void {
    this.#posted = (this.#posted + 1) | 0;
  }

  /** Sends a letter; false where it has to be a message, for nobody looks, or one is before it. */
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
    // It may have stopped looking meanwhile, without having seen it.
    if (Atomics.load(cells, CELL.watched) === 0) this.#wake();
    return true;
  }
}

/** The end of the thread that receives. */
export class Inbox extends End implements Watched {
  readonly #take: (letter: Letter) => void;

  /** @param take is given each letter */
  constructor(memory: SharedArrayBuffer, take: (letter: Letter) => void) {
    super(memory);
    this.#take = take;
  }

  /** To be called with each message that is taken from the port, before anything is done with it. */
  arrived(): void {
    this.take();
    Atomics.add(this.cells, CELL.taken, 1);
  }

  /** Whether this thread looks again and again from now on. Who ends that looks once more afterwards. */
  watch(watched: boolean): void {
    Atomics.store(this.cells, CELL.watched, watched ? 1 : 0);
  }

  /** Whether a letter waits. */
  get full(): boolean {
    return Atomics.load(this.cells, CELL.full) !== 0;
  }

  /** Takes the letter that waits, if there is one. */
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
