import type { Clock } from '../../server/clock.ts';

/** A clock that moves only on request. */
export class FakeClock implements Clock {
  #now: number;
  /** Lead of the wall clock over the monotonic one. */
  #set = 0;
  /** Which start of the computer it is; null where the system does not say. */
  boot: string | null = 'this start';
  #timers = new Set<{ at: number; callback: () => void }>();

  constructor(start = Date.parse('2024-03-01T12:00:00.000Z')) {
    this.#now = start;
  }

  now(): number {
    return this.#now + this.#set;
  }

  sinceBoot() {
    return { boot: this.boot, milliseconds: this.#now };
  }

  /** The clock on the wall is set, forth or back. */
  setWall(ms: number): void {
    this.#set += ms;
  }

  /** The computer sleeps: clocks run, timers are late. */
  sleep(ms: number): void {
    this.#now += ms;
  }

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many callbacks are due some time. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves on, calling back in order what falls due on the way. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at);
      if (!next) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
    this.#now = end;
  }
}
