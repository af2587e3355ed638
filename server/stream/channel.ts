import { setMaxListeners } from 'node:events';
import type { Clock } from '../clock.ts';
import { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import type { LinkTurn, LinkWork } from '../nodes/link-use.ts';
import type { WishboneLink } from '../wishbone/link.ts';
import { failureOf, type Outcome, outcomeOf, type Request } from './transaction.ts';

/** Requests and words that are on their way to the board at once: enough to keep its line busy. */
const WINDOW_REQUESTS = 64;
const WINDOW_WORDS = 4096;
/** Requests and bytes that wait here before the caller is not read from any more. */
const MAX_WAITING = 4096;
const MAX_WAITING_WORDS = 1 << 20;
/** While somebody else waits for the node, a turn lasts this long, ms. */
const TURN_MS = 10;
/** For so long the next request of the same caller finds the link ready, ms; whoever else wants it has it at once. */
const LINGER_MS = 3;

/** A request in its place in the order; one that cannot be done has its answer already. */
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
  /** The link has failed: nothing more is done. */
  onFailure(error: BenchError): void;
}

/**
 * The requests of one caller to one node, done and answered in their order. What comes together goes over the link
 * together; between two turns others have theirs.
 */
export class Channel {
  readonly #options: ChannelOptions;
  /** In the order of the requests, from the first that is not answered. */
  readonly #entries: Entry[] = [];
  /** Of these, so many are on their way to the board or done. */
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

  /** Whether the caller should not be read from for now. */
  get full(): boolean {
    return this.#full;
  }

  /** Takes a request; its answer comes after the answers of those before it. */
  push(request: Request, answer: (outcome: Outcome) => void): void {
    this.#add({ request, answer, outcome: null });
  }

  /** Takes a place in the order for what needs no link. */
  settled(outcome: Outcome, answer: (outcome: Outcome) => void): void {
    this.#add({ request: null, answer, outcome });
  }

  /** While the caller does not take its answers, nothing new is begun. */
  hold(held: boolean): void {
    this.#held = held;
    if (!held) this.#go();
  }

  /** Nothing more is done or answered; with a reason, what is on its way to the board is given up, too. */
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

  /** The request whose turn it is, if it may begin. */
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

  /** Does what there is, and waits a moment for more, until somebody else wants the link. */
  async #work(link: WishboneLink, outer: AbortSignal, turn: LinkTurn): Promise<void> {
    const { clock } = this.#options;
    const signal = AbortSignal.any([outer, this.#ends.signal]);
    // Every request on its way listens to it.
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
    // What was given up here is the link's to forget, not a failure of the board.
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

  /** Gives the answers that are there, as far as those before them are. */
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

  /** Resolves with true when something has happened, with false after so many milliseconds. */
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
