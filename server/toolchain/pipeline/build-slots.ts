import { toolchainError } from '../../errors/toolchain.ts';

interface Waiting {
  start(): void;
  /** Told when the place in the line has changed; 1 is next. */
  moved(position: number): void;
}

/** How many builds run at once. The others wait in one line, first come first served. */
export class BuildSlots {
  readonly total: number;
  #busy = 0;
  #line: Waiting[] = [];

  constructor(total: number) {
    this.total = total;
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Waits for a slot and returns the function that gives it back.
   * @param moved called with the place in the line, from the first on, whenever it changes
   * @throws build_aborted when `signal` aborts before the slot is there
   */
  acquire(moved: (position: number) => void, signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(toolchainError('build_aborted'));
        return;
      }
      const abort = () => {
        this.#line = this.#line.filter((one) => one !== waiting);
        this.#announce();
        reject(toolchainError('build_aborted'));
      };
      const waiting: Waiting = {
        moved,
        start: () => {
          signal?.removeEventListener('abort', abort);
          this.#busy++;
          let held = true;
          resolve(() => {
            if (!held) return;
            held = false;
            this.#busy--;
            this.#next();
          });
        },
      };
      if (this.#busy < this.total && this.#line.length === 0) {
        waiting.start();
        return;
      }
      signal?.addEventListener('abort', abort, { once: true });
      this.#line.push(waiting);
      moved(this.#line.length);
    });
  }

  #next(): void {
    if (this.#busy >= this.total) return;
    const first = this.#line.shift();
    if (!first) return;
    first.start();
    this.#announce();
  }

  #announce(): void {
    for (const [i, waiting] of this.#line.entries()) waiting.moved(i + 1);
  }
}
