/** A place in an ArrivalQueue. */
export interface Arrival {
  /** Resolves when everybody who entered before has left. */
  first: Promise<void>;
  /** Makes room for the next; further calls change nothing. */
  leave(): void;
}

/**
 * First in, first out: keeps those who prepare something side by side, and take different times for it, in the
 * order in which they came.
 */
export class ArrivalQueue {
  #allHaveLeft: Promise<void> = Promise.resolve();

  enter(): Arrival {
    const first = this.#allHaveLeft;
    let leave = () => {};
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    this.#allHaveLeft = first.then(() => left);
    return { first, leave };
  }
}
