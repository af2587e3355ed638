import { toolchainError } from '../../errors/toolchain.ts';

/** Limits how many callers are in at once, first come, first served. Its cost does not depend on how many wait. */
export class Semaphore {
  #free: number;
  /** Waiting callers in order. A Set removes one from the middle in constant time. */
  readonly #line = new Set<() => void>();

  get free(): number {
    return this.#free;
  }

  constructor(total: number) {
    this.#free = total;
  }

  /** @returns gives the pass back; repeated calls change nothing @throws build_aborted when `signal` aborts first */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#line.delete(enter);
        reject(toolchainError('build_aborted'));
      };
      const enter = () => {
        signal.removeEventListener('abort', abort);
        this.#free--;
        let isTaken = true;
        resolve(() => {
          if (!isTaken) return;
          isTaken = false;
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
