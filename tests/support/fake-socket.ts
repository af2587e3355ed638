import type { SocketConstructor } from '../../server/contract/client/stream.ts';

/** WebSockets whose other end is the test. */
export class FakeSockets {
  /** What the next sockets do at first. */
  begin: 'open' | 'fail' | 'wait' = 'open';
  /** Answers a request: the fields of the answer, or null for none. */
  answer: (request: Record<string, unknown>) => object | null = () => ({ ok: true });
  readonly all: FakeSocket[] = [];
  readonly WebSocket: SocketConstructor;

  constructor() {
    const sockets = this;
    this.WebSocket = class extends FakeSocket {
      constructor(url: string, protocols: string[]) {
        super(sockets, url, protocols);
      }
    };
  }

  get last(): FakeSocket {
    return this.all.at(-1) as FakeSocket;
  }
}

class FakeSocket {
  readonly sent: Record<string, unknown>[] = [];
  readyState = 0;
  onopen: ((event: never) => unknown) | null = null;
  onmessage: ((event: never) => unknown) | null = null;
  onclose: ((event: never) => unknown) | null = null;
  onerror: ((event: never) => unknown) | null = null;
  readonly #sockets: FakeSockets;

  constructor(
    sockets: FakeSockets,
    readonly url: string,
    readonly protocols: string[],
  ) {
    this.#sockets = sockets;
    sockets.all.push(this);
    const { begin } = sockets;
    // A real one has its listeners first.
    setImmediate(() => {
      if (begin === 'fail') this.#fail();
      if (begin === 'open') this.#open();
    });
  }

  #open(): void {
    this.readyState = 1;
    this.onopen?.({} as never);
  }

  #fail(): void {
    this.onerror?.({} as never);
    this.end(1006);
  }

  send(text: string): void {
    const request = JSON.parse(text) as Record<string, unknown>;
    this.sent.push(request);
    const answer = this.#sockets.answer(request);
    if (answer) setImmediate(() => this.tell({ type: 'answer', ...answer }));
  }

  /** A message of the bench. */
  tell(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) } as never);
  }

  close(code = 1000): void {
    const opening = this.readyState === 0;
    this.readyState = 2;
    setImmediate(() => (opening ? this.#fail() : this.end(code)));
  }

  /** The socket is closed. */
  end(code: number, reason = ''): void {
    this.readyState = 3;
    this.onclose?.({ code, reason } as never);
  }
}
