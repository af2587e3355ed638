import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { modelBoard, plugAgain } from '../../support/boards/lab.ts';
import { FtdiDevice } from './ftdi-device.ts';
import { HEADER } from './messages.ts';
import { UsbIpServer } from './server.ts';

/** The USB/IP server against what a wire can bring; the kernel's own client is in real-kernel.vm.ts. */
let server: UsbIpServer;
let { chip } = modelBoard({ serial: 'ib001' });

beforeAll(async () => {
  server = await UsbIpServer.listen();
  server.plug('1-1', new FtdiDevice(chip));
});
afterAll(async () => {
  await server.close();
});

async function client(): Promise<Socket> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Reads exactly `count` bytes. */
async function take(socket: Socket, count: number): Promise<Buffer> {
  for (;;) {
    const bytes: Buffer | null = socket.read(count);
    if (bytes) return bytes;
    if (socket.readableEnded || socket.destroyed) throw new Error('The connection has ended.');
    await Promise.race([once(socket, 'readable'), once(socket, 'close')]);
  }
}

const request = (code: number, busId?: string) => {
  const bytes = Buffer.alloc(busId === undefined ? 8 : 40);
  bytes.writeUInt16BE(0x0111, 0);
  bytes.writeUInt16BE(code, 2);
  bytes.write(busId ?? '', 8);
  return bytes;
};

interface Submit {
  direction: 'in' | 'out';
  endpoint: number;
  length: number;
  setup?: number[];
  packets?: number;
}

function submit(seqnum: number, { direction, endpoint, length, setup = [], packets = 0 }: Submit): Buffer {
  const bytes = Buffer.alloc(HEADER);
  const words = [1, seqnum, 0x10001, direction === 'in' ? 1 : 0, endpoint, 0, length, 0, packets];
  for (const [at, word] of words.entries()) bytes.writeUInt32BE(word >>> 0, 4 * at);
  bytes.set(setup, 40);
  return bytes;
}

async function imported(): Promise<Socket> {
  const socket = await client();
  socket.write(request(0x8003, '1-1'));
  const reply = await take(socket, 8 + 312);
  expect(reply.readUInt32BE(4)).toBe(0);
  return socket;
}

/** Requests the device descriptor, as any owner of a device can. */
async function answers(socket: Socket): Promise<void> {
  socket.write(submit(7, { direction: 'in', endpoint: 0, length: 18, setup: [0x80, 6, 0, 1, 0, 0, 18, 0] }));
  const answer = await take(socket, HEADER + 18);
  expect([answer.readUInt32BE(0), answer.readUInt32BE(4), answer.readInt32BE(20)]).toEqual([3, 7, 0]);
  expect(answer.subarray(HEADER, HEADER + 2)).toEqual(Buffer.from([18, 1]));
}

test('lists the connected device, and imports only that one', async () => {
  const socket = await client();
  socket.write(request(0x8005));
  const list = await take(socket, 12 + 312 + 8);
  expect(list.readUInt32BE(8)).toBe(1);
  expect(list.toString('latin1', 12 + 256, 12 + 259)).toBe('1-1');
  socket.write(request(0x8003, '1-2'));
  expect((await take(socket, 8)).readUInt32BE(4)).toBe(1);
  socket.destroy();
  const other = await imported();
  await answers(other);
  other.destroy();
});

test.each<[string, Submit]>([
  ['a transfer of 2 GiB', { direction: 'out', endpoint: 2, length: 0x7fff_ffff }],
  ['a negative length', { direction: 'in', endpoint: 1, length: -1 }],
  ['an endpoint that no device has', { direction: 'in', endpoint: 16, length: 64 }],
  ['an isochronous transfer', { direction: 'in', endpoint: 1, length: 64, packets: 4 }],
])('%s ends the connection', async (_, transfer) => {
  const socket = await imported();
  socket.write(submit(1, transfer));
  socket.resume();
  await once(socket, 'close');
});

test('an endpoint that this device does not have stalls', async () => {
  const socket = await imported();
  socket.write(submit(1, { direction: 'in', endpoint: 9, length: 64 }));
  expect((await take(socket, HEADER)).readInt32BE(20)).toBe(-32);
  await answers(socket);
  socket.destroy();
});

test('the server survives any bytes and any disconnection', async () => {
  const noise = fc.uint8Array({ maxLength: 200 });
  await fc.assert(
    fc.asyncProperty(fc.boolean(), fc.array(noise, { maxLength: 4 }), async (hasDevice, parts) => {
      const socket = hasDevice ? await imported() : await client();
      for (const part of parts) socket.write(part);
      socket.destroy();
    }),
    { numRuns: 200, seed: 8 },
  );
  await fc.assert(
    fc.asyncProperty(fc.nat(HEADER + 99), async (length) => {
      const whole = Buffer.concat([
        submit(1, { direction: 'out', endpoint: 2, length: 100 }),
        Buffer.alloc(100),
      ]);
      const socket = await imported();
      socket.write(submit(2, { direction: 'in', endpoint: 1, length: 512 }));
      socket.write(whole.subarray(0, length));
      socket.destroy();
    }),
    { numRuns: 50, seed: 8 },
  );
  const socket = await imported();
  await answers(socket);
  socket.destroy();
});

test('a cancelled transfer is answered once, and the next one gets its bytes', async () => {
  const socket = await imported();
  socket.write(submit(1, { direction: 'in', endpoint: 3, length: 512 }));
  const unlink = Buffer.alloc(HEADER);
  unlink.writeUInt32BE(2, 0);
  unlink.writeUInt32BE(2, 4);
  unlink.writeUInt32BE(1, 20);
  socket.write(unlink);
  const first = await take(socket, HEADER);
  // Either it was cancelled, or its two status bytes were already on their way.
  if (first.readUInt32BE(0) === 3) {
    await take(socket, first.readUInt32BE(24));
    expect((await take(socket, HEADER)).readInt32BE(20)).toBe(0);
  } else expect(first.readInt32BE(20)).toBe(-104);
  await answers(socket);
  socket.destroy();
});

test('unplugging ends the connection and frees the socket', async () => {
  const socket = await imported();
  socket.resume();
  chip.unplug();
  await once(socket, 'close');
  chip = plugAgain(chip);
  server.plug('1-1', new FtdiDevice(chip));
  const again = await imported();
  await answers(again);
  again.destroy();
});

test('a chip with a slow host sends data at once, empty packets rarely, also after replugging', async () => {
  const { chip: slow } = modelBoard({ wire: 'unhurried', speed: 'full' });
  const [, channel] = plugAgain(slow).channels;
  channel.latency = 1;
  const start = performance.now();
  expect(await channel.send(64)).toEqual(Uint8Array.of(0x32, 0x60));
  expect(performance.now() - start).toBeGreaterThan(15);
  const packet = channel.send(64);
  channel.give(Uint8Array.of(1, 2, 3));
  expect(await packet).toEqual(Uint8Array.of(0x32, 0x60, 1, 2, 3));
  expect(channel.packet).toBe(64);
});
