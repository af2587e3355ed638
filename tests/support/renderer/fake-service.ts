import { BenchClient, type BenchClientOptions } from '../../../renderer/src/state/client/bench-client.ts';
import type { LiveEvent } from '../../../server/contract/events/events.ts';
import { status, tenNodes } from './fixtures.ts';

export interface Asked {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: unknown;
}

type Answer = object | ((asked: Asked) => unknown);

/** A `fetch` that answers from a table and streams the events that a test sends. */
export class FakeService {
  readonly asked: Asked[] = [];
  readonly answers = new Map<string, Answer>();
  nodes = tenNodes();
  #streams: ReadableStreamDefaultController<Uint8Array>[] = [];

  /** `GET /settings` → JSON, a Response, or a function that makes either. */
  on(route: string, answer: Answer): this {
    this.answers.set(route, answer);
    return this;
  }

  fetch: typeof fetch = async (input, init) => {
    const path = String(input);
    const method = init?.method ?? 'GET';
    const headers = Object.fromEntries(new Headers(init?.headers).entries());
    const asked: Asked = {
      method,
      path,
      headers,
      body:
        typeof init?.body === 'string' && headers['content-type'] === 'application/json'
          ? JSON.parse(init.body)
          : (init?.body ?? undefined),
    };
    this.asked.push(asked);
    if (path === '/events' && !this.answers.has('GET /events'))
      return this.#stream(init?.signal ?? undefined);
    const [plain = ''] = path.split('?');
    let answer = this.answers.get(`${method} ${path}`) ?? this.answers.get(`${method} ${plain}`);
    if (typeof answer === 'function') answer = await answer(asked);
    if (answer instanceof Response) return answer.clone();
    if (answer === undefined) return refusal(404, 'not_found', `There is nothing at ${method} ${path}.`);
    return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
  };

  #stream(signal: AbortSignal | undefined): Response {
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#streams.push(controller);
        const end = () => {
          if (!this.#streams.includes(controller)) return;
          this.#streams = this.#streams.filter((other) => other !== controller);
          controller.close();
        };
        signal?.addEventListener('abort', end);
        this.send({
          type: 'snapshot',
          nodes: this.nodes,
          jobs: [],
          boards: this.nodes.map(({ board }) => board),
          status: status(),
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  }

  send(...events: LiveEvent[]): void {
    const bytes = new TextEncoder().encode(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''),
    );
    for (const stream of this.#streams) stream.enqueue(bytes);
  }

  /** Ends every stream, as a service that stops does. */
  hangUp(): void {
    const streams = this.#streams;
    this.#streams = [];
    for (const stream of streams) stream.close();
  }
}

/** The service's envelope. */
export const refusal = (code: number, error: string, message: string, more: object = {}): Response =>
  new Response(JSON.stringify({ detail: { error, message, ...more } }), {
    status: code,
    headers: { 'content-type': 'application/json' },
  });

/** Storage for one test. */
export function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  } as Storage;
}

export function fakeBench(
  service = new FakeService(),
  options: BenchClientOptions = {},
): { service: FakeService; client: BenchClient } {
  service.on('GET /status', status());
  const kept = { memory: memory(), tabMemory: memory() };
  // A user who has chosen to have no name: recorded as `anonymous`, without a prompt.
  kept.memory.setItem('wishbench.preferences', '{"nameAsked":true,"windowName":""}');
  return { service, client: new BenchClient({ fetch: service.fetch, ...kept, ...options }) };
}
