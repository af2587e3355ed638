import { once } from 'node:events';
import net from 'node:net';

/**
 * A client that behaves like LiteX's own over TCP (enjoy-digital/litex, litex/tools/litex_client.py and
 * litex/tools/remote/etherbone.py) and shares no code with server/etherbone. It reads the server's greeting, then sends
 * a packet of one record a call, and reads twelve bytes and what their counts announce.
 */
export class EtherboneClient {
  readonly socket: net.Socket;
  readonly info: string;
  #received = Buffer.alloc(0);

  private constructor(socket: net.Socket, info: string) {
    this.socket = socket;
    this.info = info;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      socket.emit('more');
    });
  }

  static async open(port: number, keyLine?: string): Promise<EtherboneClient> {
    const socket = net.connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    await once(socket, 'connect');
    if (keyLine !== undefined) socket.write(`${keyLine}\n`);
    const [info] = (await once(socket, 'data')) as [Buffer];
    return new EtherboneClient(socket, info.toString());
  }

  /** The words at these addresses. */
  async read(addresses: number[]): Promise<number[]> {
    const packet = Buffer.alloc(16 + 4 * addresses.length);
    packet.set([0x4e, 0x6f, 0x10, 0x44], 0);
    packet.set([0x00, 0x0f, 0, addresses.length], 8);
    for (const [i, address] of addresses.entries()) packet.writeUInt32BE(address, 16 + 4 * i);
    this.socket.write(packet);
    const header = await this.#take(12);
    const writes = header[10] ?? 0;
    const body = await this.#take(4 * (writes + (header[11] ?? 0) + 1));
    return Array.from({ length: writes }, (_, i) => body.readUInt32BE(4 + 4 * i));
  }

  write(address: number, words: number[]): void {
    const packet = Buffer.alloc(16 + 4 * words.length);
    packet.set([0x4e, 0x6f, 0x10, 0x44], 0);
    packet.set([0x00, 0x0f, words.length, 0], 8);
    packet.writeUInt32BE(address, 12);
    for (const [i, word] of words.entries()) packet.writeUInt32BE(word, 16 + 4 * i);
    this.socket.write(packet);
  }

  close(): void {
    this.socket.destroy();
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#received.length < length) await once(this.socket, 'more');
    const taken = this.#received.subarray(0, length);
    this.#received = this.#received.subarray(length);
    return taken;
  }
}
