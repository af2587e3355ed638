import type { StreamFailure, StreamMessage, StreamRequest, ViewerMessage } from '../stream/stream.ts';
import { CREDENTIAL_PROTOCOLS, JSON_PROTOCOL, VIEWER_PROTOCOL } from '../stream/stream-protocol.ts';
import { NoWebSocketsError } from './failures.ts';
import { type ClientOptions, send } from './request.ts';

/** A failed transaction, or the end of a stream, with the bench's own message. */
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

/** The part of a WebSocket that is used: browsers, Node 22 and the package `ws` have it. */
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
  /** The constructor to use; default is the global one, which Node has from version 22. */
  WebSocket?: SocketConstructor;
  signal?: AbortSignal | undefined;
}

/** A place to poll on the bench: a byte address or a name of the map, and the number of words, default 1. */
interface PollPlace {
  address: number | string;
  count?: number;
}

/** The new value of a polled place, or why it could not be read. */
type PollChange = Extract<StreamMessage, { type: 'change' }>;

/** A message about all transactions with a node. */
export type Followed = Exclude<ViewerMessage, { type: 'end' }>;

/** The starting point; without it the newest transactions come first, then new ones. */
export interface FollowFrom {
  /** After this seq… */
  after?: number | undefined;
  /** …of this record. */
  record?: string | undefined;
}

/** A viewer's connection. */
export interface Viewer {
  /** Resolves when it is closed; with the reason, unless this side closed it. */
  readonly closed: Promise<StreamError | null>;
  close(): void;
}

/** Transactions with a node without jobs, in the order of the calls. */
export interface TransactionStream {
  /** Reads words from a byte address. @throws StreamError. */
  read(address: number, count?: number, options?: { fixed?: boolean }): Promise<number[]>;
  /** Writes words from a byte address. @throws StreamError. */
  write(address: number, words: readonly number[], options?: { fixed?: boolean }): Promise<void>;
  /**
   * Makes the bench poll places and reports changes; the first poll reports all of them. Resolves with the function
   * that ends it. @throws StreamError.
   */
  subscribe(
    places: readonly PollPlace[],
    everyMs: number,
    onChange: (change: PollChange) => void,
  ): Promise<() => void>;
  /** Reports all callers' transactions with this node, as to a viewer. Resolves with the function that ends it. */
  follow(onMessage: (message: Followed) => void, from?: FollowFrom): Promise<() => void>;
  /** Resolves when the stream is closed; with the reason, unless this side closed it. */
  readonly closed: Promise<StreamError | null>;
  close(): void;
}

const PATH = (fpgaId: number) => `/fpga/${fpgaId}/stream`;

const base64url = (text: string): string =>
  btoa(String.fromCharCode(...new TextEncoder().encode(text)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');

/** A page's WebSocket can't send headers: credentials go into subprotocols, never into the URL. */
function protocolsOf(protocol: string, headers: Record<string, string>): string[] {
  const lower = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const credentials = Object.entries(CREDENTIAL_PROTOCOLS).flatMap(([header, prefix]) => {
    const value = lower.get(header);
    return value === undefined ? [] : [`${prefix}${base64url(value)}`];
  });
  return [protocol, ...credentials];
}

/** Finds out why the stream did not open. A WebSocket hides the reason, so this calls a route with the same rights. */
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
  return new NoWebSocketsError('The stream could not be opened: a proxy on the way blocks WebSockets.');
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
  const stream = new OpenStream(await connect(client, fpgaId, JSON_PROTOCOL, options));
  await untilOpen(stream, options.signal, () => refusal(client, 'openStream', fpgaId));
  return stream;
}

/**
 * Watches all transactions with a node, whatever its state and its holder.
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
  await untilOpen(stream, signal, () => refusal(client, 'getNode', fpgaId));
  if (after !== undefined) socket.send(JSON.stringify({ after, record }));
  return stream;
}

/** Resolves when the stream is open; the signal closes it then and later. @throws the reason why it is not. */
async function untilOpen(
  stream: OpenStream,
  signal: AbortSignal | undefined,
  refused: () => Promise<unknown>,
): Promise<void> {
  const abort = () => stream.close();
  signal?.addEventListener('abort', abort, { once: true });
  void stream.closed.then(() => signal?.removeEventListener('abort', abort));
  if (await stream.opened) return;
  signal?.throwIfAborted();
  throw await refused();
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
    throw new Error(
      'No WebSocket class is available: pass one as an option, such as that of the package "ws".',
    );
  const base = client.base || (globalThis as unknown as { location: { origin: string } }).location.origin;
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
  /** Unanswered requests, in order. */
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
    return answer.data as number[];
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
    // In JSON, absent fields are left out.
    await this.#ask({ follow: 'transactions', ...from } as StreamRequest);
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
    // A socket may be closing before its event fires; a browser logs an error if something is sent then.
    if (this.#over || this.#closedHere || this.#socket.readyState > OPEN)
      throw new StreamError(this.#end ?? CLOSED);
    const answer = await new Promise<Extract<StreamMessage, { type: 'answer' }>>((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#socket.send(JSON.stringify(request));
    });
    if (!answer.ok) throw new StreamError(answer.error as StreamFailure);
    return answer;
  }

  #onMessage(text: string): void {
    // The bench's messages follow the contract: an answer has the words that were read, or an error.
    const message = JSON.parse(text) as StreamMessage;
    if (message.type === 'answer') this.#waiting.shift()?.resolve(message);
    else if (message.type === 'end') this.#end = message.error;
    else if (message.type === 'transactions' || message.type === 'session') this.#onFollowed?.(message);
    else this.#polls.get(message.id as number)?.(message);
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

/** The readyState of a socket that can send. */
const OPEN = 1;

const CLOSED: StreamFailure = { code: 'stream_closed', message: 'The stream is closed.' };
