import net from 'node:net';
import type { VirtualFabric } from './fabric.ts';

interface ExposedUart {
  /** TCP port that it listens on. */
  port: number;
  /** Ends the connection and stops listening; the fabric goes on. */
  close(): Promise<void>;
}

/**
 * Makes the raw UART of a fabric reachable over TCP, for programs that speak to a serial port at
 * `socket://HOST:PORT` (pyserial, litex_server). One client at a time, as with a serial port: a second one is
 * turned away. While it is exposed, no link can be open over the same fabric.
 * @param options port 0 picks a free one; host is the loopback address unless another is given; baud is the line
 * rate, bits a second.
 */
export async function exposeUart(
  fabric: VirtualFabric,
  { port, baud, host = '127.0.0.1' }: { port: number; baud: number; host?: string },
): Promise<ExposedUart> {
  let client: net.Socket | null = null;
  await fabric.setBaud(baud);
  fabric.onData((bytes) => client?.write(bytes));
  const server = net.createServer((socket) => {
    if (client) {
      socket.destroy();
      return;
    }
    client = socket;
    socket.setNoDelay(true);
    socket.on('data', (bytes) => {
      // Reading pauses until there is room: TCP passes the back-pressure on to the client.
      socket.pause();
      fabric
        .write(Uint8Array.from(bytes))
        .then(() => socket.resume())
        .catch(() => socket.destroy());
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      client = null;
    });
  });
  const endListening = fabric.onStop(() => client?.destroy());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return {
    port: portOf(server),
    async close() {
      endListening();
      fabric.onData(() => {});
      client?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: net.Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
  return address.port;
}
