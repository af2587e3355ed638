import { toolchainError } from '../../errors/toolchain.ts';

/** Lets so many in at a time, first come first served. Thousands may wait: coming and going costs the same however many do. */
export class Semaphore {
  #free: number;
  /** Those who wait, in order: a Set forgets one in the middle at once. */
  readonly #line = new Set<() => void>();

  get free(): number {
    return this.#free;
  }

  constructor(total: number) {
    this.#free = total;
  }

  /** @returns gives the pass back; further calls change nothing @throws build_aborted when `signal` aborts before */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#line.delete(enter);
        reject(toolchainError('build_aborted'));
      };
      const enter = () => {
        signal.removeEventListener('abort', abort);
        this.#free--;
        let held = true;
        resolve(() => {
          if (!held) return;
          held = false;
          this.#free++;
          this.#next();
        });
      };
      if (signal.aborted) abort();
      else if (this.#free > 0) enter();
      else {
        signal.addEventListener('abort', abort, { once: true });
        this.#line.add(enter);
      }
    });
  }

  #next(): void {
    const [first] = this.#line;
    if (!first) return;
    this.#line.delete(first);
    first();
  }
}
