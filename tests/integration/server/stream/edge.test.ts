import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { openStream, type SocketConstructor } from '../../../../server/contract/client/stream.ts';
import { PlainProvider } from '../../../support/api/identity-providers.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';

const clock = new FakeClock();
let bench: TestBench;
let provider: PlainProvider;
const keys = new Map<string, string>();
beforeAll(async () => {
  provider = await PlainProvider.start((request, response) => {
    const login = request.headers.authorization?.replace('Bearer ', '');
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ login }));
  });
  bench = await TestBench.start({
    clock,
    settings: {
      auth: {
        enforcement: true,
        identity_provider: { kind: 'github', user_url: provider.url, allowed_users: [] },
      },
    },
  });
  for (const user of ['holder', 'another', 'leaving']) {
    const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', {
      json: { provider_token: user },
    });
    keys.set(user, body.api_key);
  }
  await bench.reserve(0, { 'x-api-key': keys.get('holder') ?? '' });
});
afterAll(async () => {
  await bench.stop();
  await provider.stop();
});

const of = (user: string) => ({ 'x-api-key': keys.get(user) ?? '' });

/** Status and code of a refused upgrade. */
async function refused(node: number | string, headers: Record<string, string>): Promise<[number, string]> {
  const error = (await BinaryClient.open(bench.url, node as number, headers).then(
    (client) => {
      client.close();
      return new Error('{"detail":{"error":"let in"}}');
    },
    (refusal: unknown) => refusal,
  )) as Error & { status?: number };
  const { detail } = JSON.parse(error.message) as { detail: { error: string } };
  return [error.status ?? 101, detail.error];
}

/** Status of an upgrade without a valid key of the handshake. */
const brokenHandshake = (headers: Record<string, string>): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const upgrade = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-key': 'x' };
    const asked = request(`${bench.url}/fpga/0/stream`, { headers: { ...headers, ...upgrade } });
    asked.on('response', (response) => resolve(response.statusCode));
    asked.on('error', reject);
    asked.end();
  });

test('refusals precede the upgrade, in the usual envelope', async () => {
  expect(await refused(0, {})).toEqual([401, 'missing_api_key']);
  expect(await refused(0, { 'x-api-key': `wbk_${'A'.repeat(43)}` })).toEqual([401, 'invalid_api_key']);
  expect(await refused(0, of('another'))).toEqual([403, 'not_session_holder']);
  expect(await refused(1, of('holder'))).toEqual([409, 'fpga_not_reserved']);
  expect(await refused(10, of('holder'))).toEqual([422, 'validation_error']);
  expect(await refused(0, { ...of('holder'), origin: 'https://elsewhere.example' })).toEqual([
    403,
    'origin_not_allowed',
  ]);
  expect((await refused(0, { ...of('holder'), host: 'rebound.example' }))[1]).toBe('host_not_allowed');
  expect(await brokenHandshake(of('holder'))).toBe(400);
  const plain = await bench.get<{ detail: { error: string } }>('/fpga/0/stream', { headers: of('holder') });
  expect([plain.status, plain.body.detail.error]).toEqual([426, 'upgrade_required']);
  expect(await refused(0, of('holder'))).toEqual([101, 'let in']);
});

test('a viewer needs a key, and may do nothing else', async () => {
  const watch = { 'sec-websocket-protocol': 'wishbench.v1+viewer' };
  expect(await refused(0, watch)).toEqual([401, 'missing_api_key']);
  expect(await refused(0, { ...watch, 'x-api-key': `wbk_${'A'.repeat(43)}` })).toEqual([
    401,
    'invalid_api_key',
  ]);
  expect(await refused(0, { ...watch, ...of('another'), origin: 'https://elsewhere.example' })).toEqual([
    403,
    'origin_not_allowed',
  ]);
  const open = (protocols: string[], node = 0) => {
    const url = `${bench.url.replace('http', 'ws')}/fpga/${node}/stream`;
    const socket = new WebSocket(url, protocols, { headers: of('another') });
    const texts: string[] = [];
    socket.on('message', (data) => texts.push(String(data)));
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    return new Promise<{ socket: WebSocket; texts: string[]; closed: Promise<number> }>((resolve, reject) => {
      socket.on('open', () => resolve({ socket, texts, closed }));
      socket.on('error', reject);
    });
  };
  // A node without a session, too; a second subprotocol adds nothing.
  for (const node of [0, 1]) {
    const { socket, texts, closed } = await open(['wishbench.v1+json', 'wishbench.v1+viewer'], node);
    expect(socket.protocol).toBe('wishbench.v1+viewer');
    socket.send('{"id": 1, "op": "write", "address": 0, "data": [1]}');
    expect(await closed).toBe(1003);
    expect(texts.every((text) => !text.includes('answer'))).toBe(true);
  }
  const { socket, texts } = await open(['wishbench.v1+viewer']);
  // It says nothing, so its view begins after a while.
  await expect
    .poll(() => {
      clock.advance(100);
      return texts.length;
    })
    .toBe(2);
  expect(texts.join()).toContain('"owner":"holder"');
  const { session_id: secret } = await bench.client(of('holder')).getSession({ fpga_id: 0 });
  expect(texts.join()).not.toContain(secret);
  socket.terminate();
});

test('a key in the address is refused without being checked', async () => {
  const socket = new WebSocket(
    `${bench.url.replace('http', 'ws')}/fpga/0/stream?api_key=${keys.get('holder')}`,
  );
  const status = await new Promise((resolve) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('error', () => {});
  });
  expect(status).toBe(400);
  socket.terminate();
});

test('the client authenticates without a header, as a page has to', async () => {
  const client = { base: bench.url, headers: () => of('holder') };
  const stream = await openStream(client, 0, { WebSocket: WebSocket as SocketConstructor });
  await stream.write(4, [7]);
  expect(await stream.read(4)).toEqual([7]);
  stream.close();
  const nobody = openStream({ base: bench.url }, 0, { WebSocket: WebSocket as SocketConstructor });
  await expect(nobody).rejects.toMatchObject({ status: 401, code: 'missing_api_key' });
  const { transactions } = await bench.client(of('holder')).listTransactions({ fpga_id: 0, limit: 1 });
  expect(transactions[0]).toMatchObject({
    owner: 'holder',
    op: 'read',
    address: 4,
    data: [7],
    via: 'stream',
  });
});

test('a stream ends at once when the key that opened it is revoked', async () => {
  await bench.reserve(2, of('leaving'));
  const client = await BinaryClient.open(bench.url, 2, of('leaving'));
  await client.read(0, 1);
  // No time passes until then.
  await bench.delete('/auth/keys/me', { headers: of('leaving') });
  expect((await client.closed).code).toBe(4401);
  const { body } = await bench.post<{ api_key: string }>('/auth/idp/exchange', {
    json: { provider_token: 'leaving' },
  });
  const again = { 'x-api-key': body.api_key };
  const viewer = new WebSocket(`${bench.url.replace('http', 'ws')}/fpga/0/stream`, 'wishbench.v1+viewer', {
    headers: again,
  });
  await new Promise((resolve) => viewer.on('open', resolve));
  const closed = new Promise((resolve) => viewer.on('close', resolve));
  await bench.delete('/auth/keys/me', { headers: again });
  expect(await closed).toBe(4401);
});

test('every frame renews the session, polls do not', async () => {
  const expires = async () =>
    Date.parse((await bench.client(of('holder')).getSession({ fpga_id: 0 })).expires_at);
  const client = await BinaryClient.open(bench.url, 0, of('holder'));
  await client.read(0, 1);
  const before = await expires();
  // The visible expiry moves in steps of five seconds; the session has its whole lifetime.
  for (let ms = 0; ms < 7000; ms += 200) {
    clock.advance(200);
    await client.read(0, 1);
  }
  await expect.poll(expires).toBeGreaterThan(before);
  client.close();
});

test('a caller that reads nothing delays nobody and uses little memory', async () => {
  const client = await BinaryClient.open(bench.url, 0, of('holder'));
  const { _socket: raw } = client.socket as WebSocket & { _socket: { pause(): void; resume(): void } };
  raw.pause();
  const before = process.memoryUsage().external;
  const answers = Array.from({ length: 2000 }, () => client.read(0, 4096));
  const other = await BinaryClient.open(bench.url, 0, of('holder'));
  for (let i = 0; i < 100; i++) expect((await other.read(0, 1)).status).toBe(0);
  // 32 MiB were requested.
  expect(process.memoryUsage().external - before).toBeLessThan(16 << 20);
  raw.resume();
  expect((await Promise.all(answers)).every(({ words }) => words.length === 4096)).toBe(true);
  client.close();
  other.close();
});
