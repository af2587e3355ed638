import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { type Clock, every, systemClock } from '../../clock.ts';
import { assertNever } from '../../errors/bench-error.ts';
import { distPath, resourcePath } from '../../paths.ts';
import { Alertness } from './alertness.ts';
import { Inbox, newMailbox, Outbox } from './mailbox.ts';
import type { BoardSample, FabricObservation, Recording } from './observation.ts';
import {
  type FabricRequest,
  type FabricStatus,
  type FabricThreadData,
  type FromThread,
  GOING_ON,
  isFromThread,
  newPulse,
  PULSE,
  type ToThread,
} from './protocol.ts';
import type { Refusal } from './refusal.ts';

/** Interval of checks on a thread with waiting callers, ms. */
const LOOK_INTERVAL = 250;
/**
 * Time without progress after which a thread counts as hung, ms. A slice of a running design takes some 2 ms on a free
 * core, which leaves room for a busy thread on a shared one.
 */
const HUNG_AFTER = 2000;
/** The same while it starts or loads a design, which takes up to a second on a free core. */
const HUNG_AFTER_IN_LONG_STEP = 15_000;

/** Unsolicited events from a thread to a fabric's proxy. */
interface FabricEvents {
  data(bytes: Uint8Array): void;
  stopped(refusal: Refusal): void;
  /** A recording has triggered and continues. */
  triggered(): void;
  /** A recording has ended. */
  recorded(recording: Recording): void;
  /** The thread is gone, and the fabric with it. */
  lost(error: Error): void;
}

type Answer = Extract<FromThread, { kind: 'answer' | 'observed' }>;

/** The answer to a request without a result. */
const ANSWER = { kind: 'answer', status: null } as const;

/** One worker thread with the fabrics that it runs. */
class FabricThread {
  readonly fabrics = new Map<number, FabricEvents>();
  readonly #worker: Worker;
  readonly #clock: Clock;
  readonly #pulse = newPulse();
  #stopLooking: (() => void) | null = null;
  readonly #onEnd: (thread: FabricThread) => void;
  readonly #asked = new Map<number, { resolve: (answer: Answer) => void; reject: (error: Error) => void }>();
  readonly #holders = new Set<number>();
  /** Whether a caller waits for the thread, or one of its fabrics keeps the process alive. */
  #needed = false;
  /** Polls for the designs' answers. */
  readonly #alertness: Alertness;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  #requests = 0;
  #dead: Error | null = null;

  constructor(script: string | URL, clock: Clock, onEnd: (thread: FabricThread) => void) {
    this.#clock = clock;
    this.#onEnd = onEnd;
    const mailboxes = { to: newMailbox(), from: newMailbox() };
    this.#inbox = new Inbox(mailboxes.from, ({ fabric, bytes, requests }) =>
      this.#takeData(fabric, bytes, requests),
    );
    this.#outbox = new Outbox(mailboxes.to, () => this.#wake());
    this.#alertness = new Alertness(this.#inbox);
    const workerData: FabricThreadData = {
      table: resourcePath('fabric', 'ice40-8k.table.br'),
      wordsScript: distPath('server', 'words-worker.js'),
      pulse: this.#pulse,
      mailboxes,
    };
    this.#worker = new Worker(script, {
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 4 },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: unknown) => {
      this.#inbox.arrived();
      if (isFromThread(message)) this.#take(message);
      else this.#end(new Error('The thread of the virtual boards sent an unknown message.'));
    });
    this.#worker.on('error', (error) => this.#die(error));
    this.#worker.on('exit', () => this.#die(new Error('The thread of the virtual boards has ended.')));
  }

  /** Sets the number of running threads, this one included, and how long designs run on after a use, ms. */
  among(threads: number, goingOn: number): void {
    Atomics.store(this.#pulse, PULSE.threads, threads);
    Atomics.store(this.#pulse, PULSE.goingOn, goingOn);
  }

  /** Sends a request; the process stays alive until the answer. */
  async ask(fabric: number, request: FabricRequest): Promise<FabricStatus | null> {
    const answer = await this.#send(fabric, request);
    return answer.kind === 'answer' ? answer.status : null;
  }

  /** Sends a request about the inside of the running design. */
  async observe(fabric: number, request: FabricObservation): Promise<BoardSample> {
    const answer = await this.#send(fabric, request);
    if (answer.kind === 'observed') return answer.observed;
    throw new Error('The thread of the virtual boards gave an unexpected answer.');
  }

  #send(fabric: number, request: FabricRequest | FabricObservation): Promise<Answer> {
    if (this.#dead) return Promise.reject(this.#dead);
    return new Promise((resolve, reject) => {
      const id = ++this.#requests;
      this.#asked.set(id, { resolve, reject });
      this.#keepAlive();
      const letter = request.kind === 'write' && { fabric, requests: [id], bytes: request.bytes };
      if (!(letter && this.#outbox.put(letter))) this.#post({ request: id, fabric, ...request });
      if (letter) this.#alertness.wait();
    });
  }

  #post(message: ToThread): void {
    this.#outbox.posted();
    this.#worker.postMessage(message);
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
      case 'wake':
        return;
      case 'data':
        this.#takeData(message.fabric, message.bytes, message.answered);
        return;
      case 'stopped':
        this.fabrics.get(message.fabric)?.stopped(message.refusal);
        return;
      case 'triggered':
        this.fabrics.get(message.fabric)?.triggered();
        return;
      case 'recorded':
        this.fabrics.get(message.fabric)?.recorded(message.recording);
        return;
      case 'answer':
      case 'observed':
        this.#settle(message.request)?.resolve(message);
        return;
      case 'failure':
        this.#settle(message.request)?.reject(new Error(message.message));
        return;
      default:
        assertNever(message);
    }
  }

  #takeData(fabric: number, bytes: Uint8Array, answered: readonly number[]): void {
    if (bytes.length > 0) this.#alertness.end();
    for (const request of answered) this.#settle(request)?.resolve({ ...ANSWER, request });
    if (bytes.length > 0) this.fabrics.get(fabric)?.data(bytes);
  }

  #settle(request: number) {
    const waiting = this.#asked.get(request);
    this.#asked.delete(request);
    this.#keepAlive();
    return waiting;
  }

  /** Keeps the process alive for a fabric, or stops doing so. */
  hold(fabric: number, held: boolean): void {
    if (held) this.#holders.add(fabric);
    else this.#holders.delete(fabric);
    this.#keepAlive();
  }

  /** Ends the thread with its last fabric. */
  leave(fabric: number): void {
    this.fabrics.delete(fabric);
    this.hold(fabric, false);
    if (this.fabrics.size === 0) this.end();
  }

  #keepAlive(): void {
    const needed = this.#dead === null && (this.#asked.size > 0 || this.#holders.size > 0);
    if (needed === this.#needed) return;
    this.#needed = needed;
    if (needed) {
      this.#worker.ref();
      this.#stopLooking ??= this.#lookAfter();
    } else this.#worker.unref();
  }

  #forget(): void {
    this.#stopLooking?.();
    this.#stopLooking = null;
  }

  /**
   * Watches the progress of a thread while a caller waits for it. A busy thread counts its steps; an idle one is woken
   * to count one. It continues until a check finds no waiting caller, because words come thousands a second. Returns
   * the function that ends it.
   */
  #lookAfter(): () => void {
    let seen = this.#wake();
    let standing = 0;
    let looked = this.#clock.monotonic();
    return every(this.#clock, LOOK_INTERVAL, () => {
      if (!this.#needed) {
        this.#forget();
        return;
      }
      const now = this.#clock.monotonic();
      // A computer that slept, or that delayed this check, gave the thread no time either.
      if (Atomics.load(this.#pulse, PULSE.steps) === seen)
        standing += Math.min(now - looked, 2 * LOOK_INTERVAL);
      else {
        seen = this.#wake();
        standing = 0;
      }
      looked = now;
      const long = Atomics.load(this.#pulse, PULSE.longStep) !== 0;
      if (standing >= (long ? HUNG_AFTER_IN_LONG_STEP : HUNG_AFTER))
        this.#end(
          new Error(`The thread of the virtual boards hung: it did nothing for ${Math.round(standing)} ms.`),
        );
    });
  }

  /** Requests a step. Returns the count before it. */
  #wake(): number {
    const steps = Atomics.load(this.#pulse, PULSE.steps);
    this.#post({ kind: 'wake' });
    return steps;
  }

  #die(error: Error): void {
    if (this.#dead) return;
    this.#dead = error;
    this.#keepAlive();
    this.#forget();
    for (const { reject } of this.#asked.values()) reject(error);
    this.#asked.clear();
    const fabrics = [...this.fabrics.values()];
    this.fabrics.clear();
    this.#onEnd(this);
    for (const events of fabrics) events.lost(error);
  }
}

export type { FabricThread };

export interface FabricThreadsOptions {
  clock?: Clock;
  /** The script of the threads; tests use others. */
  script?: string | URL;
  /** Maximum threads; default half of the cores, since builds and the service need the others. */
  most?: number;
}

/** A few threads that many fabrics share; each starts when first needed, and is replaced when it hangs. */
export class FabricThreads {
  readonly #threads = new Set<FabricThread>();
  readonly #clock: Clock;
  readonly #script: string | URL;
  readonly #most: number;
  #fabrics = 0;
  #goingOn = GOING_ON;

  constructor({ clock = systemClock, script, most }: FabricThreadsOptions = {}) {
    this.#clock = clock;
    this.#script = script ?? distPath('server', 'fabric-worker.js');
    this.#most = most ?? Math.max(1, Math.min(4, Math.floor(availableParallelism() / 2)));
  }

  /** Number of running threads, for reports and tests. */
  get running(): number {
    return this.#threads.size;
  }

  /** How long designs run on after a use, ms: GOING_ON unless a test needs less. */
  set goingOn(ms: number) {
    this.#goingOn = ms;
    this.#count();
  }

  /** A thread for one more fabric, and the fabric's number. */
  join(events: FabricEvents): { thread: FabricThread; fabric: number } {
    let least: FabricThread | null = null;
    for (const thread of this.#threads)
      if (!least || thread.fabrics.size < least.fabrics.size) least = thread;
    if (!least || (least.fabrics.size > 0 && this.#threads.size < this.#most)) {
      least = new FabricThread(this.#script, this.#clock, (thread) => {
        this.#threads.delete(thread);
        this.#count();
      });
      this.#threads.add(least);
      this.#count();
    }
    const fabric = ++this.#fabrics;
    least.fabrics.set(fabric, events);
    return { thread: least, fabric };
  }

  #count(): void {
    for (const thread of this.#threads) thread.among(this.#threads.size, this.#goingOn);
  }
}

/** The threads of all virtual boards of the process. */
export const sharedThreads = new FabricThreads();
