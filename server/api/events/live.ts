import type { ServerResponse } from 'node:http';
import { type Clock, every } from '../../clock.ts';
import type { LiveEvent } from '../../contract/events/events.ts';
import { type Outgoing, PIECE, type Receiver } from '../edge/outgoing.ts';

/** Unread bytes before a client is dropped: some seconds of the busiest log. */
const MAX_LAG = 4 << 20;
const HEARTBEAT_MS = 15_000;
/** Delay before a browser reconnects, ms. */
const RETRY_MS = 1_000;

interface Client {
  response: ServerResponse;
  /** Adapts an event to this client's rights; null when the client may not see it. */
  view(event: LiveEvent): LiveEvent | null;
  /** The caller that it counts for. */
  caller: Receiver;
  lastSent: number;
  /** Frames not yet given to the connection; clients share equal frames. */
  queue: Buffer[];
  queued: number;
  /** The connection accepts no data until it drains. */
  full: boolean;
}

export interface LiveClientsOptions {
  clock: Clock;
  outgoing: Outgoing;
  /** A client connected or disconnected. */
  onCount(count: number): void;
  /** A client was dropped because it did not read. */
  onDropped(): void;
  heartbeatMs?: number;
  longestLag?: number;
}

/** The open event streams. A client that does not read is dropped: buffers are bounded. */
export class LiveClients {
  readonly #options: LiveClientsOptions;
  readonly #clients = new Set<Client>();
  readonly #endBeats: () => void;
  readonly #heartbeatMs: number;
  readonly #longestLag: number;
  #id = 0;

  constructor(options: LiveClientsOptions) {
    this.#options = options;
    this.#heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.#longestLag = options.longestLag ?? MAX_LAG;
    this.#endBeats = every(options.clock, Math.max(10, this.#heartbeatMs / 3), () => this.#beat());
  }

  get count(): number {
    return this.#clients.size;
  }

  /** The number of clients on other computers. */
  get lanCount(): number {
    return [...this.#clients].filter(({ caller }) => !caller.loopback).length;
  }

  /** Takes over a response before its head is written, and sends the first event. */
  add(
    response: ServerResponse,
    headers: Record<string, string>,
    client: Pick<Client, 'view' | 'caller'>,
    first: LiveEvent,
  ): void {
    const added: Client = {
      ...client,
      response,
      lastSent: this.#options.clock.monotonic(),
      queue: [],
      queued: 0,
      full: false,
    };
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.on('error', () => {});
    response.on('close', () => this.#remove(added));
    response.on('drain', () => {
      added.full = false;
      this.#pump(added);
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#clients.add(added);
    this.#options.onCount(this.#clients.size);
    const seen = client.view(first);
    if (seen) this.#send(added, seen);
  }

  /** Sends an event to every client. */
  publish(event: LiveEvent): void {
    this.#id += 1;
    // Most events are equal for all clients: their text is made once.
    let shared: Buffer | undefined;
    for (const client of this.#clients) {
      const seen = client.view(event);
      if (seen === event) {
        shared ??= this.#frame(event);
        this.#write(client, shared);
      } else if (seen) this.#write(client, this.#frame(seen));
    }
  }

  /** Ends the stream of a response; its client may reconnect while its rights allow. */
  end(response: ServerResponse): void {
    const client = [...this.#clients].find((one) => one.response === response);
    if (!client) return;
    this.#remove(client);
    // Drop unread data at once: the right to it has ended.
    if (client.queued > 0 || client.full) response.destroy();
    else response.end();
  }

  /** Ends all streams, because access rights have changed. */
  endAll(): void {
    for (const { response } of [...this.#clients]) this.end(response);
  }

  close(): void {
    this.#endBeats();
    this.endAll();
  }

  #remove(client: Client): void {
    client.queue = [];
    if (this.#clients.delete(client)) this.#options.onCount(this.#clients.size);
  }

  #frame(event: LiveEvent): Buffer {
    return Buffer.from(`id: ${this.#id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  #send(client: Client, event: LiveEvent): void {
    this.#write(client, this.#frame(event));
  }

  #write(client: Client, frame: Buffer): void {
    client.queue.push(frame);
    client.queued += frame.length;
    client.lastSent = this.#options.clock.monotonic();
    this.#pump(client);
    // A snapshot may exceed the lag limit; only what stays unread after it counts.
    if (client.queued <= this.#longestLag + frame.length) return;
    this.#remove(client);
    client.response.destroy();
    this.#options.onDropped();
  }

  /** Gives the connection only what it accepts, which keeps its own buffer small. */
  #pump(client: Client): void {
    const { response, caller, queue } = client;
    const before = client.queued;
    let [frame] = queue;
    while (frame && !client.full && !response.destroyed) {
      const piece = frame.subarray(0, PIECE);
      client.full = !response.write(piece);
      client.queued -= piece.length;
      frame = frame.subarray(PIECE);
      if (frame.length > 0) queue[0] = frame;
      else {
        queue.shift();
        [frame] = queue;
      }
    }
    if (before > 0) this.#options.outgoing.hold(response, caller, client.queued);
  }

  #beat(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const time = new Date(clock.now()).toISOString();
    for (const client of this.#clients)
      if (now - client.lastSent >= this.#heartbeatMs) this.#send(client, { type: 'heartbeat', time });
  }
}
