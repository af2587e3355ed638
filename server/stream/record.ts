import type { Job } from '../contract/jobs/jobs.ts';
import {
  RECORDED_POLLS,
  RECORDED_TRANSACTIONS,
  RECORDED_WORDS,
  type Transaction,
  type TransactionPage,
} from '../contract/stream/stream.ts';
import type { DoneTransaction } from '../scripts/done-transaction.ts';
import { Tape } from './tape.ts';
import type { Outcome, Request } from './transaction.ts';

/** The newest transactions of one kind, in the order of their seq. */
class Ring {
  readonly #most: number;
  readonly #entries: Transaction[] = [];
  #added = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get length(): number {
    return this.#entries.length;
  }

  /** Returns the entry that it replaces. */
  add(entry: Transaction): Transaction | undefined {
    const at = this.#added++ % this.#most;
    const before = this.#entries[at];
    this.#entries[at] = entry;
    return before;
  }

  /** The nth newest; 0 for the newest. */
  newest(nth: number): Transaction | undefined {
    if (nth >= this.#entries.length) return undefined;
    return this.#entries[(this.#added - 1 - nth) % this.#most];
  }

  clear(): void {
    this.#entries.length = 0;
    this.#added = 0;
  }
}

const wordsOf = (words: Uint32Array): number[] => Array.from(words.subarray(0, RECORDED_WORDS));

/** The record of a node's transactions since its session began: the newest of them. */
export class TransactionRecord {
  readonly #fpgaId: number;
  readonly #newId: () => string;
  readonly #onAdded: (transaction: Transaction) => void;
  readonly #asked = new Ring(RECORDED_TRANSACTIONS);
  /** Separate, so that hours of polling displace nothing else. */
  readonly #polled = new Ring(RECORDED_POLLS);
  #id: string;
  #seq = 0;
  #polls = 0;
  /** Recorded runs and their places, because a job is announced more than once. */
  readonly #runs = new Map<string, number>();
  /** All words, for scripts. */
  readonly #tape = new Tape();

  /** @param options.newId names a record @param options.onAdded called with every recorded transaction */
  constructor(options: {
    fpgaId: number;
    newId: () => string;
    onAdded: (transaction: Transaction) => void;
  }) {
    this.#fpgaId = options.fpgaId;
    this.#newId = options.newId;
    this.#onAdded = options.onAdded;
    this.#id = options.newId();
  }

  /** Its name; every session has another. */
  get id(): string {
    return this.#id;
  }

  /** Number of recorded transactions other than polls. */
  get kept(): number {
    return this.#asked.length;
  }

  /** A session has begun: drops the record of the one before. */
  begin(): void {
    this.#asked.clear();
    this.#polled.clear();
    this.#runs.clear();
    this.#tape.clear();
    this.#seq = 0;
    this.#polls = 0;
    this.#id = this.#newId();
  }

  /** @param at ISO 8601, UTC */
  add(at: string, owner: string, via: Transaction['via'], request: Request, outcome: Outcome): void {
    const { op, address, count, fixed } = request;
    const words = op === 'write' ? request.data : outcome.ok ? outcome.data : request.data;
    this.#keep({
      at,
      owner,
      via,
      op,
      address,
      count,
      fixed_address: fixed,
      ok: outcome.ok,
      error: outcome.ok ? null : outcome.error.code,
      error_address: outcome.ok ? null : (outcome.error.address ?? null),
      data: wordsOf(words),
      polled: false,
      ms: outcome.ms === null ? null : Math.round(outcome.ms * 1000) / 1000,
      job_id: null,
    });
    this.#tape.keep(this.#seq, words);
  }

  /** Records a poll, which is listed where it differs from the one before. @param at ISO 8601, UTC */
  addPoll(
    at: string,
    owner: string,
    place: { address: number; count: number },
    outcome: Outcome,
    differs: boolean,
  ): void {
    this.#polls++;
    if (!differs) return;
    this.#keep({
      at,
      owner,
      via: 'stream',
      op: 'read',
      address: place.address,
      count: place.count,
      fixed_address: false,
      ok: outcome.ok,
      error: outcome.ok ? null : outcome.error.code,
      error_address: outcome.ok ? null : (outcome.error.address ?? null),
      data: outcome.ok ? wordsOf(outcome.data) : [],
      polled: true,
      ms: null,
      job_id: null,
    });
  }

  /** Records a run that has ended. @param words the first that it wrote or read, where they are known */
  addRun({ job_id, owner, run, ok, fault, failure, updated_at }: Job, words: readonly number[]): void {
    if (!run || this.#runs.has(job_id)) return;
    this.#keep({
      at: updated_at,
      owner,
      via: 'run',
      op: run.op === 1 ? 'write' : 'read',
      address: run.address,
      count: run.count,
      fixed_address: run.fixed_address,
      ok: ok ?? false,
      error: ok ? null : (failure?.error ?? fault?.code ?? null),
      error_address: fault?.address ?? null,
      data: words.slice(0, RECORDED_WORDS),
      polled: false,
      ms: null,
      job_id,
    });
    this.#runs.set(job_id, this.#seq);
    // For a written field, the whole word is unknown.
    const whole = run.mask === undefined ? [] : words;
    this.#tape.keep(this.#seq, this.#tape.arrived(job_id) ?? Uint32Array.from(whole));
  }

  /** Stores a run's words when it is accepted, since its job lacks them; this may come after its end. */
  wrote(jobId: string, words: Uint32Array): void {
    const seq = this.#runs.get(jobId);
    if (seq === undefined) this.#tape.expect(jobId, words);
    else this.#tape.keep(seq, words);
  }

  /** Transactions other than polls, oldest first, with all words where they are recorded. */
  done(): { entry: Transaction; words: Uint32Array | null }[] {
    const asked = this.#oldestFirst().filter(({ polled }) => !polled);
    const own = asked.filter(({ via }) => via !== 'script');
    return (own.length > 0 ? own : asked).map((entry) => ({
      entry,
      words: this.#tape.wordsOf(entry.seq),
    }));
  }

  /** Polls that were answered, oldest first, with their first words. */
  polled(): DoneTransaction[] {
    return this.#oldestFirst()
      .filter(({ polled, ok }) => polled && ok)
      .map(({ op, address, count, fixed_address: fixed, data, at }) => ({
        ...{ op, address, count, fixed, fault: false, data: Uint32Array.from(data), at: Date.parse(at) },
      }));
  }

  #oldestFirst(): Transaction[] {
    return this.page(Number.POSITIVE_INFINITY).transactions.reverse();
  }

  /** Newest first. */
  page(limit: number, after = 0): TransactionPage {
    const transactions: Transaction[] = [];
    for (const one of this.#newestFirst()) {
      if (transactions.length >= limit || one.seq <= after) break;
      transactions.push(one);
    }
    const count = this.#asked.length + this.#polled.length;
    return {
      fpga_id: this.#fpgaId,
      record: this.#id,
      transactions,
      dropped: this.#seq - count,
      polls: this.#polls,
    };
  }

  /** The last seq that was used. */
  get seq(): number {
    return this.#seq;
  }

  *#newestFirst(): Iterable<Transaction> {
    let [asked, polled] = [0, 0];
    for (;;) {
      const a = this.#asked.newest(asked);
      const b = this.#polled.newest(polled);
      if (a && (!b || a.seq > b.seq)) {
        asked++;
        yield a;
      } else if (b) {
        polled++;
        yield b;
      } else return;
    }
  }

  #keep(entry: Omit<Transaction, 'seq'>): void {
    const transaction = { seq: ++this.#seq, ...entry };
    const before = (entry.polled ? this.#polled : this.#asked).add(transaction);
    if (before?.job_id) this.#runs.delete(before.job_id);
    if (before) this.#tape.drop(before.seq);
    this.#onAdded(transaction);
  }
}
