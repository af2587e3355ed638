/**
 * How long a thread stays awake for what it waits for, milliseconds: some three times as long as a word takes from the one who
 * asks for it to the board and back, for whose core others ask, too. To be put to sleep and woken up takes an idle core as
 * long as the word itself.
 */
const AWAKE = 0.6;

/** How often a thread that is awake looks in a turn of its event loop, which takes some microseconds itself. */
const LOOKS = 100;

/** What a thread that is awake looks at. */
export interface Watched {
  /** Whether what is waited for is there: to be asked again and again. */
  readonly full: boolean;
  /** It is looked at from now on, or not any more. */
  watch(watched: boolean): void;
  /** Takes what is there, if anything is. */
  take(): void;
}

/**
 * Keeps the event loop of a thread from sleeping for a moment, where it waits for another thread that has lately been quick.
 * Who is slow, or seldom asked, is slept for: nothing is spent on the wait then.
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
   * @param watched what is looked at meanwhile; null where what is waited for comes as an event
   * @param now milliseconds, monotonic
   * @param again calls back in the next turn of the event loop, which does not sleep before
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

  /** Something is waited for from now on. */
  wait(): void {
    this.#since = this.#now();
    this.#waiting = true;
    if (!this.#quick || this.#awake) return;
    this.#awake = true;
    this.#watched?.watch(true);
    this.#again(this.#stay);
  }

  /** It is there. */
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
