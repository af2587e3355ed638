/** A place in an order of arrival. */
export interface Turn {
  /** Resolves when everybody who came before has passed. */
  come: Promise<void>;
  /** Lets the next one come; further calls change nothing. */
  pass(): void;
}

/** Keeps those who prepare something side by side, and take different times for it, in the order they came in. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  take(): Turn {
    const before = this.#last;
    let pass: () => void = () => {};
    const passed = new Promise<void>((resolve) => {
      pass = resolve;
    });
    this.#last = before.then(() => passed);
    return { come: before, pass };
  }
}
