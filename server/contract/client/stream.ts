import type { StreamFailure, StreamMessage, StreamRequest, ViewerMessage } from '../stream/stream.ts';
import { CREDENTIAL_PROTOCOLS, JSON_PROTOCOL, VIEWER_PROTOCOL } from '../stream/stream-protocol.ts';
import { NoWebSocketsError } from './failures.ts';
import { type ClientOptions, send } from './request.ts';

/** A transaction that was not done, or the end of a stream: in the bench's own words. */
export class StreamError extends Error {
  override readonly name = 'StreamError';
  /** `bus_timeout`, `bus_error`, `stream_closed`, or a code of docs/errors.md. */
  readonly code: string;
  /** Byte address of the access that failed on the bus. */
  readonly address: number | undefined;

  constructor({ code, message, address }: StreamFailure) {
    super(message);
    this.code = code;
    this.address = address;
  }
}

/** What of a WebSocket is used: the one of browsers and Node 22, and that of the package `ws`. */
interface SocketLike {
  /** 0 connecting, 1 open, 2 closing, 3 closed. */
  readonly readyState: number;
  onopen: ((event: never) => unknown) | null;
  onmessage: ((event: never) => unknown) | null;
  onclose: ((event: never) => unknown) | null;
  onerror: ((event: never) => unknown) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}
export type SocketConstructor = new (url: string, protocols: string[]) => SocketLike;

export interface StreamOptions {
  /** The constructor to use; the global one when absent, which Node has from version 22 on. */
  WebSocket?: SocketConstructor;
  signal?: AbortSignal | undefined;
}

/** A place that is polled on the bench: a byte address, or a name of the map, and how many words, 1 when absent. */
interface PollPlace {
  address: number | string;
  count?: number;
}

/** What a polled place holds now, or why it could not be read. */
type PollChange = Extract<StreamMessage, { type: 'change' }>;

/** What is told of the transactions of everybody with a node. */
export type Followed = Exclude<ViewerMessage, { type: 'end' }>;

/** From where on to be told; absent: the newest, then as they happen. */
export interface FollowFrom {
  /** Behind this seq… */
  after?: number | undefined;
  /** …of this record. */
  record?: string | undefined;
}

/** Somebody who watches. */
export interface Viewer {
  /** Resolves when it is closed, with the reason where it was not closed from this side. */
  readonly closed: Promise<StreamError | null>;
  close(): void;
}

/** Transactions with a node, one after the other in the order of the calls, without a job each. */
export interface TransactionStream {
  /** Words from a byte address on. @throws StreamError. */
  read(address: number, count?: number, options?: { fixed?: boolean }): Promise<number[]>;
  /** Writes words from a byte address on. @throws StreamError. */
  write(address: number, words: readonly number[], options?: { fixed?: boolean }): Promise<void>;
  /**
   * Has the bench read places again and again, and tells what changes; the first poll tells all of them. Resolves with
   * what ends it. @throws StreamError.
   */
  subscribe(
    places: readonly PollPlace[],
    everyMs: number,
    onChange: (change: PollChange) => void,
  ): Promise<() => void>;
  /** Tells of the transactions of everybody with this node, as a viewer is told. Resolves with what ends it. */
  follow(onMessage: (message: Followed) => void, from?: FollowFrom): Promise<() => void>;
  /** Resolves when the stream is closed, with the reason where it was not closed from this side. */
  readonly closed: Promise<StreamError | null>;
  close(): void;
}

const PATH = (fpgaId: number) => `/fpga/${fpgaId}/stream`;

const base64url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** A WebSocket of a page sends no headers: who calls is said in subprotocols, never in the address. */
function protocolsOf(protocol: string, headers: Record<string, string>): string[] {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const credentials = Object.entries(CREDENTIAL_PROTOCOLS).flatMap(([header, prefix]) => {
    const value = lower.get(header);
    return value === undefined ? [] : [`${prefix}${base64url(value)}`];
  });
  return [protocol, ...credentials];
}

/** Why the stream could not be opened: a WebSocket does not tell, so what wants the same rights is asked for. */
async function refusal(
  client: ClientOptions,
  asks: 'openStream' | 'getNode',
  fpgaId: number,
): Promise<unknown> {
  try {
    await send(client, asks, { fpga_id: fpgaId }, {});
  } catch (error) {
    const { code } = error as { code?: string };
    if (code !== 'upgrade_required') return error;
  }
  return new NoWebSocketsError(
    'The stream could not be opened: something on the way does not pass WebSockets.',
  );
}

/**
 * Opens the transaction stream of a node.
 * @throws ServiceError where the service refuses; UnreachableError; the signal's reason.
 */
export async function openStream(
  client: ClientOptions,
  fpgaId: number,
  options: StreamOptions = {},
): Promise<TransactionStream> {
  const { signal } = options;
  const stream = new OpenStream(await connect(client, fpgaId, JSON_PROTOCOL, options));
  const abort = () => stream.close();
  signal?.addEventListener('abort', abort, { once: true });
  void stream.closed.then(() => signal?.removeEventListener('abort', abort));
  if (await stream.opened) return stream;
  signal?.throwIfAborted();
  throw await refusal(client, 'openStream', fpgaId);
}

/**
 * Watches what everybody does with a node, whatever its state and whoever holds it.
 * @throws ServiceError where the service refuses; UnreachableError; the signal's reason.
 */
export async function openViewer(
  client: ClientOptions,
  fpgaId: number,
  onMessage: (message: Followed) => void,
  options: StreamOptions & FollowFrom = {},
): Promise<Viewer> {
  const { signal, after, record } = options;
  const socket = await connect(client, fpgaId, VIEWER_PROTOCOL, options);
  const stream = new OpenStream(socket, onMessage);
  const abort = () => stream.close();
  signal?.addEventListener('abort', abort, { once: true });
  void stream.closed.then(() => signal?.removeEventListener('abort', abort));
  if (await stream.opened) {
    if (after !== undefined) socket.send(JSON.stringify({ after, record }));
    return stream;
  }
  signal?.throwIfAborted();
  throw await refusal(client, 'getNode', fpgaId);
}

async function connect(
  client: ClientOptions,
  fpgaId: number,
  protocol: string,
  options: StreamOptions,
): Promise<SocketLike> {
  options.signal?.throwIfAborted();
  const WebSocket = options.WebSocket ?? (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
  if (!WebSocket)
    throw new Error('There is no WebSocket here: pass one, for example of the package "ws", as an option.');
  const base = client.base || (globalThis as { location?: { origin: string } }).location?.origin || '';
  const headers = (await client.headers?.(PATH(fpgaId))) ?? {};
  return new WebSocket(base.replace(/^http/, 'ws') + PATH(fpgaId), protocolsOf(protocol, headers));
}

interface Waiting {
  resolve(answer: Extract<StreamMessage, { type: 'answer' }>): void;
  reject(error: StreamError): void;
}

class OpenStream implements TransactionStream {
  /** True when it is open, false when that failed. */
  readonly opened: Promise<boolean>;
  readonly closed: Promise<StreamError | null>;
  readonly #socket: SocketLike;
  /** Requests that were not answered yet, in their order. */
  readonly #waiting: Waiting[] = [];
  readonly #polls = new Map<number, (change: PollChange) => void>();
  #onFollowed: ((message: Followed) => void) | null;
  #ids = 0;
  #end: StreamFailure | null = null;
  #closedHere = false;
  #over = false;

  constructor(socket: SocketLike, onFollowed: ((message: Followed) => void) | null = null) {
    this.#socket = socket;
    this.#onFollowed = onFollowed;
    this.opened = new Promise((resolve) => {
      socket.onopen = () => resolve(true);
      socket.onerror = () => resolve(false);
    });
    this.closed = new Promise((resolve) => {
      socket.onclose = (event: { code: number; reason: string }) => resolve(this.#onClose(event));
    });
    socket.onmessage = (event: { data: unknown }) => this.#onMessage(String(event.data));
  }

  async read(address: number, count = 1, { fixed = false } = {}): Promise<number[]> {
    const answer = await this.#ask({ op: 'read', address, count, fixed_address: fixed });
    return answer.data ?? [];
  }

  async write(address: number, words: readonly number[], { fixed = false } = {}): Promise<void> {
    await this.#ask({ op: 'write', address, data: [...words], fixed_address: fixed });
  }

  async subscribe(
    places: readonly PollPlace[],
    everyMs: number,
    onChange: (change: PollChange) => void,
  ): Promise<() => void> {
    const id = ++this.#ids;
    this.#polls.set(id, onChange);
    const end = () => {
      if (!this.#polls.delete(id)) return;
      this.#ask({ id, poll: [] }).catch(() => {}); // the stream has ended, and its polls with it
    };
    try {
      await this.#ask({ id, poll: [...places], every_ms: everyMs });
    } catch (error) {
      this.#polls.delete(id);
      throw error;
    }
    return end;
  }

  async follow(onMessage: (message: Followed) => void, from: FollowFrom = {}): Promise<() => void> {
    this.#onFollowed = onMessage;
    await this.#ask({ follow: 'transactions', ...sent(from) });
    return () => {
      if (this.#onFollowed !== onMessage) return;
      this.#onFollowed = null;
      this.#ask({ follow: null }).catch(() => {}); // the stream has ended
    };
  }

  close(): void {
    this.#closedHere = true;
    this.#socket.close(1000);
  }

  async #ask(request: StreamRequest): Promise<Extract<StreamMessage, { type: 'answer' }>> {
    // A socket is closing before anybody is told; a page complains when something is sent then.
    if (this.#over || this.#closedHere || this.#socket.readyState > OPEN)
      throw new StreamError(this.#end ?? CLOSED);
    const answer = await new Promise<Extract<StreamMessage, { type: 'answer' }>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.send(JSON.stringify(request));
    });
    if (!answer.ok) throw new StreamError(answer.error ?? CLOSED);
    return answer;
  }

  #onMessage(text: string): void {
    // What the bench sends is what the contract says.
    const message = JSON.parse(text) as StreamMessage;
    if (message.type === 'answer') this.#waiting.shift()?.resolve(message);
    else if (message.type === 'end') this.#end = message.error;
    else if (message.type === 'transactions' || message.type === 'session') this.#onFollowed?.(message);
    else if (typeof message.id === 'number') this.#polls.get(message.id)?.(message);
  }

  #onClose({ code, reason }: { code: number; reason: string }): StreamError | null {
    this.#over = true;
    this.#polls.clear();
    const message = reason === '' ? `The stream was closed (${code}).` : reason;
    const error = new StreamError(this.#end ?? { code: CLOSED.code, message });
    for (const { reject } of this.#waiting.splice(0)) reject(error);
    return this.#closedHere ? null : error;
  }
}

/** What is known of it: a field that is absent is left out. */
const sent = ({ after, record }: FollowFrom) => ({
  ...(after === undefined ? {} : { after }),
  ...(record === undefined ? {} : { record }),
});

/** Of a socket that takes what is sent. */
const OPEN = 1;

const CLOSED: StreamFailure = { code: 'stream_closed', message: 'The stream is closed.' };
