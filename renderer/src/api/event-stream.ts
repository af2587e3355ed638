import { SseParser } from './sse.ts';
import type { LiveEvent } from './types.ts';

/** What the status strip shows of the connection. Times in milliseconds since 1970. */
export type Connection =
  | { state: 'connecting' }
  | { state: 'live'; since: number }
  | {
      state: 'waiting';
      since: number;
      retryAt: number;
      attempt: number;
      /** The service answers but wants to know who calls. */
      refused: boolean;
    };

export interface EventStreamOptions {
  url: string;
  fetch: typeof fetch;
  headers(): Promise<Record<string, string>>;
  onEvents(events: LiveEvent[]): void;
  onConnection(connection: Connection): void;
  now?: () => number;
}

class RefusedError extends Error {}

const FIRST_DELAY = 500;
const LONGEST_DELAY = 10_000;
/** The service sends at least a heartbeat every 15 s; three times that in silence is a dead line. */
const SILENCE = 45_000;

/**
 * The one event stream, over fetch rather than EventSource: fetch can send headers, tells an HTTP refusal from
 * a lost line, and lets us show when the next attempt is due. Reconnects for ever until `close`.
 */
export class EventStream {
  readonly #options: EventStreamOptions;
  readonly #now: () => number;
  #abort = new AbortController();
  #wake: (() => void) | undefined;
  #closed = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    void this.#run();
  }

  /** Ends the wait for the next attempt. */
  retryNow(): void {
    this.#wake?.();
  }

  /** Drops the line and connects again, e.g. after the caller signed in. */
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
    this.#options.onConnection({ state: 'connecting' });
    while (!this.#closed) {
      this.#abort = new AbortController();
      try {
        await this.#connectOnce(this.#abort, () => {
          attempt = 0;
          lostAt = 0;
        });
        refused = false;
      } catch (error) {
        // Every way to lose the line is met the same way: say so, wait, try again.
        refused = error instanceof RefusedError;
      }
      if (this.#closed) return;
      attempt += 1;
      lostAt ||= this.#now();
      const delay = Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** (attempt - 1));
      const retryAt = this.#now() + delay;
      this.#options.onConnection({ state: 'waiting', since: lostAt, retryAt, attempt, refused });
      await this.#sleep(delay);
    }
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #connectOnce(abort: AbortController, onLive: () => void): Promise<void> {
    let watchdog: ReturnType<typeof setTimeout> | undefined;
    const alive = () => {
      clearTimeout(watchdog);
      watchdog = setTimeout(() => abort.abort(), SILENCE);
    };
    alive();
    try {
      const response = await this.#options.fetch(this.#options.url, {
        headers: { accept: 'text/event-stream', ...(await this.#options.headers()) },
        cache: 'no-store',
        signal: abort.signal,
      });
      if (response.status === 401 || response.status === 403) throw new RefusedError();
      if (!response.ok || response.body === null) throw new Error(`Status ${response.status}`);
      let live = false;
      await this.#read(response.body, abort, (events) => {
        alive();
        if (events.length === 0) return;
        this.#options.onEvents(events);
        if (live) return;
        // The first event is the snapshot: from here on what is shown is true.
        live = true;
        onLive();
        this.#options.onConnection({ state: 'live', since: this.#now() });
      });
    } finally {
      clearTimeout(watchdog);
      abort.abort();
    }
  }

  async #read(
    body: ReadableStream<Uint8Array>,
    abort: AbortController,
    onChunk: (events: LiveEvent[]) => void,
  ): Promise<void> {
    const parser = new SseParser();
    const decoder = new TextDecoder();
    const reader = body.getReader();
    abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw new Error('The stream ended.');
      const events: LiveEvent[] = [];
      for (const { data } of parser.push(decoder.decode(value, { stream: true }))) {
        try {
          const event: unknown = JSON.parse(data);
          if (typeof event === 'object' && event !== null && 'type' in event) events.push(event as LiveEvent);
        } catch {
          // An event this version cannot read is skipped; the next one may be fine.
        }
      }
      onChunk(events);
    }
  }
}
