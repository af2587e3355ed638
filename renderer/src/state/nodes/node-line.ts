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

/** Places of one subscription; words of one place, as many as the record shows to others (docs/stream.md). */
const PLACES = 64;
const WORDS = 8;
/** After a refused stream the next transaction tries again when so much time has passed, ms. */
const TRY_AGAIN_MS = 30_000;
/** Refusals that say: not over a stream now, but a run may do it. */
const NO_STREAM = [404, 426, 429, 501, 503];

/** Loaded with the first stream: the rack does without. */
const streams = () => import('../../../../server/contract/client/stream.ts');

/** How words reach a node from this window. */
type Way =
  | { kind: 'none' }
  | { kind: 'stream' }
  /** Every transaction is a job, since there is no stream; `reason` is a sentence. */
  | { kind: 'runs'; reason: string };

/** What a polled place holds: its words, or why it could not be read. `at` in ms of this computer's clock. */
export interface PlaceChange {
  address: number;
  words: readonly number[] | undefined;
  failure: string | undefined;
  at: number;
}

/** What the bench tells of the transactions of everybody with the node, and of its session. */
type Followed = Exclude<ViewerMessage, { type: 'end' }>;

/** Polls that run on the bench, or the bench's telling of what others do. */
export interface Subscription {
  /** Ends them; the stream stays open. */
  end(): void;
  /** Resolves when the stream is over, with the reason where it was not closed from here. */
  readonly over: Promise<StreamError | null>;
}

/** The one stream of a node and window. It is opened by the first who needs it, and again after it was lost. */
export class NodeLine {
  readonly way = createStore<Way>(() => ({ kind: 'none' }));
  readonly #service: Client;
  readonly #node: number;
  readonly #WebSocket: SocketConstructor | undefined;
  readonly #now: () => number;
  #stream: Promise<TransactionStream | null> | null = null;
  #refusedAt = Number.NEGATIVE_INFINITY;
  /** This computer's clock less that of the bench, ms: the least that was seen, which is what took the shortest way. */
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

  /** The open stream, or null where there is none and transactions are runs. @throws ServiceError of a refusal. */
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
   * Has the bench read these addresses again and again. `onChange` is told what they hold at first, and then what
   * changes. Null where there is no stream. @throws StreamError, ServiceError
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
   * Has the bench tell what everybody does with the node: over the stream of who may work with it, else as a viewer, who
   * never touches the bus. Null where there is no stream. @throws ServiceError, UnreachableError
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

  /** A time of the bench, just told, as one of this computer, ms since 1970. */
  here(at: number): number {
    this.#skew = Math.min(this.#skew, this.#now() - at);
    return at + this.#skew;
  }

  /** Somebody else calls from now on, or the line was lost: the next who needs a stream opens one. */
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
