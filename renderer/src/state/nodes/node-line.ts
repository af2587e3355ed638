import { createStore } from 'zustand/vanilla';
import type { Client } from '../../../../server/contract/client/client.ts';
import { ServiceError, UnreachableError } from '../../../../server/contract/client/failures.ts';
import type {
  FollowFrom,
  SocketConstructor,
  StreamError,
  TransactionStream,
} from '../../../../server/contract/client/stream.ts';
import type { ViewerMessage } from '../../../../server/contract/stream/stream.ts';
import { toBursts } from '../page/bursts.ts';

/** Places per subscription, and words per place: as many as the record shows (docs/stream.md). */
const PLACES = 64;
const WORDS = 8;
/** Time before the next attempt to open a refused stream, ms. */
const TRY_AGAIN_MS = 30_000;
/** Refusals of a stream after which a run may succeed. */
const NO_STREAM = [404, 426, 429, 501, 503];

/** Loads with the first stream: the Bench screen needs none. */
const streams = () => import('../../../../server/contract/client/stream.ts');

/** How words reach a node from this window. */
type Way =
  | { kind: 'none' }
  | { kind: 'stream' }
  /** Every transaction is a job, because there is no stream; `reason` is a sentence. */
  | { kind: 'runs'; reason: string };

/** The words of a polled place, or why it could not be read. `at` in ms of this computer's clock. */
export interface PlaceChange {
  address: number;
  words: readonly number[] | undefined;
  failure: string | undefined;
  at: number;
}

/** Messages on the transactions of all callers of the node, and on its session. */
type Followed = Exclude<ViewerMessage, { type: 'end' }>;

/** Polls, or the view of other callers' transactions. */
export interface Subscription {
  /** Ends it; the stream stays open. */
  end(): void;
  /** Resolves at the end of the stream, with the reason if this side did not close it. */
  readonly over: Promise<StreamError | null>;
}

/** The one stream of a node and window. The first caller opens it, and reopens it after a loss. */
export class NodeLine {
  readonly way = createStore<Way>(() => ({ kind: 'none' }));
  readonly #service: Client;
  readonly #node: number;
  readonly #WebSocket: SocketConstructor | undefined;
  readonly #now: () => number;
  #stream: Promise<TransactionStream | null> | null = null;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** This computer's clock minus the bench's, ms: the smallest value seen, from the fastest message. */
  #skew = Number.POSITIVE_INFINITY;

  constructor(options: {
    service: Client;
    node: number;
    WebSocket: SocketConstructor | undefined;
    now?: () => number;
  }) {
    this.#service = options.service;
    this.#node = options.node;
    this.#WebSocket = options.WebSocket;
    this.#now = options.now ?? Date.now;
  }

  /** The open stream, or null if transactions are runs. @throws ServiceError of a refusal */
  stream(): Promise<TransactionStream | null> {
    if (this.#stream === null) {
      const opening = this.#open();
      this.#stream = opening;
      const forget = () => {
        if (this.#stream !== opening) return;
        this.#stream = null;
        if (this.way.getState().kind === 'stream') this.way.setState({ kind: 'none' }, true);
      };
      opening.then((stream) => (stream ? stream.closed.then(forget) : forget()), forget);
    }
    return this.#stream;
  }

  /**
   * Makes the bench poll addresses. `onChange` gets all words first, then the changes. Null without a stream. @throws
   * StreamError, ServiceError
   */
  async poll(
    addresses: Iterable<number>,
    everyMs: number,
    onChange: (change: PlaceChange) => void,
  ): Promise<Subscription | null> {
    const stream = await this.stream();
    if (!stream) return null;
    const bursts = toBursts(addresses, WORDS);
    const ends: (() => void)[] = [];
    for (let first = 0; first < bursts.length; first += PLACES)
      ends.push(
        await stream.subscribe(bursts.slice(first, first + PLACES), everyMs, ({ address, data, error, at }) =>
          onChange({ address, words: data, failure: error?.message, at: this.here(Date.parse(at)) }),
        ),
      );
    const end = () => {
      for (const one of ends) one();
    };
    return { end, over: stream.closed };
  }

  /**
   * Follows the transactions of all callers: over the holder's stream, else as a viewer, which never touches the bus.
   * Null without a stream. @throws ServiceError, UnreachableError
   */
  async follow(
    as: 'worker' | 'viewer',
    onMessage: (message: Followed) => void,
    from: FollowFrom,
  ): Promise<Subscription | null> {
    if (!this.#WebSocket) return null;
    if (as === 'viewer') {
      const { openViewer } = await streams();
      const viewer = await openViewer(this.#service.options, this.#node, onMessage, {
        WebSocket: this.#WebSocket,
        ...from,
      });
      return { end: () => viewer.close(), over: viewer.closed };
    }
    const stream = await this.stream();
    if (!stream) return null;
    return { end: await stream.follow(onMessage, from), over: stream.closed };
  }

  /** Converts a time of a message from the bench to this computer's clock, ms since 1970. */
  here(at: number): number {
    this.#skew = Math.min(this.#skew, this.#now() - at);
    return at + this.#skew;
  }

  /** The same for a time that no message has just brought. */
  earlierHere(at: number): number {
    return at + (Number.isFinite(this.#skew) ? this.#skew : 0);
  }

  /** After a change of caller or a loss: the next caller opens a new stream. */
  reset(): void {
    this.#refusedAt = Number.NEGATIVE_INFINITY;
    const before = this.#stream;
    this.#stream = null;
    this.way.setState({ kind: 'none' }, true);
    void before?.then((stream) => stream?.close()).catch(() => {});
  }

  async #open(): Promise<TransactionStream | null> {
    if (!this.#WebSocket || this.#now() - this.#refusedAt < TRY_AGAIN_MS) return null;
    try {
      const { openStream } = await streams();
      const stream = await openStream(this.#service.options, this.#node, { WebSocket: this.#WebSocket });
      this.way.setState({ kind: 'stream' }, true);
      return stream;
    } catch (error) {
      const instead =
        error instanceof UnreachableError ||
        (error instanceof ServiceError && NO_STREAM.includes(error.status));
      if (!instead) throw error;
      this.#refusedAt = this.#now();
      this.way.setState({ kind: 'runs', reason: error.message }, true);
      return null;
    }
  }
}

/** The lines of all nodes. */
export class NodeLines {
  readonly #lines = new Map<number, NodeLine>();
  readonly #service: Client;
  readonly #WebSocket: SocketConstructor | undefined;

  constructor(service: Client, WebSocket: SocketConstructor | undefined) {
    this.#service = service;
    this.#WebSocket = WebSocket;
  }

  of(node: number): NodeLine {
    let line = this.#lines.get(node);
    if (!line) {
      line = new NodeLine({ service: this.#service, node, WebSocket: this.#WebSocket });
      this.#lines.set(node, line);
    }
    return line;
  }

  reset(): void {
    for (const line of this.#lines.values()) line.reset();
  }
}
