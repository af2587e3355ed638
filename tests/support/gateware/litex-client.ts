import { once } from 'node:events';
import net from 'node:net';

/** Words in a write frame of LiteX's client. */
const WRITE_WORDS = 8;

/**
 * A client that behaves like LiteX's own on the line (enjoy-digital/litex, litex/tools/remote/comm_uart.py) and shares
 * no code with server/wishbone. It discards pending input before every call, sends command and length, the address, and
 * each word separately, writes eight words a frame without an answer, and waits for a read to the last byte.
 */
export class LitexClient {
  readonly #socket: net.Socket;
  #received = Buffer.alloc(0);

  private constructor(socket: net.Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      socket.emit('more');
    });
  }

  static async connect(port: number): Promise<LitexClient> {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new LitexClient(socket);
  }

  async read(address: number, length: number, burst: 'incr' | 'fixed' = 'incr'): Promise<number[]> {
    this.#received = Buffer.alloc(0);
    this.#socket.write(Uint8Array.of(burst === 'incr' ? 2 : 4, length));
    this.#writeWord(address / 4);
    while (this.#received.length < 4 * length) await once(this.#socket, 'more');
    return Array.from({ length }, (_, i) => this.#received.readUInt32BE(4 * i));
  }

  write(address: number, words: number[], burst: 'incr' | 'fixed' = 'incr'): void {
    for (let at = 0; at < words.length; at += WRITE_WORDS) {
      const part = words.slice(at, at + WRITE_WORDS);
      this.#socket.write(Uint8Array.of(burst === 'incr' ? 1 : 3, part.length));
      this.#writeWord(address / 4 + (burst === 'incr' ? at : 0));
      for (const word of part) this.#writeWord(word);
    }
  }

  close(): void {
    this.#socket.destroy();
  }

  #writeWord(word: number): void {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(word);
    this.#socket.write(bytes);
  }
}
