import type { Clock } from '../../../clock.ts';
import { ToolThread } from './tool-thread.ts';

/** Threads that are started ahead of their work: a build runs two tools at a time. */
const AHEAD = 2;

/** Threads that wait for work at the most. */
const MAX_IDLE_THREADS = 4;

/**
 * Longest that an end is waited for, milliseconds. A service that has this process for its tools ends it before; one that runs them
 * in its own threads tells those who wait.
 */
const UNTIL_GONE = 120_000;

/** One that was ended is replaced when those have been told who waited for it, milliseconds. */
const REPLACE_DELAY = 20;

/** Threads for tools, which do one thing after the other: to start one takes more of the processor than to run a small tool. */
export class ToolThreads {
  readonly #clock: Clock;
  readonly #all = new Set<ToolThread>();
  /** The one that was busy last is the last. */
  #idle: ToolThread[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the first threads; rejects where none can be started. */
  async ready(): Promise<void> {
    this.#fill();
    const [any] = this.#all;
    await any?.started;
  }

  /** A thread for one thing to do: to be given back, or ended. */
  take(): ToolThread {
    this.#forgetEnded();
    return this.#idle.pop() ?? this.#start();
  }

  /** A thread that waits again. */
  giveBack(thread: ToolThread): void {
    this.#forgetEnded();
    if (this.#idle.length < MAX_IDLE_THREADS) this.#idle.push(thread);
    else void thread.terminate();
  }

  /** Ends a thread in the middle of what it does; resolves when it is gone and its memory is free, or is waited for no longer. */
  async end(thread: ToolThread): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#clock.after(UNTIL_GONE, resolve);
      void thread.terminate().then(() => {
        cancel();
        resolve();
      });
    });
    this.#clock.after(REPLACE_DELAY, () => this.#fill());
  }

  /** Nothing is to be done for a while: those that wait are ended but for the first that would be needed, and their memory is free. */
  rest(): void {
    this.#forgetEnded();
    for (const thread of this.#idle.splice(0, this.#idle.length - AHEAD)) void thread.terminate();
  }

  #start(): ToolThread {
    const thread = new ToolThread();
    this.#all.add(thread);
    return thread;
  }

  #fill(): void {
    this.#forgetEnded();
    while (this.#all.size < AHEAD) this.#idle.push(this.#start());
  }

  #forgetEnded(): void {
    for (const thread of this.#all) if (thread.ended) this.#all.delete(thread);
    this.#idle = this.#idle.filter((thread) => !thread.ended);
  }
}
