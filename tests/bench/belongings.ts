import { within } from './parts.ts';

/** Seconds that the end of one thing may take. */
const ENDING = 5;

/** Things that a part of a measurement has started; they end with it, however it ends. */
export class Belongings {
  readonly #ends: (() => unknown)[] = [];
  #closed = false;

  /**
   * Waits for something that is starting, and ends it with the part, the last one first.
   * @throws when the part is over already; the thing is ended then
   */
  async keep<T>(starting: T | Promise<T>, end: (thing: T) => unknown): Promise<T> {
    const thing = await starting;
    if (this.#closed) {
      await end(thing);
      throw new Error('the part is over');
    }
    this.#ends.push(() => end(thing));
    return thing;
  }

  /** Ends all of it. An item that does not end, or fails to, delays nothing else. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const end of this.#ends.splice(0).reverse())
      await within(
        ENDING,
        (async () => end())().catch(() => {}),
      );
  }
}
