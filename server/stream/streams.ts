import type { Clock } from '../clock.ts';
import { hasEnded, type Job } from '../contract/jobs/jobs.ts';
import type { ActivityEntry } from '../contract/nodes/activity.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import type { Transaction, TransactionPage } from '../contract/stream/stream.ts';
import type { BenchError } from '../errors/bench-error.ts';
import { jobsError } from '../errors/jobs.ts';
import { wishboneError } from '../errors/wishbone.ts';
import type { EventHub } from '../events/events.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import type { Bus } from '../scripts/bus.ts';
import type { DoneTransaction } from '../scripts/done-transaction.ts';
import { Channel } from './channel.ts';
import { NodePolls, type Watcher } from './polls.ts';
import { TransactionRecord } from './record.ts';
import { type Outcome, problemOf, type Request, refused } from './transaction.ts';
import { NodeViewers, type ViewerSink, type ViewFrom } from './viewers.ts';

export interface StreamsOptions {
  pool: NodePool;
  events: EventHub;
  clock: Clock;
  /** A new UUID. */
  newId: () => string;
  /** Maximum words of one transaction. */
  maxWords: () => number;
}

export interface StreamOptions {
  fpgaId: number;
  /** The owner of the stream. */
  owner: string;
  via: Transaction['via'];
  /** There is room for more requests again; see NodeStream.full. */
  onRoom(): void;
  /** The stream has ended with its session, its rights or its board. No more answers follow. */
  onEnd(reason: BenchError): void;
}

/** One caller's stream of transactions with a node, for the length of the session. */
export interface NodeStream {
  /** Transactions and words so far. */
  readonly counts: { transactions: number; words: number };
  /** Whether the caller must not be read at the moment. */
  readonly full: boolean;
  /** Executes a request in its turn; `answer` is called in the order of the requests. */
  ask(request: Request, answer: (outcome: Outcome) => void): void;
  /** Adds an outcome that needs no link; `answer` is called in its turn. */
  settled(outcome: Outcome, answer: (outcome: Outcome) => void): void;
  /** While the caller does not take its answers, no request begins. */
  hold(held: boolean): void;
  /** Polls a place, together with all other subscribers; returns the function that ends it. */
  watch(address: number, count: number, watcher: Omit<Watcher, 'owner'>): () => void;
  /** Reports all callers' transactions with the node, as to a viewer; returns the function that ends it. */
  follow(sink: ViewerSink, from: ViewFrom): () => void;
  /** Ends the stream, with a reason for the caller, or because the caller has disconnected. */
  end(reason?: BenchError): void;
}

/** Codes for a missing acknowledgement, over a stream and as a run. */
const FAULTS: ReadonlySet<string> = new Set(['bus_timeout', 'bus_error']);

interface Open {
  fpgaId: number;
  sessionId: string;
  /** The holder of the session when the stream was opened. */
  holder: string;
  stream: NodeStream;
}

/** Why the node's present state ends a session's streams; null while they continue. */
function endOf(node: NodeView, { sessionId, holder }: Pick<Open, 'sessionId' | 'holder'>): BenchError | null {
  const { fpga_id: id, state, session, resetting, error } = node;
  if (state === 'error')
    return jobsError('session_ended', {
      message: `Node ${id} is in error: ${error?.message ?? 'see its last job.'}`,
    });
  if (resetting) return jobsError('session_ended', { message: `Node ${id} is being released or reset.` });
  if (session === null && state === 'programming')
    return jobsError('session_ended', {
      message: `Another design replaces the one on node ${id}.`,
    });
  if (session === null)
    return jobsError('session_ended', { message: `The session of node ${id} has expired.` });
  if (state === 'reserved' && session.session_id === sessionId) return null;
  if (state === 'reserved' && session.owner !== holder)
    return jobsError('session_handed_over', {
      message: `The session of node ${id} was handed over to ${session.owner}.`,
    });
  return jobsError('session_ended');
}

/** The record of a node, and its viewers. */
interface Watched {
  record: TransactionRecord;
  viewers: NodeViewers;
}

/** The open streams of all nodes, with their shared polls, records and viewers. */
export class Streams {
  readonly #options: StreamsOptions;
  readonly #open = new Set<Open>();
  readonly #watched: readonly Watched[];
  readonly #polls = new Map<number, NodePolls>();
  readonly #unsubscribe: () => void;

  constructor(options: StreamsOptions) {
    this.#options = options;
    const { clock, newId, pool } = options;
    this.#watched = pool.nodes().map(({ fpga_id: fpgaId }): Watched => {
      const onAdded = (transaction: Transaction) => viewers.tell(transaction);
      const record = new TransactionRecord({ fpgaId, newId, onAdded });
      const viewers = new NodeViewers(clock, record);
      return { record, viewers };
    });
    this.#unsubscribe = options.events.subscribe((event) => {
      if (event.type === 'node') this.#nodeChanged(event.node);
      else if (event.type === 'activity') this.#showActivity(event.entry);
      else if (event.type === 'job') this.#jobChanged(event.job);
    });
  }

  get count(): number {
    return this.#open.size;
  }

  transactions(fpgaId: number, limit: number, after?: number): TransactionPage {
    return this.#of(fpgaId).record.page(limit, after);
  }

  /** Number of recorded transactions of the node other than polls. */
  transactionCount(fpgaId: number): number {
    return this.#of(fpgaId).record.kept;
  }

  /** Reports all transactions with a node, whatever its state; returns the function that ends it. */
  view(fpgaId: number, sink: ViewerSink, from: ViewFrom): () => void {
    return this.#of(fpgaId).viewers.add(sink, this.#options.pool.node(fpgaId), from);
  }

  /** Stores a run's words, which nothing else has. */
  wrote(fpgaId: number, jobId: string, words: Uint32Array): void {
    this.#of(fpgaId).record.wrote(jobId, words);
  }

  /**
   * The session's transactions, for a script; `missing` counts those that are not recorded or were refused. Those of
   * scripts count only in a session without others, such as one of an example.
   */
  async done(
    fpgaId: number,
  ): Promise<{ done: DoneTransaction[]; polled: DoneTransaction[]; missing: number }> {
    const { pool } = this.#options;
    const { record } = this.#of(fpgaId);
    const done: DoneTransaction[] = [];
    let missing = record.page(1).dropped;
    for (const { entry, words } of record.done()) {
      const { op, address, count, fixed_address: fixed, ok, error, at, job_id: jobId } = entry;
      const fault = !ok && FAULTS.has(error ?? '');
      if (!ok && !fault) {
        missing++;
        continue;
      }
      const reads = jobId !== null && op === 'read' && ok;
      const read = reads ? await pool.result(fpgaId, jobId).catch(() => null) : null;
      const data = read?.data ?? words;
      done.push({ op, address, count, fixed, fault, data, at: Date.parse(at) });
    }
    return { done, polled: record.polled(), missing };
  }

  /**
   * A bus for a script, whose transactions go into the session's record; `close` ends it.
   * @throws fpga_not_reserved.
   */
  bus(fpgaId: number, owner: string): { bus: Bus; close: () => void } {
    const ends = new Set<(reason: BenchError) => void>();
    let ended: BenchError | null = null;
    const stream = this.open({
      fpgaId,
      owner,
      via: 'script',
      onRoom() {},
      onEnd(reason) {
        ended = reason;
        for (const end of ends) end(reason);
      },
    });
    const bus: Bus = (request) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended);
          return;
        }
        ends.add(reject);
        stream.ask(request, (outcome) => {
          ends.delete(reject);
          resolve(outcome);
        });
      });
    return { bus, close: () => stream.end() };
  }

  /** @throws fpga_not_reserved where the node has no session, or is about to lose it. */
  open(options: StreamOptions): NodeStream {
    const { pool, clock } = this.#options;
    const { fpgaId, owner, via, onRoom, onEnd } = options;
    const node = pool.node(fpgaId);
    const { session_id: sessionId, owner: holder } = node.session ?? {};
    if (sessionId === undefined || holder === undefined || endOf(node, { sessionId, holder }) !== null)
      throw jobsError('fpga_not_reserved', {
        message: `Node ${fpgaId} is ${node.resetting ? 'being reset' : node.state}; a stream needs a node that is reserved.`,
      });
    const { record } = this.#of(fpgaId);
    const polls = this.#pollsOf(fpgaId);
    const watched = new Set<() => void>();
    const counts = { transactions: 0, words: 0 };
    const channel = new Channel({
      clock,
      overLink: (work) => pool.overLink(fpgaId, sessionId, work),
      onRoom,
      onFailure: (error) => end(error),
    });
    const renew = () => pool.renewSession(fpgaId, sessionId);
    const end = (reason?: BenchError) => {
      if (!this.#open.delete(entry)) return;
      for (const stop of watched) stop();
      channel.close(reason);
      if (reason) onEnd(reason);
    };
    const stream: NodeStream = {
      counts,
      get full() {
        return channel.full;
      },
      ask: (request, answer) => {
        const problem = problemOf(request, this.#options.maxWords());
        const ended = (outcome: Outcome) => {
          counts.transactions++;
          if (outcome.ok) counts.words += request.count;
          record.add(new Date(clock.now()).toISOString(), owner, via, request, outcome);
          answer(outcome);
        };
        if (problem) {
          channel.settled(refused(problem), ended);
          return;
        }
        renew();
        channel.push(request, ended);
      },
      settled: (outcome, answer) => channel.settled(outcome, answer),
      hold: (held) => channel.hold(held),
      watch: (address, count, watcher) => {
        if (address + 4 * count > 2 ** 32) throw wishboneError('address_invalid');
        const stop = polls.watch(address, count, { ...watcher, owner });
        renew();
        const stopOnce = () => {
          if (watched.delete(stopOnce)) stop();
        };
        watched.add(stopOnce);
        return stopOnce;
      },
      follow: (sink, from) => {
        const stop = this.view(fpgaId, sink, from);
        watched.add(stop);
        return () => {
          if (watched.delete(stop)) stop();
        };
      },
      end,
    };
    const entry: Open = { fpgaId, sessionId, holder, stream };
    this.#open.add(entry);
    return stream;
  }

  /** Ends all streams. */
  close(): void {
    this.#unsubscribe();
    for (const { stream } of [...this.#open]) stream.end(jobsError('service_stopping'));
    for (const polls of this.#polls.values()) polls.clear();
    for (const { viewers } of this.#watched) viewers.close(jobsError('service_stopping'));
  }

  #nodeChanged(node: NodeView): void {
    for (const open of [...this.#open]) {
      const reason = open.fpgaId === node.fpga_id ? endOf(node, open) : null;
      if (reason) open.stream.end(reason);
    }
    this.#of(node.fpga_id).viewers.nodeChanged(node);
    if (node.state !== 'reserved') this.#polls.get(node.fpga_id)?.clear();
  }

  /** A session's record stays readable until the next session begins. */
  #showActivity({ kind, fpga_id: fpgaId }: ActivityEntry): void {
    if (fpgaId === null || (kind !== 'taken' && kind !== 'replaced')) return;
    const { record, viewers } = this.#of(fpgaId);
    viewers.flush();
    record.begin();
  }

  #jobChanged(job: Job): void {
    if (job.type !== 'run' || !hasEnded(job.status) || job.status === 'cancelled') return;
    this.#of(job.fpga_id).record.addRun(job, this.#options.pool.firstWords(job.job_id));
  }

  #of(fpgaId: number): Watched {
    const found = this.#watched[fpgaId];
    if (!found) throw new RangeError(`There is no node ${fpgaId}.`);
    return found;
  }

  #pollsOf(fpgaId: number): NodePolls {
    const { clock, pool } = this.#options;
    const known =
      this.#polls.get(fpgaId) ??
      new NodePolls(
        clock,
        (work) => {
          const { session } = pool.node(fpgaId);
          if (session === null) throw jobsError('session_ended');
          return pool.overLink(fpgaId, session.session_id, work);
        },
        (place, outcome, { at, owner, differs }) => {
          this.#of(fpgaId).record.addPoll(new Date(at).toISOString(), owner, place, outcome, differs);
        },
      );
    this.#polls.set(fpgaId, known);
    return known;
  }
}
