import type { Logger } from '../log.ts';
import { systemReason } from './filesystem.ts';

/** Whether the last write of every part of the store succeeded. */
export class StoreHealth {
  readonly #logger: Logger;
  readonly #failing = new Map<string, string>();
  readonly #listeners = new Set<(healthy: boolean) => void>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  get healthy(): boolean {
    return this.#failing.size === 0;
  }

  /** Registers a part of the store: returns the function to call after each write, null for success. */
  part(name: string): (error: unknown) => void {
    return (error) => {
      const before = this.healthy;
      if (error === null) this.#failing.delete(name);
      else {
        const reason = systemReason(error);
        if (this.#failing.get(name) !== reason)
          this.#logger.error({ part: name, err: error }, 'The store could not write.');
        this.#failing.set(name, reason);
      }
      if (before === this.healthy) return;
      if (this.healthy) this.#logger.info('The store can write again.');
      for (const listener of this.#listeners) listener(this.healthy);
    };
  }

  onChange(listener: (healthy: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
