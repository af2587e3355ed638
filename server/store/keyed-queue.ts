/** Runs the work of each key in order, and of different keys at once. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` after the earlier work of the key, whether that succeeded or not. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const after = before.catch(() => {}).then(work);
    this.#last.set(key, after);
    const done = () => {
      if (this.#last.get(key) === after) this.#last.delete(key);
    };
    after.then(done, done);
    return after;
  }
}
