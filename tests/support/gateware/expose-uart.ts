// The raw UART of a virtual board over TCP, for any program that speaks uartbone to a serial port: `node run.mjs script
// tests/support/gateware/expose-uart.ts FILE.bin [PORT]`. Needs dist/ (`npm run build`).
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { createFabric } from '../../../server/boards/virtual/create-fabric.ts';
import type { VirtualFabric } from '../../../server/boards/virtual/fabric.ts';

/**
 * Configures a virtual board and serves its UART on a loopback port, one client at a time.
 * @param port 0 for a free one
 * @throws Error when the bitstream is refused
 */
export async function exposeUart(
  bitstream: Uint8Array,
  port = 0,
): Promise<{ port: number; close(): Promise<void> }> {
  const board = loadCatalogue().get(VIRTUAL_BOARD);
  if (!board) throw new Error(`${VIRTUAL_BOARD} is not in the catalogue.`);
  const { fpga, clock, serial } = board;
  const fabric = createFabric({ package: fpga.package, clock, rx: serial.rx, tx: serial.tx });
  await fabric.setBaud(serial.baud);
  await fabric.configure(Uint8Array.from(bitstream));
  if (!(await fabric.cdone())) {
    await fabric.close();
    throw new Error((await fabric.refusal())?.message ?? 'CDONE stayed low.');
  }

  const server = await serveUart(fabric, port);
  return {
    port: server.port,
    async close() {
      await server.close();
      await fabric.close();
    },
  };
}

/**
 * Serves the UART of a fabric on a loopback port. One client at a time, as with a serial port: a second one is turned
 * away.
 */
async function serveUart(fabric: VirtualFabric, port: number) {
  let client: net.Socket | null = null;
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
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no TCP port.');
  return {
    port: address.port,
    async close() {
      endListening();
      client?.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export default async function main([file, port = '0']: string[]): Promise<number> {
  if (!file) {
    process.stderr.write(
      'Usage: node run.mjs script tests/support/gateware/expose-uart.ts FILE.bin [PORT]\n',
    );
    return 2;
  }
  const exposed = await exposeUart(readFileSync(file), Number(port));
  process.stdout.write(`socket://127.0.0.1:${exposed.port}\n`);
  await new Promise((resolve) => process.once('SIGINT', resolve));
  await exposed.close();
  return 0;
}
