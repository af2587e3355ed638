import type { ServerResponse } from 'node:http';
import { type Clock, every } from '../clock.ts';
import type { LiveEvent, SnapshotEvent } from '../contract/events.ts';
import { apiError } from '../errors/api.ts';

/** Open streams at once; each costs a socket and a buffer. */
const MOST_CLIENTS = 200;
/** Bytes that a client may lag behind before it is dropped: some seconds of the busiest log. */
const LONGEST_LAG = 4 << 20;
const HEARTBEAT_MS = 15_000;
/** Milliseconds after which a browser connects again. */
const RETRY_MS = 1_000;

interface Client {
  response: ServerResponse;
  /** Adapts an event to what this client may see. */
  view(event: LiveEvent): LiveEvent;
  /** Id of the minted key that opened the stream. */
  keyId: string | null;
  loopback: boolean;
  lastSent: number;
}

export interface LiveClientsOptions {
  clock: Clock;
  /** A client came or went. */
  onCount(count: number): void;
  /** A client was dropped because it did not read. */
  onDropped(): void;
  heartbeatMs?: number;
  longestLag?: number;
}

/** The open event streams. A client that does not read is dropped, never buffered without end. */
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
    this.#longestLag = options.longestLag ?? LONGEST_LAG;
    this.#endBeats = every(options.clock, Math.max(10, this.#heartbeatMs / 3), () => this.#beat());
  }

  get count(): number {
    return this.#clients.size;
  }

  /** Of these, the ones from other computers. */
  get lanCount(): number {
    return [...this.#clients].filter(({ loopback }) => !loopback).length;
  }

  /** @throws BenchError too_many_streams. */
  requireRoom(): void {
    if (this.#clients.size >= MOST_CLIENTS) throw apiError('too_many_streams');
  }

  /** Takes a response over, whose head is still to be written, and sends the snapshot. */
  add(
    response: ServerResponse,
    headers: Record<string, string>,
    client: Pick<Client, 'view' | 'keyId' | 'loopback'>,
    snapshot: SnapshotEvent,
  ): void {
    const added: Client = { ...client, response, lastSent: this.#options.clock.monotonic() };
    response.writeHead(200, {
      ...headers,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    response.on('error', () => {});
    response.on('close', () => {
      if (this.#clients.delete(added)) this.#options.onCount(this.#clients.size);
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#clients.add(added);
    this.#options.onCount(this.#clients.size);
    this.#send(added, client.view(snapshot));
  }

  /** Sends an event to every client. */
  publish(event: LiveEvent): void {
    this.#id += 1;
    // Most events look the same to all: their text is made once.
    let shared: string | undefined;
    for (const client of this.#clients) {
      const seen = client.view(event);
      if (seen === event) {
        shared ??= this.#frame(event);
        this.#write(client, shared);
      } else this.#write(client, this.#frame(seen));
    }
  }

  /** Ends the streams for which `condition` holds; their clients may connect again if they are still let in. */
  end(condition: (client: { keyId: string | null; loopback: boolean }) => boolean): void {
    for (const client of [...this.#clients]) if (condition(client)) client.response.end();
  }

  close(): void {
    this.#endBeats();
    for (const client of this.#clients) client.response.end();
  }

  #frame(event: LiveEvent): string {
    return `id: ${this.#id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  }

  #send(client: Client, event: LiveEvent): void {
    this.#write(client, this.#frame(event));
  }

  #write(client: Client, text: string): void {
    client.response.write(text);
    client.lastSent = this.#options.clock.monotonic();
    // A snapshot may be larger than the allowance for lag; what counts is what stays unread after it.
    if (client.response.writableLength <= this.#longestLag + text.length) return;
    this.#clients.delete(client);
    client.response.destroy();
    this.#options.onDropped();
    this.#options.onCount(this.#clients.size);
  }

  #beat(): void {
    const { clock } = this.#options;
    const now = clock.monotonic();
    const time = new Date(clock.now()).toISOString();
    for (const client of this.#clients)
      if (now - client.lastSent >= this.#heartbeatMs) this.#send(client, { type: 'heartbeat', time });
  }
}
