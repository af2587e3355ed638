import v8 from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { distPath } from '../../../paths.ts';
import { type FromWorker, isFromWorker, type ToWorker, type WorkerStart } from './messages.ts';
import { OutputReader, sharedOutput } from './shared-output.ts';

const ENTRY = distPath('server', 'build-worker.js');

/** Yosys and nextpnr recurse over the design: a worker's usual 4 MB is soon used up. Address space only. */
const STACK_MB = 48;

/**
 * JavaScript heap of a thread, MB. It holds some 5 MB of glue; files and tools lie outside of it. From half of this limit on V8 collects
 * all garbage each time that a tool's memory grows by a page, so the limit is far above what a tool may have.
 */
const HEAP_MB = 4096;

function startWorker(workerData: WorkerStart): Worker {
  // For the threads that are started from here on: they give back what a run leaves as soon as it is over.
  v8.setFlagsFromString('--expose-gc');
  return new Worker(ENTRY, {
    workerData,
    transferList: [workerData.inbox],
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** Whoever has given a thread something to do. */
export interface ThreadListener {
  /** 'waiting' is the last: the thread has done it, and listens to nobody any more. */
  message(message: FromWorker): void;
  error(error: Error): void;
  exit(code: number): void;
}

/** A thread that loads tools and runs them, one at a time, each in an instance and a memory of its own. */
export class ToolThread {
  readonly #worker: Worker;
  readonly #inbox: MessagePort;
  readonly #signal = new SharedArrayBuffer(4);
  /** What the tool prints that the thread runs. */
  readonly output: OutputReader;
  #listener: ThreadListener | null = null;
  #ended = false;
  /** The thread runs and has loaded its modules; rejects where it cannot. */
  readonly started: Promise<void>;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#inbox = port1;
    this.#inbox.unref();
    const output = sharedOutput();
    this.output = new OutputReader(output);
    this.#worker = startWorker({ inbox: port2, signal: this.#signal, output });
    this.#worker.unref();
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => {
        this.#worker.on('message', (message: unknown) => this.#receive(message));
        resolve();
      });
      this.#worker.once('error', reject);
      this.#worker.once('exit', () => reject(new Error('A thread has ended before its start.')));
    });
    // Until somebody listens, a thread that cannot start must not take the service down with it.
    this.started.catch(() => {});
    this.#worker.on('error', (error: Error) => this.#listener?.error(error));
    this.#worker.on('exit', (code) => {
      this.#ended = true;
      this.#inbox.close();
      this.#listener?.exit(code);
    });
  }

  /** It has ended, or is about to. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Gives a thread that waits, or is starting, something to do; it keeps this process alive until that is done. */
  begin(message: ToWorker, listener: ThreadListener): void {
    this.#listener = listener;
    this.#worker.ref();
    this.send(message);
  }

  send(message: ToWorker): void {
    this.#inbox.postMessage(message);
    const counter = new Int32Array(this.#signal);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  }

  /** Ends the thread, in the middle of whatever it does; resolves when it is gone. */
  async terminate(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #receive(message: unknown): void {
    const listener = this.#listener;
    if (!isFromWorker(message)) {
      listener?.error(new Error('A thread has said what is no message of its kind.'));
      return;
    }
    if (message.kind === 'waiting') {
      this.#listener = null;
      this.#worker.unref();
    }
    listener?.message(message);
  }
}
