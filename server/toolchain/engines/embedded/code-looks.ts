/** V8 has optimised little of a tool that ran for less, seconds. */
const ENOUGH = 0.1;

/** A look that found nothing new is worth another one when the tool has run for so many times as long. */
const LONGER = 10;

/** How often a process looks whether more of a tool's code is worth being kept. */
const MOST = 6;

/**
 * When it is worth looking whether V8 has optimised more of a tool than what is kept of it. Each look writes all of its code into
 * memory, some 40 ms of the processor for Yosys, at a moment when nothing else is to be done; and the longer a tool has run, the less is new.
 */
export class CodeLooks {
  /** Seconds that runs took which ended well. */
  #ran = 0;
  /** With how many of them the next look is due. */
  #due = ENOUGH;
  #left = MOST;

  /** A run has ended well. */
  ran(seconds: number): void {
    this.#ran += seconds;
  }

  get due(): boolean {
    return this.#left > 0 && this.#ran >= this.#due;
  }

  /** @param grown there was clearly more than was kept */
  looked(grown: boolean): void {
    this.#left -= 1;
    this.#due = grown ? this.#ran + ENOUGH : this.#ran * LONGER;
  }
}
