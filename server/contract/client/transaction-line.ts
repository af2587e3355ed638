import type { Client } from './client.ts';
import { NoWebSocketsError, ServiceError } from './failures.ts';
import { openStream, type SocketConstructor, type TransactionStream } from './stream.ts';
import { transact } from './work.ts';

/** Status codes with which a service or a proxy shows that it has no such stream. */
const NO_STREAM = [404, 426, 501];

/**
 * Transports words to a node: over its stream where there are WebSockets, else as runs. The next transaction reopens a
 * lost stream. The interrupted transaction is not repeated, since its outcome is unknown.
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

  /** @param select byte select of one word; such a write is a run, even where there is a stream */
  async write(address: number, data: number[], fixed: boolean, select?: number): Promise<void> {
    if (select !== undefined) {
      await transact(this.#client, this.#fpgaId, { op: 1, address, data, select });
      return;
    }
    const stream = await this.#opened();
    if (stream) await stream.write(address, data, { fixed });
    else await transact(this.#client, this.#fpgaId, { op: 1, address, data, fixed_address: fixed });
  }

  /** The present stream, or a new one; null where words go as runs. */
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
      // This is permanent. A service that is only down may offer the stream to the next transaction.
      if (error instanceof NoWebSocketsError) return null;
      if (error instanceof ServiceError && NO_STREAM.includes(error.status)) return null;
      throw error;
    }
  }
}

/** The one of browsers, and of Node from version 22 on. */
const globalWebSocket = (): SocketConstructor | undefined =>
  (globalThis as { WebSocket?: SocketConstructor }).WebSocket;
