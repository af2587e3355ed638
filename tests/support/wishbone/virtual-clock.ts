import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../../server/clock.ts';

interface Timer {
  at: number;
  order: number;
  callback: () => void;
}

/** Time that passes only while a caller waits and nothing else happens. */
export class VirtualClock implements Clock {
  readonly #timers = new Set<Timer>();
  #now = 0;
  #order = 0;

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Runs pending work, and lets time pass otherwise, until the promise is settled. */
  async until<T>(promise: Promise<T>): Promise<T> {
    let settled = false;
    const done = () => {
      settled = true;
    };
    promise.then(done, done);
    for (let steps = 0; ; steps++) {
      await turn();
      await turn();
      if (settled) return promise;
      if (steps > 200_000) throw new Error('Nothing settles it.');
      if (!this.#fireNext()) throw new Error('Nothing is left that could settle it.');
    }
  }

  /** Lets so much time pass. */
  async pass(ms: number): Promise<void> {
    const end = new Promise<void>((resolve) => this.after(ms, resolve));
    await this.until(end);
  }

  #fireNext(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers)
      if (!next || timer.at < next.at || (timer.at === next.at && timer.order < next.order)) next = timer;
    if (!next) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.callback();
    return true;
  }
}
