import type { Clock } from '../clock.ts';
import { storeUnavailable } from './filesystem.ts';

interface Waiter {
  undo: () => void;
  resolve: () => void;
  reject: (error: Error) => void;
}

interface GroupCommitOptions {
  clock: Clock;
  /** Writes the state as it is at the moment of the call; must copy it synchronously. */
  write: () => Promise<void>;
  /** Called after every write: null for success. */
  onOutcome: (error: unknown) => void;
  /** Called with the duration of each write, milliseconds. */
  onFlush?: (milliseconds: number) => void;
  /** Delay before a change that no caller awaits is written, milliseconds. */
  soon?: number;
  /** The same for a change that a crash may lose. */
  later?: number;
  /** Milliseconds between attempts while writing fails. */
  retry?: number;
}

/**
 * Shares one write among all callers that wait for the disk. One write runs at a time; later callers share the next.
 */
export class GroupCommit {
  readonly #options: Required<GroupCommitOptions>;
  #batch: Waiter[] = [];
  #dirty = false;
  #writing: Promise<void> | null = null;
  #scheduled = false;
  /** Cancels the scheduled write. */
  #cancel: (() => void) | null = null;
  /** The time of that write, monotonic milliseconds. */
  #due = 0;
  /** Number of writes, for the benchmark of how well acknowledgements share them. */
  writes = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = { soon: 50, later: 1000, retry: 1000, onFlush: () => {}, ...options };
  }

  /**
   * Resolves when the state, with the caller's latest change, is on disk. If the write fails, `undo` is called before
   * the promise rejects, the last change first.
   * @throws store_unavailable.
   */
  commit(undo: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#batch.push({ undo, resolve, reject });
      this.#schedule();
    });
  }

  /** The state changed and no caller waits: it is written soon, with the next commit at the latest. */
  touch(): void {
    this.#dirty = true;
    this.#later(this.#options.soon);
  }

  /** The same for a change that a crash may lose: it waits longer, and goes with an earlier write. */
  touchLater(): void {
    this.#dirty = true;
    this.#later(this.#options.later);
  }

  /** Resolves when every change so far is on disk. @throws store_unavailable. */
  async flush(): Promise<void> {
    if (this.#dirty || this.#writing) await this.commit();
  }

  /** Writes pending changes once; resolves also when that fails. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#dirty || this.#batch.length > 0) await this.#write();
    this.stop();
  }

  /** Cancels scheduled writes; only a commit writes after this. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    // setImmediate: all changes of this turn of the event loop share the write.
    setImmediate(() => {
      this.#scheduled = false;
      if (!this.#writing && this.#batch.length > 0) void this.#write();
    });
  }

  #later(milliseconds: number): void {
    const due = this.#options.clock.monotonic() + milliseconds;
    if (this.#cancel && this.#due <= due) return;
    this.#cancel?.();
    this.#due = due;
    this.#cancel = this.#options.clock.after(milliseconds, () => {
      this.#cancel = null;
      if (this.#dirty && !this.#writing) void this.#write();
      else if (this.#dirty) this.#later(milliseconds);
    });
  }

  #write(): Promise<void> {
    const batch = this.#batch;
    this.#batch = [];
    this.#dirty = false;
    this.writes++;
    this.#writing = this.#attempt(batch).finally(() => {
      this.#writing = null;
      if (this.#batch.length > 0) this.#schedule();
    });
    return this.#writing;
  }

  async #attempt(batch: Waiter[]): Promise<void> {
    const { clock, write, onFlush } = this.#options;
    const began = clock.monotonic();
    try {
      await write();
      onFlush(clock.monotonic() - began);
    } catch (error) {
      for (const waiter of batch.toReversed()) waiter.undo();
      // A failed write may have reached the disk in part: write the state without the change over it.
      this.#dirty = true;
      this.#options.onOutcome(error);
      for (const waiter of batch) waiter.reject(storeUnavailable(error));
      this.#later(this.#options.retry);
      return;
    }
    this.#options.onOutcome(null);
    for (const waiter of batch) waiter.resolve();
  }
}
