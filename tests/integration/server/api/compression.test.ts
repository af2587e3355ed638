import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acceptsGzip } from '../../../../server/api/edge/compression.ts';
import type { Invitation } from '../../../../server/contract/identity/identity.ts';
import { distPath } from '../../../../server/paths.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';

interface Bytes {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

let bench: TestBench;
let jobId: string;
beforeAll(async () => {
  bench = await TestBench.start({ fakeToolchain: {} });
  const { body } = await bench.submit(0, `${SOURCE}// lines-20000\n`);
  jobId = body.job_id;
  await bench.ended(0, jobId);
  for (let i = 0; i < 20; i++) await bench.run(0, { op: 2, address: 0, count: 4 });
});
afterAll(() => bench.stop());

/** An answer as it is on the wire: fetch would undo what is tested. */
async function ask(
  route: string,
  encoding?: string,
  { method = 'GET', json }: { method?: string; json?: unknown } = {},
): Promise<Bytes> {
  const request = http.request(bench.url + route, {
    method,
    agent: false,
    headers: {
      ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  request.end(json === undefined ? undefined : JSON.stringify(json));
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

/** Byte for byte; the matcher of the tests takes a minute for a megabyte. */
const same = (a: Buffer, b: Buffer): boolean => a.equals(b);

describe('compression of responses for callers that accept it', () => {
  test('JSON, with its length, and the same when it is unpacked', async () => {
    const plain = await ask('/jobs');
    const small = await ask('/jobs', 'gzip, deflate, br');
    expect(plain.headers['content-encoding']).toBe(undefined);
    expect(small.headers['content-encoding']).toBe('gzip');
    for (const { headers } of [plain, small]) expect(headers.vary).toContain('accept-encoding');
    expect(Number(small.headers['content-length'])).toBe(small.body.length);
    expect(small.body.length).toBeLessThan(plain.body.length / 4);
    expect(same(gunzipSync(small.body), plain.body)).toBe(true);
  });

  test('a large one, which is sent in pieces', async () => {
    const plain = await ask('/openapi.json');
    const small = await ask('/openapi.json', 'gzip');
    expect(plain.body.length).toBeGreaterThan(50_000);
    expect(same(gunzipSync(small.body), plain.body)).toBe(true);
    expect(small.body.length).toBeLessThan(plain.body.length / 4);
  });

  test('compresses a log while it streams', async () => {
    const plain = await ask(`/fpga/0/jobs/${jobId}/logs`);
    const small = await ask(`/fpga/0/jobs/${jobId}/logs`, 'gzip');
    expect(plain.body.length).toBeGreaterThan(200_000);
    expect([small.headers['content-encoding'], small.headers['content-length']]).toEqual(['gzip', undefined]);
    expect(small.body.length).toBeLessThan(plain.body.length / 5);
    expect(same(gunzipSync(small.body), plain.body)).toBe(true);
    const rest = await ask(`/fpga/0/jobs/${jobId}/logs?offset=100000`, 'gzip');
    expect(same(gunzipSync(rest.body), plain.body.subarray(100_000))).toBe(true);
  });

  test('does not compress small, endless, binary or secret-bearing responses', async () => {
    const unpacked = async (route: string, options = {}) =>
      (await ask(route, 'gzip, br', options)).headers['content-encoding'];
    expect(await unpacked('/health')).toBe(undefined);
    // An observer who has his own text in the same answer could guess the id from its length.
    expect(await unpacked('/fpga')).toBe(undefined);
    expect(await unpacked('/fpga/0/details')).toBe(undefined);
    const label = 'x'.repeat(64);
    const invitation = await ask('/auth/invites', 'gzip, br', {
      method: 'POST',
      json: { owner: 'y'.repeat(128), label },
    });
    expect([invitation.status, invitation.headers['content-encoding']]).toEqual([201, undefined]);
    const { code } = JSON.parse(String(invitation.body)) as Invitation;
    const key = await ask('/auth/invites/redeem', 'gzip', { method: 'POST', json: { code } });
    expect([key.status, key.headers['content-encoding']]).toEqual([200, undefined]);
    const run = await bench.run(0, { op: 2, address: 0, count: 2000 });
    expect(await unpacked(`/fpga/0/jobs/${run}/result`)).toBe(undefined);
    expect(await unpacked(`/fpga/0/jobs/${jobId}/logs?follow=1`)).toBe(undefined);
    const leaving = new AbortController();
    const events = await fetch(`${bench.url}/events`, { signal: leaving.signal });
    expect(events.headers.get('content-encoding')).toBe(null);
    leaving.abort();
  });

  test('a caller that disconnects amid a compressed log does not disturb others', async () => {
    for (let i = 0; i < 20; i++) {
      const request = http.get(`${bench.url}/fpga/0/jobs/${jobId}/logs`, {
        agent: false,
        headers: { 'accept-encoding': 'gzip' },
      });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await once(response, 'data');
      request.destroy();
    }
    const whole = await ask(`/fpga/0/jobs/${jobId}/logs`, 'gzip');
    expect(same(gunzipSync(whole.body), (await ask(`/fpga/0/jobs/${jobId}/logs`)).body)).toBe(true);
  });
});

test('which Accept-Encoding values accept gzip', () => {
  const taken = ['gzip', 'br, GZIP;q=0.5', 'x-gzip', '*', 'identity;q=0, *;q=0.1'];
  const refused = [undefined, '', 'br', 'gzip;q=0', 'gzip;q=0, *', '*;q=0', 'identity', 'gzipped'];
  expect([taken.filter((one) => !acceptsGzip(one)), refused.filter(acceptsGzip)]).toEqual([[], []]);
});

test('serves the GUI’s files as compressed at build time', async () => {
  const html = readFileSync(distPath('renderer', 'index.html'), 'utf8');
  const name = /assets\/(first-[^"]+\.js)"/.exec(html)?.[1] ?? '';
  const text = readFileSync(distPath('renderer', 'assets', name));
  const br = await ask(`/assets/${name}`, 'gzip, deflate, br');
  const gz = await ask(`/assets/${name}`, 'gzip, deflate');
  const plain = await ask(`/assets/${name}`);
  expect([br, gz, plain].map(({ headers }) => headers['content-encoding'])).toEqual([
    'br',
    'gzip',
    undefined,
  ]);
  expect(same(brotliDecompressSync(br.body), text)).toBe(true);
  expect(same(gunzipSync(gz.body), text)).toBe(true);
  expect(same(plain.body, text)).toBe(true);
  for (const { headers } of [br, gz, plain])
    expect(headers).toMatchObject({
      'content-type': expect.stringMatching(/javascript/),
      'cache-control': 'public, max-age=31536000, immutable',
      vary: expect.stringContaining('accept-encoding'),
    });
  expect(br.body.length).toBeLessThan(text.length / 3);
  // Below 1 kB a file is sent as it is.
  const small = existsSync(distPath('renderer', 'index.html.br')) ? 'br' : undefined;
  const page = await ask('/', 'br');
  expect([page.headers['content-encoding'], page.headers['content-type']]).toEqual([
    small,
    'text/html; charset=utf-8',
  ]);
});
