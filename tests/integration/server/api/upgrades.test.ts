import { readFileSync } from 'node:fs';
import net from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { head, type RawAnswer, sendRaw } from '../../../support/api/raw-http.ts';
import { TestBench } from '../../../support/api/test-bench.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const UPGRADE = { Upgrade: 'websocket', Connection: 'Upgrade' };
const VALID = { ...UPGRADE, 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': 'AAAAAAAAAAAAAAAAAAAAAA==' };

const ask = (line: string, headers: Record<string, string>, body = ''): Promise<RawAnswer> =>
  sendRaw(bench.url, head(bench.url, line, headers) + body);

/** TCP connections of the service's port in the system's table, without closed ones (TIME_WAIT). */
function connections(): number {
  const port = bench.bench.port.toString(16).toUpperCase().padStart(4, '0');
  const lines = readFileSync('/proc/self/net/tcp', 'latin1').split('\n').slice(1);
  const [LISTEN, TIME_WAIT] = ['0A', '06'];
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(`:${port}`) && state !== LISTEN && state !== TIME_WAIT)
    .length;
}

/** Sends bytes and leaves at once, or when the other side does; resolves with the received text at the end. */
function visit(bytes: string, leave: 'end' | 'destroy' | 'never'): Promise<string> {
  return new Promise((resolve) => {
    const socket = net.connect(bench.bench.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('error', () => {}).on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.write(bytes, () => {
      if (leave === 'end') socket.end();
      if (leave === 'destroy') socket.destroy();
    });
    socket.on('data', (chunk) => chunks.push(chunk));
  });
}

test.each([
  ['GET /openapi.json', {}],
  ['GET /fpga', {}],
  ['GET /docs/static/swagger-ui-bundle.js', {}],
  ['GET /nowhere', {}],
])('%s returns the same response to a WebSocket request as without an upgrade', async (line, headers) => {
  const plain = await ask(line, { ...headers, Connection: 'close' });
  for (const upgrade of [UPGRADE, VALID, { ...VALID, Connection: 'keep-alive, Upgrade' }]) {
    const answer = await ask(line, { ...headers, ...upgrade });
    expect([answer.status, answer.body === plain.body]).toEqual([plain.status, true]);
    expect(answer.headers['content-type']).toBe(plain.headers['content-type']);
  }
});

test('its body is read, and other Connection options stay in force', async () => {
  const body = JSON.stringify({ op: 2, address: 0 });
  const json = { 'Content-Type': 'application/json', 'Content-Length': String(body.length) };
  const answer = await ask('POST /fpga/0/run', { ...json, ...UPGRADE }, body);
  expect([answer.status, answer.body]).toEqual([409, expect.stringContaining('fpga_not_reserved')]);
  const whole = await visit(
    head(bench.url, 'GET /openapi.json', { ...UPGRADE, Connection: 'close, Upgrade' }),
    'never',
  );
  expect(whole).toMatch(/^HTTP\/1\.1 200 /);
  expect(whole).toMatch(/connection: close/i);
  expect(whole.length).toBeGreaterThan(16 << 10);
});

test.runIf(process.platform === 'linux')('no connection leaks, whenever its caller disconnects', async () => {
  const lines = [
    'GET /openapi.json',
    'GET /fpga/0/stream',
    'GET /benches/none/fpga/0/stream',
    'POST /fpga/0/stream',
  ];
  const visits = lines.flatMap((line) =>
    [UPGRADE, VALID].flatMap((headers) =>
      (['end', 'destroy'] as const).map((leave) => visit(head(bench.url, line, headers), leave)),
    ),
  );
  await Promise.all([...visits, ...visits]);
  await expect.poll(connections).toBe(0);
});

test('a pipelined upgrade is answered after the requests before it', async () => {
  const first = head(bench.url, 'GET /openapi.json') + head(bench.url, 'GET /openapi.json');
  const close = { Connection: 'close, Upgrade' };
  const statuses = async (line: string, headers: Record<string, string>) => {
    const answers = await visit(first + head(bench.url, line, headers), 'never');
    return [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
  };
  expect(await statuses('GET /fpga', { ...VALID, ...close })).toEqual([200, 200, 200]);
  expect(await statuses('GET /fpga', { Upgrade: 'h2c', ...close })).toEqual([200, 200, 200]);
  expect(await statuses('GET /fpga/0/stream', VALID)).toEqual([200, 200, 409]);
  expect((await bench.get('/fpga')).status).toBe(200);
});
