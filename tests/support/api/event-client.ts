/** A client of GET /events that keeps what it was sent. */
import { createParser } from 'eventsource-parser';
import { checkOf } from '../../../server/contract/check.ts';
import { LiveEvent } from '../../../server/contract/events/events.ts';

const isLiveEvent = checkOf(LiveEvent);
export class EventClient {
  readonly events: { id: string; event: string; data: LiveEvent }[] = [];
  readonly status: number;
  readonly headers: Headers;
  readonly ended: Promise<void>;
  readonly #abort: AbortController;
  readonly #waiting = new Set<() => void>();
  /** The service sent what the contract does not have. */
  #fault: unknown;

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.ended = this.#read(response).catch(() => {});
  }

  static async open(url: string, headers: Record<string, string> = {}, query = ''): Promise<EventClient> {
    const abort = new AbortController();
    const response = await fetch(`${url}/events${query}`, { headers, signal: abort.signal });
    return new EventClient(response, abort);
  }

  async #read(response: Response): Promise<void> {
    const parser = createParser({
      onEvent: ({ id = '', event = '', data }) => {
        const value: unknown = JSON.parse(data);
        if (!isLiveEvent(value)) throw new Error(`The contract has no such event: ${data.slice(0, 500)}`);
        this.events.push({ id, event, data: value });
      },
    });
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      try {
        parser.feed(decoder.decode(chunk, { stream: true }));
      } catch (error) {
        this.#fault = error;
      }
      for (const wake of this.#waiting) wake();
    }
  }

  /** The first event, past ones included, for which the condition holds. */
  async until<T extends LiveEvent['type']>(
    type: T,
    condition: (event: Extract<LiveEvent, { type: T }>) => boolean = () => true,
  ): Promise<Extract<LiveEvent, { type: T }>> {
    for (;;) {
      if (this.#fault) throw this.#fault;
      for (const { data } of this.events) {
        const event = data as Extract<LiveEvent, { type: T }>;
        if (event.type === type && condition(event)) return event;
      }
      await new Promise<void>((resolve) => {
        const wake = () => {
          this.#waiting.delete(wake);
          resolve();
        };
        this.#waiting.add(wake);
      });
    }
  }

  close(): void {
    this.#abort.abort();
  }
}
