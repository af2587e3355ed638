import type { Clock } from '../../../clock.ts';
import { ToolThread } from './tool-thread.ts';

/** Threads that are started in advance. A build runs two tools at a time. */
const AHEAD = 2;

/** Limit of idle threads. */
const MAX_IDLE_THREADS = 4;

/**
 * Limit of waiting for a thread's end, ms. The client of a tools' process kills that process earlier; without a process,
 * the caller is answered after this time.
 */
const UNTIL_GONE = 120_000;

/** Delay of replacing an ended thread, ms: its caller is answered first. */
const REPLACE_DELAY = 20;

/** A pool of tool threads. Starting a thread takes more processor time than running a small tool. */
export class ToolThreads {
  readonly #clock: Clock;
  readonly #all = new Set<ToolThread>();
  /** Idle threads; the last used one is last. */
  #idle: ToolThread[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the first threads; rejects when none can be started. */
  async ready(): Promise<void> {
    this.#fill();
    const [any] = this.#all;
    await any?.started;
  }

  /** Takes a thread for one request. The caller gives it back or ends it. */
  take(): ToolThread {
    this.#forgetEnded();
    return this.#idle.pop() ?? this.#start();
  }

  /** Takes a thread back. */
  giveBack(thread: ToolThread): void {
    this.#forgetEnded();
    if (this.#idle.length < MAX_IDLE_THREADS) this.#idle.push(thread);
    else void thread.terminate();
  }

  /** Ends a busy thread; resolves when its memory is free, or after UNTIL_GONE. */
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

  /** Ends idle threads except AHEAD of them, to free their memory. */
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
