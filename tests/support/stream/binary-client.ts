import WebSocket from 'ws';

export interface BinaryAnswer {
  status: number;
  words: number[];
}

/** A client of the binary frames that follows docs/stream.md and shares no code with the service. */
export class BinaryClient {
  readonly socket: WebSocket;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #waiting: ((answer: BinaryAnswer) => void)[] = [];

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
    socket.on('message', (data: Buffer) => {
      const length = data.readUIntBE(1, 3);
      const words = Array.from({ length }, (_, i) => data.readUInt32BE(4 + 4 * i));
      this.#waiting.shift()?.({ status: data[0] ?? -1, words });
    });
  }

  static async open(
    url: string,
    node: number,
    headers: Record<string, string> = {},
    options: WebSocket.ClientOptions = {},
  ): Promise<BinaryClient> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/fpga/${node}/stream`, { ...options, headers });
    const client = new BinaryClient(socket);
    await new Promise<void>((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('unexpected-response', (_request, response) => {
        let body = '';
        response.on('data', (text) => {
          body += String(text);
        });
        response.on('end', () => reject(Object.assign(new Error(body), { status: response.statusCode })));
      });
      socket.on('error', reject);
    });
    return client;
  }

  send(frame: Buffer): Promise<BinaryAnswer> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.socket.send(frame);
    });
  }

  write(address: number, words: number[], fixed = false): Promise<BinaryAnswer> {
    const frame = Buffer.alloc(8 + 4 * words.length);
    frame.writeUInt8(fixed ? 0x81 : 1, 0);
    frame.writeUIntBE(words.length, 1, 3);
    frame.writeUInt32BE(address, 4);
    for (const [i, word] of words.entries()) frame.writeUInt32BE(word, 8 + 4 * i);
    return this.send(frame);
  }

  read(address: number, count: number): Promise<BinaryAnswer> {
    const frame = Buffer.alloc(12);
    frame.writeUInt8(2, 0);
    frame.writeUIntBE(1, 1, 3);
    frame.writeUInt32BE(address, 4);
    frame.writeUInt32BE(count, 8);
    return this.send(frame);
  }

  close(): void {
    this.socket.close();
  }
}
