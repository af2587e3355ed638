import { toolchainError } from '../errors/toolchain.ts';

/** Work of a toolchain that can be given up, each piece by who asked for it and all of them when the toolchain is closed. */
export class AbortableWork {
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  /**
   * Calls `work` with a signal of its own, which aborts with `outer` and when all is closed.
   * @throws build_aborted where it was, however the work itself puts it; else as the work does
   */
  async run<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    const abort = () => stop.abort(outer?.reason);
    if (this.#closed || outer?.aborted) abort();
    outer?.addEventListener('abort', abort, { once: true });
    this.#underWay.add(stop);
    try {
      return await work(stop.signal);
    } catch (error) {
      // A tool reports the abort in its own way, or not at all when none was running.
      throw stop.signal.aborted ? toolchainError('build_aborted', { cause: error }) : error;
    } finally {
      this.#underWay.delete(stop);
      outer?.removeEventListener('abort', abort);
    }
  }

  /** Gives up all that is under way, and whatever is begun later. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#underWay) stop.abort();
  }
}

/**
 * Waits until `work` has ended in whatever way.
 * @throws build_aborted as soon as `signal` aborts
 */
export function endOf(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(toolchainError('build_aborted'));
      else resolve();
    };
    work.then(end, end);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}
