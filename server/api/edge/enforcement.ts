/**
 * Switches enforcement on. Every caller could see session ids before, so they are replaced first. The new ids are
 * hidden at once, and on disk before the setting. After a crash between the two writes, the old ids are invalid and
 * enforcement is off.
 */
export class Enforcement {
  #beginning = 0;

  /** True while enforcement applies but is not in the settings yet. */
  get beginning(): boolean {
    return this.#beginning > 0;
  }

  /** Replaces session ids with `renew`, stores the setting with `keep`, and enforces from the start. */
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
