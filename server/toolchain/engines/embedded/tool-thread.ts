import v8 from 'node:v8';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { distPath } from '../../../paths.ts';
import { type FromWorker, isFromWorker, type ToWorker, type WorkerStart } from './messages.ts';
import { OutputReader, sharedOutput } from './shared-output.ts';

const ENTRY = distPath('server', 'build-worker.js');

/** Stack of a thread, MB. Yosys and nextpnr recurse over the design: the default of 4 MB is too small. */
const STACK_MB = 48;

/**
 * Heap limit of a thread, MB. The heap holds about 5 MB of glue; files and tools are outside. Above half of the limit V8
 * would collect garbage for each page that a tool's memory grows. The limit is therefore far above a tool's memory.
 */
const HEAP_MB = 4096;

function startWorker(workerData: WorkerStart): Worker {
  // For threads that start from here on: they call gc() when a run has ended.
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

/** Receives a thread's answers to one request. */
export interface ThreadListener {
  /** 'waiting' is the last message: the request is done. */
  message(message: FromWorker): void;
  error(error: Error): void;
  exit(code: number): void;
}

/** A thread that loads and runs tools, one at a time, each in its own instance and memory. */
export class ToolThread {
  readonly #worker: Worker;
  readonly #inbox: MessagePort;
  readonly #signal = new SharedArrayBuffer(4);
  /** Output of the running tool. */
  readonly output: OutputReader;
  #listener: ThreadListener | null = null;
  #ended = false;
  /** Resolves when the thread runs and has loaded its modules; rejects when it cannot. */
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
      this.#worker.once('exit', () => reject(new Error('A tool thread exited before it was ready.')));
    });
    // Without a handler, a thread that cannot start would end the service.
    this.started.catch(() => {});
    this.#worker.on('error', (error: Error) => this.#listener?.error(error));
    this.#worker.on('exit', (code) => {
      this.#ended = true;
      this.#inbox.close();
      this.#listener?.exit(code);
    });
  }

  /** Whether it has ended or is being ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Gives an idle or starting thread a request. The thread keeps this process alive until the request is done. */
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

  /** Ends the thread at once; resolves when it is gone. */
  async terminate(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }

  #receive(message: unknown): void {
    const listener = this.#listener;
    if (!isFromWorker(message)) {
      listener?.error(new Error('A tool thread sent an unknown message.'));
      return;
    }
    if (message.kind === 'waiting') {
      this.#listener = null;
      this.#worker.unref();
    }
    listener?.message(message);
  }
}
