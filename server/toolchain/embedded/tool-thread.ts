import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { distPath } from '../../paths.ts';
import {
  type FromWorker,
  isFromWorker,
  isLoadedTool,
  type LoadedTool,
  type ToWorker,
  type WorkerStart,
} from './messages.ts';
import type { EmbeddedTool } from './tool-packages.ts';

const ENTRY = distPath('server', 'build-worker.js');

/** Yosys and nextpnr recurse over the design: a worker's usual 4 MB is soon used up. Address space only. */
const STACK_MB = 48;

/** JavaScript heap of a thread, MB: it holds no more than the glue; files and tools lie outside it. */
const HEAP_MB = 256;

function startWorker(workerData: WorkerStart, transferList: MessagePort[] = []): Worker {
  return new Worker(ENTRY, {
    workerData,
    transferList,
    env: {},
    argv: [],
    execArgv: [],
    resourceLimits: { stackSizeMb: STACK_MB, maxOldGenerationSizeMb: HEAP_MB },
  });
}

/** Compiles a tool in a thread of its own. The compiled code outlives that thread and is shared by the others. */
export function loadTool(tool: EmbeddedTool, memoryLimit: number, code: string | null): Promise<LoadedTool> {
  return new Promise((resolve, reject) => {
    const worker = startWorker({ kind: 'load', tool, memoryLimit, code });
    worker.once('message', (message: unknown) => {
      if (isLoadedTool(message)) resolve(message);
      else reject(new Error(`Loading ${tool} gave something that is no tool.`));
    });
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`Loading ${tool} ended with code ${code}.`)));
  });
}

/**
 * A thread that runs one tool once. It is started ahead of its job and waits for it, and it ends with it, so a
 * design leaves nothing behind for the next one and its memory goes back whatever has happened.
 */
export class ToolThread {
  readonly #worker: Worker;
  readonly #inbox: MessagePort;
  readonly #signal = new SharedArrayBuffer(4);
  #ended = false;
  /** The thread runs and has loaded its modules; rejects where it cannot. */
  readonly started: Promise<void>;

  constructor() {
    const { port1, port2 } = new MessageChannel();
    this.#inbox = port1;
    this.#inbox.unref();
    this.#worker = startWorker({ kind: 'run', inbox: port2, signal: this.#signal }, [port2]);
    this.#worker.unref();
    this.#worker.once('exit', () => {
      this.#ended = true;
      this.#inbox.close();
    });
    this.started = new Promise((resolve, reject) => {
      this.#worker.once('message', () => resolve());
      this.#worker.once('error', reject);
      this.#worker.once('exit', () => reject(new Error('A thread has ended before its start.')));
    });
    // Until a job listens, a thread that cannot start must not take the service down with it.
    this.started.catch(() => {});
    this.#worker.on('error', () => {});
  }

  get ended(): boolean {
    return this.#ended;
  }

  send(message: ToWorker): void {
    this.#inbox.postMessage(message);
    const counter = new Int32Array(this.#signal);
    Atomics.add(counter, 0, 1);
    Atomics.notify(counter, 0);
  }

  /** Listens to the thread's job; the thread keeps the process alive from here on. */
  listen(listener: {
    message(message: FromWorker): void;
    error(error: Error): void;
    exit(code: number): void;
  }): void {
    this.#worker.ref();
    this.#worker.on('message', (message: unknown) => {
      if (isFromWorker(message)) listener.message(message);
      else listener.error(new Error('A thread has said what is no message of its kind.'));
    });
    this.#worker.on('error', listener.error);
    this.#worker.on('exit', listener.exit);
  }

  /** Ends the thread, in the middle of whatever it does. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
