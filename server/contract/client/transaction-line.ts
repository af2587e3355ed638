import type { Client } from './client.ts';
import { NoWebSocketsError, ServiceError } from './failures.ts';
import { openStream, type SocketConstructor, type TransactionStream } from './stream.ts';
import { transact } from './work.ts';

/** Refusals of a service, or of what lies before it, that say: there is no such stream here. */
const NO_STREAM = [404, 426, 501];

/**
 * How words reach a node: over the stream of the node where there are WebSockets, else as runs. A stream that is lost is
 * opened again for the next transaction; the one that was under way is not repeated, since nobody knows whether it was done.
 */
export class TransactionLine {
  readonly #client: Client;
  readonly #fpgaId: number;
  readonly #WebSocket: SocketConstructor | undefined;
  #stream: Promise<TransactionStream | null> | null = null;
  #closed = false;

  constructor(client: Client, fpgaId: number, WebSocket = globalWebSocket()) {
    this.#client = client;
    this.#fpgaId = fpgaId;
    this.#WebSocket = WebSocket;
  }

  async read(address: number, count: number, fixed: boolean): Promise<number[]> {
    const stream = await this.#opened();
    if (stream) return stream.read(address, count, { fixed });
    return transact(this.#client, this.#fpgaId, { op: 2, address, count, fixed_address: fixed });
  }

  /** @param select bytes of one word, a bit each; such a write is a run, also where there is a stream */
  async write(address: number, data: number[], fixed: boolean, select?: number): Promise<void> {
    if (select !== undefined) {
      await transact(this.#client, this.#fpgaId, { op: 1, address, data, select });
      return;
    }
    const stream = await this.#opened();
    if (stream) await stream.write(address, data, { fixed });
    else await transact(this.#client, this.#fpgaId, { op: 1, address, data, fixed_address: fixed });
  }

  /** The stream as it is, or opened anew; null where words go as runs. */
  stream(): Promise<TransactionStream | null> {
    return this.#opened();
  }

  close(): void {
    this.#closed = true;
    void this.#stream?.then((stream) => stream?.close()).catch(() => {});
    this.#stream = null;
  }

  #opened(): Promise<TransactionStream | null> {
    if (this.#stream === null) {
      const opening = this.#open();
      this.#stream = opening;
      const forget = () => {
        if (this.#stream === opening) this.#stream = null;
      };
      opening.then((stream) => stream?.closed.then(forget), forget);
    }
    return this.#stream;
  }

  async #open(): Promise<TransactionStream | null> {
    if (!this.#WebSocket || this.#closed) return null;
    try {
      return await openStream(this.#client.options, this.#fpgaId, { WebSocket: this.#WebSocket });
    } catch (error) {
      // That stays so. A service that is away may be back for the next transaction, and has the stream then.
      if (error instanceof NoWebSocketsError) return null;
      if (error instanceof ServiceError && NO_STREAM.includes(error.status)) return null;
      throw error;
    }
  }
}

/** The one of browsers, and of Node from version 22 on. */
const globalWebSocket = (): SocketConstructor | undefined =>
  (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
