import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { quantile } from './figures.ts';

/** Measures the answers of `/status` from a thread of its own, so that the other requests of a test do not delay it. */
export class StatusWatch {
  readonly #thread: Worker;

  /** @param url the service's address, without a path */
  constructor(url: string) {
    this.#thread = new Worker(new URL('status-thread.mjs', import.meta.url), { workerData: url });
  }

  /** Ends the requests. @returns the time that 99 of 100 did not exceed, whole ms @throws where a request failed */
  async p99(): Promise<number> {
    const answer = once(this.#thread, 'message');
    this.#thread.postMessage('stop');
    return Math.round(quantile((await answer)[0] as number[], 0.99));
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
