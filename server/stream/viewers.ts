import type { Clock } from '../clock.ts';
import type { NodeView } from '../contract/nodes/nodes.ts';
import { type Transaction, VIEWED_AT_FIRST, type ViewerMessage } from '../contract/stream/stream.ts';
import type { BenchError } from '../errors/bench-error.ts';
import type { TransactionRecord } from './record.ts';

/** Time for which transactions are collected: 20 messages a second. */
const COLLECT_MS = 50;
/**
 * Transactions that all viewers of a node together get in one interval, which bounds the processor time of many busy
 * ones. Each viewer's share has these limits.
 */
const SHARED_OUT = 10_000;
const MAX_BATCH = 500;
const MIN_BATCH = 20;
/** A viewer with so many unread bytes misses transactions, and gets their number once it reads again. */
const MAX_UNREAD_BYTES = 256 << 10;

/** The connection of a viewer. */
export interface ViewerSink {
  /** Bytes that it has not taken yet. */
  unread(): number;
  /** Sends a text message; all viewers share the bytes. */
  send(text: Buffer): void;
  /** No more messages follow. */
  end(reason: BenchError): void;
}

/** The starting point of a viewer: after a seq of a record. */
export interface ViewFrom {
  after?: number | undefined;
  record?: string | undefined;
}

type SessionMessage = Extract<ViewerMessage, { type: 'session' }>;

const encode = (message: ViewerMessage): Buffer => Buffer.from(JSON.stringify(message));

/** The viewers of one node. Each message is formatted once for all of them, and none needs the board. */
export class NodeViewers {
  readonly #clock: Clock;
  readonly #record: TransactionRecord;
  /** Each with the number of transactions missed since its last message. */
  readonly #missed = new Map<ViewerSink, number>();
  #pending: Transaction[] = [];
  /** Number of omitted pending transactions. */
  #skipped = 0;
  #cancel: (() => void) | null = null;
  #session = '';

  constructor(clock: Clock, record: TransactionRecord) {
    this.#clock = clock;
    this.#record = record;
  }

  get count(): number {
    return this.#missed.size;
  }

  /** Sends the node's holder and the latest transactions, then new ones; returns the function that ends it. */
  add(sink: ViewerSink, node: NodeView, { after, record }: ViewFrom): () => void {
    this.flush();
    sink.send(encode(this.#sessionOf(node)));
    const known = after !== undefined && (record === undefined || record === this.#record.id);
    // A seq of another record, or of an earlier service, may be too high.
    const from = known && after <= this.#record.seq ? after : 0;
    const most = from === 0 && !known ? VIEWED_AT_FIRST : MAX_BATCH;
    const { transactions } = this.#record.page(most, from);
    const oldest = transactions.at(-1)?.seq ?? from + 1;
    const skipped = known ? oldest - from - 1 : 0;
    sink.send(encode(batch(transactions.reverse(), skipped)));
    this.#missed.set(sink, 0);
    return () => {
      this.#missed.delete(sink);
    };
  }

  /** Adds a transaction. */
  tell(transaction: Transaction): void {
    if (this.#missed.size === 0) return;
    const share = Math.floor(SHARED_OUT / this.#missed.size);
    const most = Math.max(MIN_BATCH, Math.min(MAX_BATCH, share));
    this.#pending.push(transaction);
    while (this.#pending.length > most) {
      this.#pending.shift();
      this.#skipped++;
    }
    this.#cancel ??= this.#clock.after(COLLECT_MS, () => this.flush());
  }

  /** The node has changed: reports the holder where it is another one. */
  nodeChanged(node: NodeView): void {
    const message = this.#sessionOf(node);
    const text = JSON.stringify(message);
    if (text === this.#session) return;
    this.#session = text;
    this.flush();
    const bytes = Buffer.from(text);
    for (const sink of this.#missed.keys()) sink.send(bytes);
  }

  /** Sends the collected transactions. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const transactions = this.#pending;
    const skipped = this.#skipped;
    this.#pending = [];
    this.#skipped = 0;
    if (transactions.length === 0) return;
    const bytes = encode(batch(transactions, skipped));
    for (const [sink, missed] of this.#missed) {
      if (sink.unread() > MAX_UNREAD_BYTES) {
        this.#missed.set(sink, missed + transactions.length + skipped);
        continue;
      }
      if (missed > 0) {
        this.#missed.set(sink, 0);
        sink.send(encode(batch([], missed)));
      }
      sink.send(bytes);
    }
  }

  close(reason: BenchError): void {
    this.#cancel?.();
    this.#cancel = null;
    for (const sink of [...this.#missed.keys()]) sink.end(reason);
    this.#missed.clear();
  }

  #sessionOf({ state, session, design }: NodeView): SessionMessage {
    return {
      type: 'session',
      record: this.#record.id,
      state,
      owner: session?.owner ?? null,
      design: design?.filename ?? null,
    };
  }
}

const batch = (transactions: Transaction[], skipped: number): ViewerMessage => ({
  type: 'transactions',
  transactions,
  ...(skipped > 0 ? { skipped } : {}),
});
