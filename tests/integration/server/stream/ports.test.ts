import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FAKE_HOLE } from '../../../support/fake-board.ts';
import { freePorts } from '../../../support/free-ports.ts';
import { runningTime } from '../../../support/running-time.ts';
import { EtherboneClient } from '../../../support/stream/etherbone-client.ts';

let bench: TestBench;
let provider: PlainProvider;
let base: number;
beforeAll(async () => {
  base = await freePorts(20);
  provider = await PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });
  bench = await TestBench.start();
  await bench.bench.settings.apply({
    network: { stream_port: base, etherbone_port: base + 10 },
    auth: { identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] } },
  });
  while (!(await connects(base + 19))) await new Promise(setImmediate);
});
afterAll(async () => {
  await bench.stop();
  await provider.stop();
});

async function connects(port: number): Promise<boolean> {
  const socket = net.connect(port, '127.0.0.1');
  const came = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return came;
}

async function connect(port: number): Promise<net.Socket> {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the service closes the connection. */
async function untilClosed(socket: net.Socket): Promise<string> {
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.on('error', () => {});
  if (!socket.destroyed) await once(socket, 'close');
  return text;
}

async function keyOf(user: string): Promise<string> {
  const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', {
    json: { provider_token: user },
  });
  return body.api_key;
}

test('raw TCP carries the same frames, however they are split', async () => {
  await bench.reserve(0);
  const socket = await connect(base);
  socket.setNoDelay(true);
  let received = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    received = Buffer.concat([received, bytes]);
  });
  const sent = Buffer.from(`01000002${'00000010'}${'0000000a0000000b'}020000010000001000000002`, 'hex');
  for (const byte of sent) socket.write(Uint8Array.of(byte));
  await expect.poll(() => received.toString('hex')).toBe('00000000000000020000000a0000000b');
  socket.write(Buffer.from('ff'.repeat(12), 'hex'));
  await untilClosed(socket);
  expect((await bench.node(0)).state).toBe('reserved');
});

test('a node without a session reports an error and closes', async () => {
  const socket = await connect(base + 1);
  socket.write(Buffer.from('020000010000000000000001', 'hex'));
  expect(await untilClosed(socket)).toMatch(/^error fpga_not_reserved: /);
});

test('text of another protocol, for example of a browser page, is not parsed as a frame', async () => {
  const socket = await connect(base);
  socket.write('POST / HTTP/1.1\r\nhost: x\r\n\r\n\x01\x00\x00\x01\x00\x00\x00\x10\x00\x00\x00\x63');
  expect(await untilClosed(socket)).toMatch(/^error invalid_api_key: /);
  expect(bench.boards.board(0).memory[4]).toBe(10);
});

test('a client of LiteX’s protocol reads, writes and dumps', async () => {
  const client = await EtherboneClient.open(base + 10);
  expect(client.info).toMatch(/^CommUART/);
  client.write(0x40, [1, 2, 3]);
  expect(await client.read([0x40, 0x44, 0x48, 0x40, 0x40, 0x10])).toEqual([1, 2, 3, 1, 1, 10]);
  expect(await client.read([0x40, FAKE_HOLE])).toEqual([1, 0xffff_ffff]);
  client.write(
    0x1000,
    Array.from({ length: 255 }, (_, i) => i),
  );
  expect(await client.read(Array.from({ length: 255 }, (_, i) => 0x1000 + 4 * i))).toEqual(
    Array.from({ length: 255 }, (_, i) => i),
  );
  client.close();
  const { transactions } = await bench.client().listTransactions({ fpga_id: 0, limit: 1 });
  expect(transactions[0]).toMatchObject({ via: 'etherbone', op: 'read', count: 255, ok: true });
});

test('half a record waits for the rest, garbage closes the connection', async () => {
  const client = await EtherboneClient.open(base + 10);
  const before = client.socket.bytesRead;
  client.socket.write(Buffer.from('4e6f1044', 'hex'));
  client.socket.write(Buffer.from('00000000000f0001', 'hex'));
  const whole = await EtherboneClient.open(base + 10);
  expect(await whole.read([0x10])).toEqual([10]);
  whole.close();
  expect(client.socket.bytesRead).toBe(before);
  client.socket.write(Buffer.from('0000000000000010', 'hex'));
  await expect.poll(() => client.socket.bytesRead - before).toBe(20);
  client.close();
  for (const garbage of ['4e6f2044', '4e6f1088', '00'.repeat(64), 'ff'.repeat(4096)]) {
    const other = await EtherboneClient.open(base + 10);
    other.socket.write(Buffer.from(garbage.padEnd(32, '0'), 'hex'));
    await untilClosed(other.socket);
  }
  const again = await EtherboneClient.open(base + 10);
  expect(await again.read([0x10])).toEqual([10]);
  again.close();
});

test('csr.csv names what LiteX’s tools ask for', async () => {
  const { body, headers } = await bench.get<string>('/fpga/0/csr.csv');
  expect(headers.get('content-type')).toMatch(/^text\/csv/);
  const rows = body
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  expect(rows.every((row) => row.length === 5)).toBe(true);
  expect(rows).toContainEqual(['constant', 'config_csr_data_width', '32', '', '']);
  expect(rows).toContainEqual(['constant', 'config_bus_address_width', '32', '', '']);
  expect(rows).toContainEqual(['csr_base', 'identifier_mem', '0xf8000000', '', '']);
  expect(rows).toContainEqual(['csr_register', 'wishbench_magic', '0xf0000000', '1', 'ro']);
  const { body: map } = await bench.get<{ csr_registers: Record<string, unknown> }>('/fpga/0/csr.json');
  expect(map.csr_registers['wishbench_magic']).toEqual({ addr: 0xf000_0000, size: 1, type: 'ro' });
});

test('with key enforcement a first line or the address of the holder’s key identifies the caller', async () => {
  const holder = await keyOf('holder');
  const another = await keyOf('another');
  await bench.bench.settings.apply({ auth: { enforcement: true } });
  await bench.reserve(2, { 'x-api-key': holder });
  const frame = Buffer.from('020000010000000000000001', 'hex');

  const withoutKey = await connect(base + 2);
  withoutKey.write(frame);
  expect(await untilClosed(withoutKey)).toMatch(/^error missing_api_key: /);
  const wrong = await connect(base + 2);
  wrong.write(`wbk_${'A'.repeat(43)}\n`);
  expect(await untilClosed(wrong)).toMatch(/^error invalid_api_key: /);
  const notHolder = await connect(base + 2);
  notHolder.write(`${another}\n`);
  expect(await untilClosed(notHolder)).toMatch(/^error not_session_holder: /);

  const right = await connect(base + 2);
  right.write(`${holder}\n`);
  right.write(frame);
  const [answer] = (await once(right, 'data')) as [Buffer];
  expect(answer.toString('hex')).toBe('0000000100000000');
  const litex = await EtherboneClient.open(base + 12);
  expect(await litex.read([0])).toEqual([0]);

  const ranFor = await runningTime();
  const ended = Promise.all([untilClosed(right), untilClosed(litex.socket)]);
  await bench.delete('/auth/keys/me', { headers: { 'x-api-key': holder } });
  await ended;
  expect(ranFor()).toBeLessThan(10_000);
  // The address by itself admits nobody any more.
  const late = await connect(base + 12);
  late.write(Buffer.from('4e6f1044', 'hex'));
  expect(await untilClosed(late)).toMatch(/^error (invalid|missing)_api_key: /);
});
