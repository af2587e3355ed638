/**
 * Switching enforcement on. Until then everybody saw the ids of sessions, so they are replaced first; the new ones are
 * hidden from the beginning, and so are on disk before the setting is: after a crash between the two the old ones are
 * gone and enforcement is as it was.
 */
export class Enforcement {
  #beginning = 0;

  /** True while it holds already and is not in the settings yet. */
  get beginning(): boolean {
    return this.#beginning > 0;
  }

  /** Replaces session ids with `renew`, then keeps the setting with `keep`, and enforces from now on. */
  async begin<T>(renew: () => Promise<void>, keep: () => Promise<T>): Promise<T> {
    this.#beginning++;
    try {
      await renew();
      return await keep();
    } finally {
      this.#beginning--;
    }
  }
}
