/**
 * How long a thread stays awake for what it waits for, milliseconds: about as long as a word takes from the one who asks for it
 * to the board and back. To be put to sleep and woken up takes an idle core as long as the word itself.
 */
const AWAKE = 0.3;

/**
 * Keeps the event loop of a thread from sleeping for a moment, where it waits for another thread that has lately been quick.
 * Who is slow, or seldom asked, is slept for: nothing is spent on the wait then.
 */
export class Alertness {
  readonly #now: () => number;
  readonly #again: (callback: () => void) => void;
  #since = 0;
  #waiting = false;
  #quick = false;
  #awake = false;

  /**
   * @param now milliseconds, monotonic
   * @param again calls back in the next turn of the event loop, which does not sleep before
   */
  constructor(
    now: () => number = () => performance.now(),
    again: (callback: () => void) => void = (callback) => setImmediate(callback),
  ) {
    this.#now = now;
    this.#again = again;
  }

  /** Something is waited for from now on. */
  wait(): void {
    this.#since = this.#now();
    this.#waiting = true;
    if (!this.#quick || this.#awake) return;
    this.#awake = true;
    this.#stay();
  }

  /** It is there. */
  end(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#quick = this.#now() - this.#since <= AWAKE;
  }

  #stay = (): void => {
    this.#awake = this.#waiting && this.#now() - this.#since <= AWAKE;
    if (this.#awake) this.#again(this.#stay);
  };
}
