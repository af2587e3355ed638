/** Minimum running time after which V8 has optimised new code, seconds. */
const MIN_SECONDS = 0.1;

/** Factor by which the total running time must grow after a check that found nothing new. */
const BACKOFF = 10;

/** Limit of checks in one process. */
const MAX_CHECKS = 6;

/**
 * Decides when to check whether V8 has optimised more code of a tool than the cache has. A check serialises all of the
 * tool's code, about 40 ms of processor time for Yosys. The longer a tool has run, the less is new.
 */
export class CacheChecks {
  /** Seconds of all successful runs. */
  #ran = 0;
  /** Value of #ran at which the next check is due. */
  #due = MIN_SECONDS;
  #left = MAX_CHECKS;

  /** Adds a successful run. */
  addRun(seconds: number): void {
    this.#ran += seconds;
  }

  get isDue(): boolean {
    return this.#left > 0 && this.#ran >= this.#due;
  }

  /** Notes a check. @param grown the cache was updated */
  noteCheck(grown: boolean): void {
    this.#left -= 1;
    this.#due = grown ? this.#ran + MIN_SECONDS : this.#ran * BACKOFF;
  }
}
