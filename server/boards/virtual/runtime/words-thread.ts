import { Worker } from 'node:worker_threads';
import type { CompiledWords, Seen, WordsMaker } from './compiled-words.ts';
import type { LaidOut } from './machine-plan.ts';

/** What the thread is asked for. */
export interface WordsRequest {
  request: number;
  netlist: LaidOut['netlist'];
  seen: Seen;
}

/** What it answers. */
export interface WordsAnswer {
  request: number;
  words: CompiledWords | null;
}

/** Something to make, until it is made. */
interface Waiting {
  message: WordsRequest;
  /** What is given away with it. */
  buffers: ArrayBuffer[];
  done(words: CompiledWords | null): void;
}

/**
 * Has evaluations in words made by a thread beside this one, so that the boards of this one go on meanwhile. It runs only as long
 * as there is something to make.
 */
export class WordsThread {
  readonly #script: string;
  #worker: Worker | null = null;
  #requests = 0;
  /** The thread has the first, and nothing of the others: where it fails, it takes that one alone with it. */
  readonly #waiting: Waiting[] = [];

  /** @param script what the thread runs: the bundle of words-worker.ts */
  constructor(script: string) {
    this.#script = script;
  }

  /** What was seen is given away. */
  readonly make: WordsMaker = ({ netlist }, seen, done) => {
    const buffers = seen
      .flatMap((memories) => memories.map(({ buffer }) => buffer))
      .filter((buffer) => buffer instanceof ArrayBuffer);
    this.#waiting.push({ message: { request: ++this.#requests, netlist, seen }, buffers, done });
    if (this.#waiting.length === 1) this.#next();
  };

  /** Has the thread make the first that waits; it ends where nothing does. */
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
    // A thread that fails makes nothing: the design stays as it is.
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
