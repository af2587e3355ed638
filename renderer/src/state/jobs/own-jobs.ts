import { type Memory, readStored, writeStored } from '../page/preferences.ts';

const KEY = 'wishbench.own-jobs';
const MOST = 200;

/** The jobs of this window. The tab's storage has them, and a reload keeps them. */
export class OwnJobs {
  readonly #memory: Memory | undefined;
  readonly #ids: Set<string>;

  constructor(memory: Memory | undefined) {
    this.#memory = memory;
    const stored = readStored(memory, KEY);
    this.#ids = new Set(Array.isArray(stored) ? stored.filter((id) => typeof id === 'string') : []);
  }

  has(jobId: string): boolean {
    return this.#ids.has(jobId);
  }

  add(jobId: string): void {
    this.#ids.add(jobId);
    writeStored(this.#memory, KEY, [...this.#ids].slice(-MOST));
  }
}
