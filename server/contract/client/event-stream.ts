import { createParser } from 'eventsource-parser';
import type { LiveEvent } from '../events/events.ts';
import { ServiceError } from './failures.ts';
import { type ClientOptions, send } from './request.ts';

/** The state of the stream. Times in milliseconds since 1970. */
export type Connection =
  | { kind: 'connecting' }
  | { kind: 'live'; since: number }
  | {
      kind: 'waiting';
      since: number;
      retryAt: number;
      attempt: number;
      /** The service answers but requires credentials. */
      refused: boolean;
    };

/** Time as a parameter; Clock in server/clock.ts matches it. */
interface Timing {
  now(): number;
  after(ms: number, callback: () => void): () => void;
}

const realTime: Timing = {
  now: () => Date.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export interface EventStreamOptions {
  /** The address of the service and the credentials. */
  client: ClientOptions;
  /** A node whose pins to watch: the stream then carries only them. */
  pins?: number;
  /** Gets all events that arrived together, in order. The first of a connection is the snapshot, or has all pins. */
  onEvents(events: LiveEvent[]): void;
  onConnection?(connection: Connection): void;
  clock?: Timing;
}

const isEvent = (value: unknown): value is LiveEvent =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

const FIRST_DELAY = 500;
const MAX_DELAY = 10_000;
/** The service sends at least a heartbeat every 15 s; three times that without data means a dead connection. */
const SILENCE = 45_000;

/**
 * The event stream, over fetch rather than EventSource. fetch can send headers and distinguishes an HTTP refusal from a
 * lost connection, and the next attempt can be shown. Reconnects for ever until `close`.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #clock: Timing;
  #abort = new AbortController();
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#clock = options.clock ?? realTime;
    void this.#run();
  }

  /** Ends the wait for the next attempt. */
  retryNow(): void {
    this.#wake?.();
  }

  /** Drops the connection and connects again, e.g. after the caller signed in. */
  reconnect(): void {
    this.#abort.abort();
    this.#wake?.();
  }

  close(): void {
    this.#closed = true;
    this.reconnect();
  }

  async #run(): Promise<void> {
    let attempt = 0;
    let lostAt = 0;
    let refused = false;
    this.#options.onConnection?.({ kind: 'connecting' });
    while (!this.#closed) {
      this.#abort = new AbortController();
      try {
        await this.#connectOnce(this.#abort, () => {
          attempt = 0;
          lostAt = 0;
        });
        refused = false;
      } catch (error) {
        // Every failure has the same handling: report it, wait, try again.
        refused = error instanceof ServiceError && (error.status === 401 || error.status === 403);
      }
      if (this.#closed) return;
      attempt += 1;
      lostAt ||= this.#clock.now();
      const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
      const retryAt = this.#clock.now() + delay;
      this.#options.onConnection?.({ kind: 'waiting', since: lostAt, retryAt, attempt, refused });
      await this.#sleep(delay);
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(milliseconds, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  async #connectOnce(abort: AbortController, onLive: () => void): Promise<void> {
    let cancel = () => {};
    const alive = () => {
      cancel();
      cancel = this.#clock.after(SILENCE, () => abort.abort());
    };
    alive();
    try {
      const { signal } = abort;
      const headers = { accept: 'text/event-stream' };
      const { client, pins } = this.#options;
      const response = await send(client, 'streamEvents', { pins }, { headers, signal });
      let live = false;
      await read(response, abort, (events) => {
        alive();
        if (events.length === 0) return;
        this.#options.onEvents(events);
        if (live) return;
        // The first event is the snapshot: from here the view is complete.
        live = true;
        onLive();
        this.#options.onConnection?.({ kind: 'live', since: this.#clock.now() });
      });
    } finally {
      cancel();
      abort.abort();
    }
  }
}

/** Reads the stream to its end, which is an error, because the stream is endless. */
async function read(
  response: Pick<Response, 'body'>,
  abort: AbortController,
  onChunk: (events: LiveEvent[]) => void,
): Promise<void> {
  let events: LiveEvent[] = [];
  const parser = createParser({
    onEvent({ data }) {
      try {
        const event: unknown = JSON.parse(data);
        if (isEvent(event)) events.push(event);
      } catch {
        // Skip an event that this version can't read; the next one may be readable.
      }
    },
  });
  const decoder = new TextDecoder();
  // Without a body this fails as without a stream.
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) throw new Error('The stream ended.');
    parser.feed(decoder.decode(value, { stream: true }));
    const arrived = events;
    events = [];
    onChunk(arrived);
  }
}
