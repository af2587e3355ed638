import { Worker } from 'node:worker_threads';
import type { LaidOut } from './machine-plan.ts';
import type { MadeWords, Seen, WordsMaker } from './made-words.ts';

/** What the thread is asked for. */
export interface WordsRequest {
  request: number;
  netlist: LaidOut['netlist'];
  seen: Seen;
}

/** What it answers. */
export interface WordsAnswer {
  request: number;
  words: MadeWords | null;
}

/**
 * Has evaluations in words made by a thread beside this one, so that the boards of this one go on meanwhile. It runs only as long
 * as there is something to make.
 */
export class WordsThread {
  readonly #script: string;
  #worker: Worker | null = null;
  #requests = 0;
  readonly #waiting = new Map<number, (words: MadeWords | null) => void>();

  /** @param script what the thread runs: the bundle of words-worker.ts */
  constructor(script: string) {
    this.#script = script;
  }

  /** What was seen is given away. */
  readonly make: WordsMaker = ({ netlist }, seen, done) => {
    const request: WordsRequest = { request: ++this.#requests, netlist, seen };
    this.#waiting.set(request.request, done);
    const buffers = seen.flatMap((memories) => memories.map(({ buffer }) => buffer));
    this.#running().postMessage(
      request,
      buffers.filter((buffer) => buffer instanceof ArrayBuffer),
    );
  };

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(this.#script, {
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 },
    });
    worker.on('message', ({ request, words }: WordsAnswer) => this.#answer(request, words));
    // A thread that fails makes nothing: the designs stay as they are.
    worker.on('error', () => this.#end(worker));
    worker.on('exit', () => this.#end(worker));
    worker.unref();
    this.#worker = worker;
    return worker;
  }

  #answer(request: number, words: MadeWords | null): void {
    const done = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (this.#waiting.size === 0) {
      void this.#worker?.terminate();
      this.#worker = null;
    }
    done?.(words);
  }

  #end(worker: Worker): void {
    if (worker !== this.#worker) return;
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const done of waiting) done(null);
  }
}
