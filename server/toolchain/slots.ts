import { toolchainError } from '../errors/toolchain.ts';

interface Waiting {
  enter(): void;
  /** Called when the place in line has changed; 1 is next. */
  moved: ((place: number) => void) | undefined;
}

/** Limits how many callers are in at once. The others wait in one line; `first` says whether the oldest or the newest is next. */
export class Slots {
  readonly total: number;
  #busy = 0;
  /** In order of arrival. A Set removes one from the middle in constant time. */
  readonly #line = new Set<Waiting>();
  /** Somebody wants to know its place; else nobody is announced, and the cost does not depend on how many wait. */
  #announces = false;
  readonly #first: 'oldest' | 'newest';

  constructor(total: number, first: 'oldest' | 'newest' = 'oldest') {
    this.total = total;
    this.#first = first;
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /** Whether the next caller need not wait. */
  get free(): boolean {
    return this.#busy < this.total && this.#line.size === 0;
  }

  /**
   * Waits for a slot.
   * @param moved called with the place in line of the oldest first, at first and at every change
   * @returns gives the slot back; repeated calls change nothing
   * @throws build_aborted when `signal` aborts first
   */
  acquire(signal?: AbortSignal, moved?: (place: number) => void): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        reject(toolchainError('build_aborted'));
        if (this.#line.delete(waiting)) this.#announce();
      };
      const enter = () => {
        signal?.removeEventListener('abort', abort);
        this.#busy++;
        let isTaken = true;
        resolve(() => {
          if (!isTaken) return;
          isTaken = false;
          this.#busy--;
          this.#next();
        });
      };
      const waiting: Waiting = { enter, moved };
      if (signal?.aborted) return abort();
      if (this.free) return enter();
      signal?.addEventListener('abort', abort, { once: true });
      this.#line.add(waiting);
      this.#announces ||= moved !== undefined;
      moved?.(this.#line.size);
    });
  }

  #next(): void {
    const [oldest] = this.#line;
    const next = this.#first === 'oldest' ? oldest : [...this.#line].at(-1);
    if (!next || this.#busy >= this.total) return;
    this.#line.delete(next);
    next.enter();
    this.#announce();
  }

  #announce(): void {
    if (!this.#announces) return;
    let place = 0;
    for (const { moved } of this.#line) moved?.(++place);
  }
}
