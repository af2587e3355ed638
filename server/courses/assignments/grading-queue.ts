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
  #running: string | null = null;
  #last = Promise.resolve();

  constructor(options: GradingQueueOptions) {
    this.#options = options;
  }

  /** Puts a hand-in at the end of the line, unless it is there already. */
  add(id: string): void {
    if (this.#waiting.has(id)) return;
    this.#waiting.add(id);
    this.#last = this.#last.then(() => this.#perform(id));
  }

  isWaiting = (id: string): boolean => this.#waiting.has(id);
  isRunning = (id: string): boolean => this.#running === id;

  /** Ends what runs; what waits does so in the store. */
  close(): Promise<void> {
    this.#ending.abort();
    return this.#last;
  }

  async #perform(id: string): Promise<void> {
    const { perform, onChange, logger } = this.#options;
    const { signal } = this.#ending;
    if (signal.aborted) return;
    this.#waiting.delete(id);
    this.#running = id;
    onChange(id);
    await perform(id, signal).catch((error) => {
      if (!signal.aborted) logger.error({ err: error }, 'A hand-in could not be graded.');
    });
    this.#running = null;
    onChange(id);
  }
}
