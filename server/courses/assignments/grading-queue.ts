import type { Logger } from '../../log.ts';

/** Hand-ins that are graded at once: students' builds have the rest of the machine. */
const AT_ONCE = 1;

interface GradingQueueOptions {
  /** Grades a hand-in; rejects early when the signal fires. */
  perform(id: string, signal: AbortSignal): Promise<void>;
  /** Called when grading begins and when it ends. */
  onChange(id: string): void;
  logger: Logger;
}

/** The hand-ins that wait for their grade, in one line. */
export class GradingQueue {
  readonly #options: GradingQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #running = new Map<string, { ends: AbortController; ended: Promise<void> }>();
  #closed = false;

  constructor(options: GradingQueueOptions) {
    this.#options = options;
  }

  /** Puts a hand-in at the end of the line, unless it is there already. */
  add(id: string): void {
    if (this.#closed) return;
    this.#waiting.add(id);
    this.#next();
  }

  /** Takes a hand-in out of the line, and ends its grading. */
  drop(id: string): void {
    this.#waiting.delete(id);
    this.#running.get(id)?.ends.abort();
  }

  isWaiting = (id: string): boolean => this.#waiting.has(id);
  isRunning = (id: string): boolean => this.#running.has(id);

  /** Ends what runs; what waits does so in the store. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    const running = [...this.#running.values()];
    for (const { ends } of running) ends.abort();
    await Promise.all(running.map(({ ended }) => ended));
  }

  #next(): void {
    // One that waits again while it runs must wait for its own end.
    const id = [...this.#waiting].find((one) => !this.#running.has(one));
    if (id === undefined || this.#running.size >= AT_ONCE) return;
    this.#waiting.delete(id);
    const ends = new AbortController();
    const { perform, onChange, logger } = this.#options;
    const ended = perform(id, ends.signal)
      .catch((error) => {
        if (!ends.signal.aborted) logger.error({ err: error }, 'A hand-in could not be graded.');
      })
      .finally(() => {
        this.#running.delete(id);
        onChange(id);
        this.#next();
      });
    this.#running.set(id, { ends, ended });
    onChange(id);
  }
}
