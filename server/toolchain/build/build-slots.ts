import os from 'node:os';
import { toolchainError } from '../../errors/toolchain.ts';

/** Memory of a small build, and memory that the service itself needs, bytes. */
const BUILD_MEMORY = 512 * 2 ** 20;
const SERVICE_MEMORY = 1024 * 2 ** 20;

/** Number of build slots: one for each core, as far as memory allows. The service and idle boards need little. */
export function defaultSlots(cores: number, memory: number): number {
  const byMemory = Math.floor((memory - SERVICE_MEMORY) / BUILD_MEMORY);
  return Math.max(1, Math.min(cores, byMemory));
}

/** Memory that this process may use, bytes. */
function memoryOfMachine(): number {
  const constrained = process.constrainedMemory?.() ?? 0;
  const total = os.totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/** Number of build slots of this machine. */
export const slotsOfMachine = (): number => defaultSlots(os.availableParallelism(), memoryOfMachine());

interface Waiting {
  start(): void;
  /** Called when the place in line has changed; 1 is next. */
  moved(position: number): void;
}

/** Limits the builds at once. The others wait in one line; `first` says whether the oldest or the newest is next. */
export class BuildSlots {
  readonly total: number;
  #busy = 0;
  #line: Waiting[] = [];
  readonly #first: 'oldest' | 'newest';

  constructor(total: number, first: 'oldest' | 'newest' = 'oldest') {
    this.total = total;
    this.#first = first;
  }

  get busy(): number {
    return this.#busy;
  }

  get waiting(): number {
    return this.#line.length;
  }

  /**
   * Waits for a slot and returns the function that gives it back.
   * @param moved called with the place in line, at first and at every change
   * @throws build_aborted when `signal` aborts first
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
          let isTaken = true;
          resolve(() => {
            if (!isTaken) return;
            isTaken = false;
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
      if (this.#first === 'oldest') {
        this.#line.push(waiting);
        moved(this.#line.length);
      } else {
        this.#line.unshift(waiting);
        this.#announce();
      }
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
