
/** A client of GET /events that keeps what it was sent. */
import type { LiveEvent } from '../../../server/contract/events.ts';
export class EventClient {
  readonly events: { id: string; event: string; data: LiveEvent }[] = [];
  readonly status: number;
  readonly headers: Headers;
  readonly ended: Promise<void>;
  readonly #abort: AbortController;
  readonly #waiting = new Set<() => void>();

  private constructor(response: Response, abort: AbortController) {
    this.status = response.status;
    this.headers = response.headers;
    this.#abort = abort;
    this.ended = this.#read(response).catch(() => {});
  }

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventClient> {
    const abort = new AbortController();
    const response = await fetch(`${url}/events`, { headers, signal: abort.signal });
    return new EventClient(response, abort);
  }

  async #read(response: Response): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      rest += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = rest.split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const fields = Object.fromEntries(
          block
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        );
        if (fields.data === undefined) continue;
        this.events.push({
          id: fields.id ?? '',
          event: fields.event ?? '',
          data: JSON.parse(fields.data) as LiveEvent,
        });
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
