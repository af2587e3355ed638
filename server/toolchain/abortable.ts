import { toolchainError } from '../errors/toolchain.ts';

/** Work that its caller can abort one by one, and that closing the toolchain aborts together. */
export class AbortableWork {
  readonly #underWay = new Set<AbortController>();
  #closed = false;

  /**
   * Calls `work` with a signal of its own. That signal aborts with `outer`, and on close().
   * @throws build_aborted after an abort, whatever `work` throws; otherwise what `work` throws
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
      // After an abort each tool fails in its own way; where no tool ran, `work` fails in another.
      throw stop.signal.aborted ? toolchainError('build_aborted', { cause: error }) : error;
    } finally {
      this.#underWay.delete(stop);
      outer?.removeEventListener('abort', abort);
    }
  }

  /** Aborts all running work, and all work that begins later. */
  close(): void {
    this.#closed = true;
    for (const stop of this.#underWay) stop.abort();
  }
}

/**
 * Waits until `work` resolves or rejects.
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
