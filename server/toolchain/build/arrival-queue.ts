/** A place in an ArrivalQueue. */
export interface Arrival {
  /** Resolves when every earlier arrival has left. */
  first: Promise<void>;
  /** Lets the next one be first; repeated calls change nothing. */
  leave(): void;
}

/** Keeps the order of arrival of builds whose preparations run in parallel and take different times. */
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
