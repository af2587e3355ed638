import { Worker } from 'node:worker_threads';
import { type Clock, systemClock } from '../clock.ts';

/** Idle time after which a thread ends and frees its memory, ms. */
const REST_MS = 30_000;

/** Maximum idle threads. */
const MAX_IDLE_THREADS = 2;

/** By name: Node has listeners of its own on a thread, without which no message comes. */
function stopListening(worker: Worker): void {
  for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event);
}

/**
 * Threads of one script that do pieces of work in sequence. A thread's loaded data and compiled code cost more than a
 * small piece of work.
 */
export class WorkerPool {
  readonly #script: string;
  readonly #heap: number;
  readonly #clock: Clock;
  /** Idle threads, the newest last, each with the function that cancels its end. */
  readonly #idle = new Map<Worker, () => void>();

  /** @param script its path @param heap of a thread, MiB */
  constructor(script: string, heap: number, clock: Clock = systemClock) {
    this.#script = script;
    this.#heap = heap;
    this.#clock = clock;
  }

  /** Starts a thread for expected work where none is idle. */
  prepare(): void {
    if (this.#idle.size === 0) this.giveBack(this.take());
  }

  /** A thread for one piece of work: an idle one, else a new one. The caller gives it back or ends it. */
  take(): Worker {
    const last = [...this.#idle].at(-1);
    if (!last) return new Worker(this.#script, { resourceLimits: { maxOldGenerationSizeMb: this.#heap } });
    const [worker] = last;
    this.#forget(worker);
    stopListening(worker);
    worker.ref();
    return worker;
  }

  /** Returns a thread that has answered everything and has no more listeners. */
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
 * A copy for transfer to a thread. A view takes all of its memory along, copied twice: data from another process are
 * views of one message with all files of a tool.
 */
export const ownCopy = (bytes: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(bytes);
