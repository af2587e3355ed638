import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../clock.ts';

/** Without work for so long a thread ends, and its memory is free, milliseconds. */
const REST_MS = 30_000;

/** Threads that wait for work at the most. */
const MAX_IDLE_THREADS = 2;

/** By name: Node has listeners of its own on a thread, without which no message comes. */
function stopListening(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

/**
 * Threads of one script that do one piece of work after the other. What a thread has loaded, and what V8 has compiled of it,
 * costs more than a small piece of work.
 */
export class WorkerPool {
  readonly #script: string;
  readonly #heap: number;
  readonly #clock: Clock;
  /** Those that wait for work, the last one last, each with what cancels its end. */
  readonly #idle = new Map<Worker, () => void>();

  /** @param script its path @param heap of a thread, MiB */
  constructor(script: string, heap: number, clock: Clock = systemClock) {
    this.#script = script;
    this.#heap = heap;
    this.#clock = clock;
  }

  /** There will be work soon: a thread is started for it where none waits. */
  prepare(): void {
    if (this.#idle.size === 0) this.giveBack(this.take());
  }

  /** A thread for one piece of work: one that has done some before, else a new one. To be given back, or ended. */
  take(): Worker {
    const last = [...this.#idle].at(-1);
    if (!last) return new Worker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: this.#heap } });
    const [worker] = last;
    this.#forget(worker);
    stopListening(worker);
    worker.ref();
    return worker;
  }

  /** The work of a thread is done: it has answered all that it was asked, and nobody listens to it any more. */
  giveBack(worker: Worker): void {
    stopListening(worker);
    if (this.#idle.size >= MAX_IDLE_THREADS) {
      void worker.terminate();
      return;
    }
    worker.unref();
    worker.once('error', () => this.#forget(worker));
    worker.once('exit', () => this.#forget(worker));
    const cancel = this.#clock.after(REST_MS, () => {
      this.#forget(worker);
      void worker.terminate();
    });
    this.#idle.set(worker, cancel);
  }

  #forget(worker: Worker): void {
    this.#idle.get(worker)?.();
    this.#idle.delete(worker);
  }
}

/**
 * A copy that can be transferred to a thread. A view that is sent as it is takes all of the memory behind it along, copied twice: what
 * comes from another process are views of one message with all files of a tool.
 */
export const ownCopy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
