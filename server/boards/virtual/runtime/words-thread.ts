import { Worker } from 'node:worker_threads';
import type { CompiledWords, Seen, WordsMaker } from './compiled-words.ts';
import type { LaidOut } from './machine-plan.ts';

/** A request to the thread. */
export interface WordsRequest {
  request: number;
  netlist: LaidOut['netlist'];
  seen: Seen;
}

/** The answer of the thread. */
export interface WordsAnswer {
  request: number;
  words: CompiledWords | null;
}

/** A pending request. */
interface Waiting {
  message: WordsRequest;
  /** Buffers to transfer with it. */
  buffers: ArrayBuffer[];
  done(words: CompiledWords | null): void;
}

/**
 * Compiles engines in a second thread, so that this thread's boards run on meanwhile. It exists only while there are
 * requests.
 */
export class WordsThread {
  readonly #script: string;
  #worker: Worker | null = null;
  #requests = 0;
  /** The thread has only the first request, so a failure affects that one only. */
  readonly #waiting: Waiting[] = [];

  /** @param script of the thread: the bundle of words-worker.ts */
  constructor(script: string) {
    this.#script = script;
  }

  /** The observed memory is transferred. */
  readonly make: WordsMaker = ({ netlist }, seen, done) => {
    const buffers = seen
      .flatMap((memories) => memories.map(({ buffer }) => buffer))
      .filter((buffer) => buffer instanceof ArrayBuffer);
    this.#waiting.push({ message: { request: ++this.#requests, netlist, seen }, buffers, done });
    if (this.#waiting.length === 1) this.#next();
  };

  /** Sends the first pending request; ends the thread where there is none. */
  #next(): void {
    const [first] = this.#waiting;
    if (first) {
      this.#worker ??= this.#start();
      this.#worker.postMessage(first.message, first.buffers);
      return;
    }
    void this.#worker?.terminate();
    this.#worker = null;
  }

  #start(): Worker {
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
    });
    worker.on('message', ({ request, words }: WordsAnswer) => {
      if (request === this.#waiting[0]?.message.request) this.#made(words);
    });
    // A failed thread makes nothing: the design keeps its engine.
    const failed = () => {
      if (worker !== this.#worker) return;
      this.#worker = null;
      this.#made(null);
    };
    worker.on('error', failed);
    worker.on('exit', failed);
    worker.unref();
    return worker;
  }

  #made(words: CompiledWords | null): void {
    const first = this.#waiting.shift();
    this.#next();
    first?.done(words);
  }
}
