import { toolchainError } from '../errors/toolchain.ts';

/** Work that its caller can abort one by one, and that closing the toolchain aborts together. */
export class AbortableWork {
  readonly #underWay = new Map<AbortController, Promise<unknown>>();
  #closed = false;

  get closed(): boolean {
    return this.#closed;
  }

  /**
   * Calls `work` with a signal of its own. That signal aborts with `outer`, and on close(). Aborted work is not begun.
   * @throws build_aborted after an abort, whatever `work` throws; otherwise what `work` throws
   */
  async run<T>(outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const stop = new AbortController();
    if (this.#closed || outer?.aborted) throw toolchainError('build_aborted', { cause: outer?.reason });
    const signal = outer ? AbortSignal.any([outer, stop.signal]) : stop.signal;
    const working = work(signal);
    this.#underWay.set(stop, working);
    try {
      return await working;
    } catch (error) {
      // After an abort each tool fails in its own way; where no tool ran, `work` fails in another.
      throw signal.aborted ? toolchainError('build_aborted', { cause: error }) : error;
    } finally {
      this.#underWay.delete(stop);
    }
  }

  /** Aborts all running work, and refuses later work. Resolves when the running work has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const stop of this.#underWay.keys()) stop.abort();
    await Promise.allSettled(this.#underWay.values());
  }
}
