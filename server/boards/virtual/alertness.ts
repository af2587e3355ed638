/**
 * How long a thread polls before it sleeps, ms: some three times the round trip of a word to the board, on a shared
 * core. Sleep and wake-up take an idle core as long as the word itself.
 */
const AWAKE = 0.6;

/** Polls in one turn of the event loop, which itself takes some microseconds. */
const LOOKS = 100;

/** The source that a waking thread polls. */
export interface Watched {
  /** Whether something has arrived; polled. */
  readonly full: boolean;
  /** Polling begins or ends. */
  watch(watched: boolean): void;
  /** Takes what has arrived, if anything. */
  take(): void;
}

/**
 * Makes a thread's event loop poll for a moment instead of sleeping, where the other thread has been quick lately. For
 * a slow or rare partner it sleeps, so that waiting costs nothing.
 */
export class Alertness {
  readonly #now: () => number;
  readonly #again: (callback: () => void) => void;
  readonly #watched: Watched | null;
  #since = 0;
  #waiting = false;
  #quick = false;
  #awake = false;

  /**
   * @param watched the source to poll; null where it comes as an event
   * @param now monotonic milliseconds
   * @param again calls back in the next turn of the event loop, without a sleep before it
   */
  constructor(
    watched: Watched | null = null,
    now: () => number = () => performance.now(),
    again: (callback: () => void) => void = (callback) => setImmediate(callback),
  ) {
    this.#watched = watched;
    this.#now = now;
    this.#again = again;
  }

  /** A wait begins. */
  wait(): void {
    this.#since = this.#now();
    this.#waiting = true;
    if (!this.#quick || this.#awake) return;
    this.#awake = true;
    this.#watched?.watch(true);
    this.#again(this.#stay);
  }

  /** The wait ends. */
  end(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#quick = this.#now() - this.#since <= AWAKE;
  }

  #stay = (): void => {
    this.#look();
    this.#awake = this.#waiting && this.#now() - this.#since <= AWAKE;
    if (this.#awake) {
      this.#again(this.#stay);
      return;
    }
    this.#watched?.watch(false);
    this.#watched?.take();
  };

  #look(): void {
    if (!this.#watched) return;
    for (let looks = 0; looks < LOOKS; looks++) {
      if (!this.#watched.full) continue;
      this.#watched.take();
      return;
    }
  }
}
