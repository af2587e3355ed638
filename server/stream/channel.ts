import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { LinkTurn, LinkWork } from '../nodes/link-use.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import { failureOf, type Outcome, outcomeOf, type Request } from './transaction.ts';

/** Maximum requests and words in flight to the board: enough to keep its line busy. */
const WINDOW_REQUESTS = 64;
const WINDOW_WORDS = 4096;
/** Waiting requests and bytes above which the caller is not read. */
const MAX_WAITING = 4096;
const MAX_WAITING_WORDS = 1 << 20;
/** Length of a turn while something else waits for the node, ms. */
const TURN_MS = 10;
/** Time for which the link stays ready for the caller's next request, ms; any other user gets it at once. */
const LINGER_MS = 3;

/** A request in its place in the order; an invalid one has its answer already. */
interface Entry {
  request: Request | null;
  answer: (outcome: Outcome) => void;
  outcome: Outcome | null;
}

export interface ChannelOptions {
  clock: Clock;
  /** A turn at the node's link; see NodePool.overLink. */
  overLink(work: LinkWork<void>): Promise<void>;
  /** There is room for more requests again. */
  onRoom(): void;
  /** The link has failed: no further request is executed. */
  onFailure(error: BenchError): void;
}

/**
 * The requests of one caller to one node, executed and answered in order. Requests that arrive together share the link;
 * other users have it between two turns.
 */
export class Channel {
  readonly #options: ChannelOptions;
  /** In the order of the requests, from the first unanswered one. */
  readonly #entries: Entry[] = [];
  /** Number of these that are in flight or done. */
  #begun = 0;
  #underWay = 0;
  #wordsUnderWay = 0;
  #waitingWords = 0;
  #held = false;
  #full = false;
  #using = false;
  #wake: (() => void) | null = null;
  readonly #ends = new AbortController();

  constructor(options: ChannelOptions) {
    this.#options = options;
  }

  /** Whether the caller must not be read at the moment. */
  get full(): boolean {
    return this.#full;
  }

  /** Adds a request; its answer comes after earlier answers. */
  push(request: Request, answer: (outcome: Outcome) => void): void {
    this.#add({ request, answer, outcome: null });
  }

  /** Adds an outcome that needs no link, in its place in the order. */
  settled(outcome: Outcome, answer: (outcome: Outcome) => void): void {
    this.#add({ request: null, answer, outcome });
  }

  /** While the caller does not take its answers, no request begins. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.#go();
  }

  /** Stops executing and answering; with a reason, requests in flight are aborted too. */
  close(reason?: BenchError): void {
    this.#entries.length = this.#begun;
    for (const entry of this.#entries) entry.answer = () => {};
    this.#ends.abort(reason ?? jobsError('service_stopped'));
    this.#wake?.();
  }

  #add(entry: Entry): void {
    if (this.#ends.signal.aborted) return;
    this.#entries.push(entry);
    this.#waitingWords += entry.request?.data.length ?? 0;
    if (this.#entries.length >= MAX_WAITING || this.#waitingWords >= MAX_WAITING_WORDS) this.#full = true;
    this.#go();
  }

  #go(): void {
    this.#flush();
    this.#wake?.();
    if (!this.#using && this.#next()) void this.#use();
  }

  /** The next request, if it may begin. */
  #next(): Entry | null {
    if (this.#held || this.#ends.signal.aborted) return null;
    while (this.#entries[this.#begun]?.outcome) this.#begun++;
    return this.#entries[this.#begun] ?? null;
  }

  async #use(): Promise<void> {
    this.#using = true;
    try {
      await this.#options.overLink((link, signal, turn) => this.#work(link, signal, turn));
    } catch (error) {
      const failure = error instanceof BenchError ? error : jobsError('job_crashed', { cause: error });
      if (!this.#ends.signal.aborted) this.#options.onFailure(failure);
    }
    this.#using = false;
    if (this.#next()) void this.#use();
  }

  /** Executes waiting requests and waits a moment for more, until something else needs the link. */
  async #work(link: WishboneLink, outer: AbortSignal, turn: LinkTurn): Promise<void> {
    const { clock } = this.#options;
    const signal = AbortSignal.any([outer, this.#ends.signal]);
    // Every request in flight listens to it.
    setMaxListeners(0, signal);
    const until = clock.monotonic() + TURN_MS;
    let failure: { error: unknown } | null = null;
    turn.onWanted(() => this.#wake?.());
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
    for (;;) {
      const yields = turn.wanted && clock.monotonic() >= until;
      for (let entry = this.#next(); entry && !yields && !failure && this.#fits(entry); entry = this.#next())
        this.#begin(link, entry, signal).catch((error) => {
          failure ??= { error };
          this.#wake?.();
        });
      if (this.#underWay > 0) await this.#wakened();
      else if (failure || signal.aborted || turn.wanted || this.#next()) break;
      else if (!(await this.#wakened(LINGER_MS))) break;
    }
    // An abort from here is no failure of the board.
    if (failure && !this.#ends.signal.aborted) throw (failure as { error: unknown }).error;
  }

  #fits({ request }: Entry): boolean {
    if (this.#underWay === 0) return true;
    return this.#underWay < WINDOW_REQUESTS && this.#wordsUnderWay + (request?.count ?? 0) <= WINDOW_WORDS;
  }

  async #begin(link: WishboneLink, entry: Entry, signal: AbortSignal): Promise<void> {
    this.#begun++;
    const { request } = entry;
    if (!request) return;
    const { op, address, count, data, fixed } = request;
    const { clock } = this.#options;
    const began = clock.monotonic();
    this.#underWay++;
    this.#wordsUnderWay += count;
    try {
      const options = { fixed, signal };
      const result = await (op === 'read'
        ? link.read(address, count, options)
        : link.write(address, data, options));
      entry.outcome = outcomeOf(result, clock.monotonic() - began);
    } catch (error) {
      entry.outcome = { ok: false, error: failureOf(error), ms: null };
      throw error;
    } finally {
      this.#underWay--;
      this.#wordsUnderWay -= count;
      this.#flush();
      this.#wake?.();
    }
  }

  /** Delivers finished answers in order. */
  #flush(): void {
    for (let head = this.#entries[0]; head?.outcome; head = this.#entries[0]) {
      this.#entries.shift();
      if (this.#begun > 0) this.#begun--;
      this.#waitingWords -= head.request?.data.length ?? 0;
      head.answer(head.outcome);
    }
    if (!this.#full) return;
    if (this.#entries.length > MAX_WAITING / 2 || this.#waitingWords > MAX_WAITING_WORDS / 2) return;
    this.#full = false;
    this.#options.onRoom();
  }

  /** Resolves with true on a wake-up, with false after so many milliseconds. */
  #wakened(ms?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = ms === undefined ? () => {} : this.#options.clock.after(ms, () => end(false));
      const end = (woken: boolean) => {
        cancel();
        this.#wake = null;
        resolve(woken);
      };
      this.#wake = () => end(true);
    });
  }
}
