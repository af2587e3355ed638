import type { Logger } from '../../log.ts';

interface GradingQueueOptions {
  /** Grades a hand-in; rejects early when the signal fires. */
  perform(id: string, signal: AbortSignal): Promise<void>;
  /** Called when grading begins and when it ends. */
  onChange(id: string): void;
  logger: Logger;
}

/** The hand-ins that wait for their grade. One is graded at a time: students' builds have the rest of the machine. */
export class GradingQueue {
  readonly #options: GradingQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #ending = new AbortController();
  #running: { id: string; ended: Promise<void> } | null = null;

  constructor(options: GradingQueueOptions) {
    this.#options = options;
  }

  /** Puts a hand-in at the end of the line, unless it is there already. */
  add(id: string): void {
    this.#waiting.add(id);
    this.#next();
  }

  isWaiting = (id: string): boolean => this.#waiting.has(id);
  isRunning = (id: string): boolean => this.#running?.id === id;

  /** Ends what runs; what waits does so in the store. */
  async close(): Promise<void> {
    this.#ending.abort();
    await this.#running?.ended;
  }

  #next(): void {
    const [id] = this.#waiting;
    const { signal } = this.#ending;
    if (id === undefined || this.#running || signal.aborted) return;
    this.#waiting.delete(id);
    const { perform, onChange, logger } = this.#options;
    const ended = perform(id, signal)
      .catch((error) => {
        if (!signal.aborted) logger.error({ err: error }, 'A hand-in could not be graded.');
      })
      .finally(() => {
        this.#running = null;
        onChange(id);
        this.#next();
      });
    this.#running = { id, ended };
    onChange(id);
  }
}
