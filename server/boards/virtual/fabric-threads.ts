import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { assertNever } from '../../errors/bench-error.ts';
import { distPath, resourcePath } from '../../paths.ts';
import {
  type FabricRequest,
  type FabricStatus,
  type FabricThreadData,
  type FromThread,
  isFromThread,
  type ToThread,
} from './protocol.ts';
import type { Refusal } from './refusal.ts';

/** What a fabric's proxy wants to hear from its thread without having asked. */
interface FabricEvents {
  data(bytes: Uint8Array): void;
  stopped(refusal: Refusal): void;
  /** The thread is gone, and the fabric with it. */
  lost(error: Error): void;
}

/** One worker thread with the fabrics that it runs. */
export class FabricThread {
  readonly fabrics = new Map<number, FabricEvents>();
  readonly #worker: Worker;
  readonly #onEnd: (thread: FabricThread) => void;
  readonly #asked = new Map<
    number,
    { resolve: (status: FabricStatus | null) => void; reject: (error: Error) => void }
  >();
  readonly #holders = new Set<number>();
  #requests = 0;
  #dead: Error | null = null;

  constructor(onEnd: (thread: FabricThread) => void) {
    this.#onEnd = onEnd;
    const workerData: FabricThreadData = { table: resourcePath('fabric', 'ice40-8k.table.br') };
    this.#worker = new Worker(distPath('server', 'fabric-worker.js'), {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: unknown) => {
      if (isFromThread(message)) this.#take(message);
      else this.#end(new Error('The thread of the virtual boards sent something that is no message of it.'));
    });
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('The thread of the virtual boards has ended.')));
  }

  /** Asks; the process is kept alive until the answer is there. */
  ask(fabric: number, request: FabricRequest): Promise<FabricStatus | null> {
    if (this.#dead) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      const id = ++this.#requests;
      this.#asked.set(id, { resolve, reject });
      this.#keepAlive();
      const message: ToThread = { request: id, fabric, ...request };
      this.#worker.postMessage(message);
    });
  }

  end(): void {
    this.#end(new Error('The virtual boards were closed.'));
  }

  #end(reason: Error): void {
    this.#die(reason);
    void this.#worker.terminate();
  }

  #take(message: FromThread): void {
    switch (message.kind) {
      case 'data':
        this.fabrics.get(message.fabric)?.data(message.bytes);
        return;
      case 'stopped':
        this.fabrics.get(message.fabric)?.stopped(message.refusal);
        return;
      case 'answer':
        this.#settle(message.request)?.resolve(message.status);
        return;
      case 'failure':
        this.#settle(message.request)?.reject(new Error(message.message));
        return;
      default:
        assertNever(message);
    }
  }

  #settle(request: number) {
    const waiting = this.#asked.get(request);
    this.#asked.delete(request);
    this.#keepAlive();
    return waiting;
  }

  /** Holds the process alive for a fabric, or not any more. */
  hold(fabric: number, held: boolean): void {
    if (held) this.#holders.add(fabric);
    else this.#holders.delete(fabric);
    this.#keepAlive();
  }

  #keepAlive(): void {
    if (this.#asked.size > 0 || this.#holders.size > 0) this.#worker.ref();
    else this.#worker.unref();
  }

  #die(error: Error): void {
    if (this.#dead) return;
    this.#dead = error;
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
    const fabrics = [...this.fabrics.values()];
    this.fabrics.clear();
    this.#onEnd(this);
    for (const events of fabrics) events.lost(error);
  }
}

/** The threads that all virtual boards of the process share; each is started when it is first needed. */
const threads = new Set<FabricThread>();
/** Half of the cores: builds and the service need the others. */
const MOST_THREADS = Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
let fabrics = 0;

/** How many threads are running, for reports and tests. */
export const threadsOfFabrics = (): number => threads.size;

/** A thread for one more fabric, and the fabric's number. */
export function joinThread(events: FabricEvents): { thread: FabricThread; fabric: number } {
  let least: FabricThread | null = null;
  for (const thread of threads) if (!least || thread.fabrics.size < least.fabrics.size) least = thread;
  if (!least || (least.fabrics.size > 0 && threads.size < MOST_THREADS)) {
    least = new FabricThread((thread) => threads.delete(thread));
    threads.add(least);
  }
  const fabric = ++fabrics;
  least.fabrics.set(fabric, events);
  return { thread: least, fabric };
}

/** Ends a thread with its last fabric. */
export function leaveThread(thread: FabricThread, fabric: number): void {
  thread.fabrics.delete(fabric);
  thread.hold(fabric, false);
  if (thread.fabrics.size === 0) thread.end();
}
