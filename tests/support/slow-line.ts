import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A line to a server on loopback on which everything takes `delay` milliseconds and stays in order. */
export class SlowLine {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  static async open(port: number, delay: () => number): Promise<SlowLine> {
    const sockets = new Set<Socket>();
    const server = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.setNoDelay(true);
        from.on('error', () => from.destroy());
        from.on('close', () => {
          sockets.delete(from);
          to.destroy();
        });
        let before = Promise.resolve();
        from.on('data', (bytes) => {
          const late = new Promise((resolve) => setTimeout(resolve, delay()));
          before = Promise.all([before, late]).then(() => {
            if (!to.destroyed) to.write(bytes);
          });
        });
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SlowLine(server, sockets);
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
