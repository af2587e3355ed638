import type { Clock } from '../clock.ts';
import { storeUnavailable } from './filesystem.ts';

interface Waiter {
  undo: () => void;
  resolve: () => void;
  reject: (error: Error) => void;
}

interface GroupCommitOptions {
  clock: Clock;
  /** Writes the state as it is at the moment of the call; must take it synchronously. */
  write: () => Promise<void>;
  /** Told after every write: null for success. */
  onOutcome: (error: unknown) => void;
  /** Told how long each write took, milliseconds. */
  onFlush?: (milliseconds: number) => void;
  /** Milliseconds after which a change that nobody waits for is written. */
  soon?: number;
  /** The same for one that a crash may take without harm. */
  later?: number;
  /** Milliseconds between attempts while writing fails. */
  retry?: number;
}

/**
 * Shares one write among all who wait for their change to be on disk. At most one write runs; whoever comes
 * meanwhile shares the next.
 */
export class GroupCommit {
  readonly #options: Required<GroupCommitOptions>;
  #batch: Waiter[] = [];
  #dirty = false;
  #writing: Promise<void> | null = null;
  #scheduled = false;
  /** Takes back the write that is due later. */
  #cancel: (() => void) | null = null;
  /** When that is, monotonic milliseconds. */
  #due = 0;
  /** Writes so far; for the benchmark of how well acknowledgements share them. */
  writes = 0;

  constructor(options: GroupCommitOptions) {
    this.#options = { soon: 50, later: 1000, retry: 1000, onFlush: () => {}, ...options };
  }

  /**
   * Resolves when the state, with the change that the caller has just made to it, is on disk. When it cannot
   * be written `undo` is called, the last change first, before the promise rejects.
   * @throws store_unavailable.
   */
  commit(undo: () => void = () => {}): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#batch.push({ undo, resolve, reject });
      this.#schedule();
    });
  }

  /** The state has changed and nobody waits for it: it is written soon, with the next commit at the latest. */
  touch(): void {
    this.#dirty = true;
    this.#later(this.#options.soon);
  }

  /** The same for what nobody would miss after a crash: it costs no write of its own while there are others. */
  touchLater(): void {
    this.#dirty = true;
    this.#later(this.#options.later);
  }

  /** Resolves when everything that has changed until now is on disk. @throws store_unavailable. */
  async flush(): Promise<void> {
    if (this.#dirty || this.#writing) await this.commit();
  }

  /** Writes what is not on disk yet, once; resolves also when that fails. */
  async drain(): Promise<void> {
    while (this.#writing) await this.#writing;
    if (this.#dirty || this.#batch.length > 0) await this.#write();
    this.stop();
  }

  /** Nothing is written any more unless somebody commits. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #schedule(): void {
    if (this.#scheduled || this.#writing) return;
    this.#scheduled = true;
    // setImmediate: everything that arrives in this turn of the event loop shares the write.
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
      // What was written may have reached the disk in part: the state without it has to replace it.
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
