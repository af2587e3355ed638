import http from 'node:http';
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { head, sendRaw } from '../../../support/api/raw-http.ts';
import { type Refusal, SOURCE, TestBench } from '../../../support/api/test-bench.ts';

/** A request with headers that fetch forbids. */
function ask(url: string, path: string, headers: Record<string, string>, method = 'GET') {
  return new Promise<{ status: number; error: string | undefined }>((resolve, reject) => {
    const request = http.request(url + path, { method, headers, agent: false }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const isJson = response.headers['content-type']?.startsWith('application/json');
      const body = isJson ? (JSON.parse(text) as Partial<Refusal>) : {};
      resolve({ status: response.statusCode ?? 0, error: body.detail?.error });
    });
    request.on('error', reject).end();
  });
}

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
  await bench.reserve(1);
});
afterAll(() => bench.stop());

const refusal = (answer: { body: unknown }) => (answer.body as Refusal).detail;

describe('JSON that is nested thousands deep', () => {
  const deep = (depth: number, open: string, close: string) => open.repeat(depth) + close.repeat(depth);
  const bodies = {
    lists: deep(9_000, '[', ']'),
    objects: `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`,
    '__proto__ in lists': `{"__proto__":${deep(9_000, '[', ']')}}`,
    '__proto__ in objects': `${'{"__proto__":'.repeat(4_500)}1${'}'.repeat(4_500)}`,
    'a field of a run': `{"op":2,"address":${deep(9_000, '[', ']')}}`,
    'an escaped __proto__': `{"op":2,"address":0,"\\u005f_proto__":${deep(9_000, '[', ']')}}`,
  };
  for (const [name, body] of Object.entries(bodies))
    test.each([
      ['POST', '/fpga/1/run'],
      ['POST', '/auth/idp/exchange'],
      ['PUT', '/settings'],
      ['PUT', '/boards/0'],
    ])(`${name}: %s %s is a 422`, async (method, route) => {
      const answer = await bench.ask(method, route, {
        body,
        headers: { 'content-type': 'application/json' },
      });
      expect([answer.status, refusal(answer).error]).toEqual([422, 'validation_error']);
    });

  test('in a form field too', async () => {
    for (const ties of [bodies.lists, bodies['__proto__ in objects'], '{"__proto__": 1}']) {
      const answer = await bench.submit(0, SOURCE, { ties });
      expect([answer.status, refusal(answer as { body: unknown }).error]).toEqual([422, 'validation_error']);
    }
  });

  test('brackets in texts are no nesting', async () => {
    const body = JSON.stringify({ provider_token: '[{'.repeat(3000) });
    const answer = await bench.post('/auth/idp/exchange', {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(refusal(answer).error).toBe('provider_not_configured');
  });
});

test('an unsupported Expect header is refused in the envelope', async () => {
  const answer = await sendRaw(
    bench.url,
    head(bench.url, 'GET /health', { Expect: 'x', Connection: 'close' }),
  );
  expect([answer.status, (JSON.parse(answer.body || 'null') as Refusal | null)?.detail.error]).toEqual([
    417,
    'expectation_failed',
  ]);
});

describe('requests that another site’s page makes', () => {
  const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
  test('an image, a script or a frame is refused', async () => {
    for (const path of [
      '/status',
      '/fpga',
      '/jobs?limit=10000',
      '/settings',
      '/events',
      '/',
      '/openapi.json',
    ])
      for (const headers of [
        image,
        { ...image, 'sec-fetch-site': 'same-site' },
        { ...image, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      ])
        expect([path, await ask(bench.url, path, headers)]).toEqual([
          path,
          { status: 403, error: 'origin_not_allowed' },
        ]);
  });

  test('a followed link opens a page or a log', async () => {
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    };
    const html = { accept: 'text/html' };
    expect((await ask(bench.url, '/', { ...link, ...html })).status).toBe(200);
    // Deep links lead to the page, which finds its place after `#`.
    expect((await ask(bench.url, '/node/3', { ...link, ...html })).status).toBe(302);
    expect((await ask(bench.url, '/fpga', { ...link, 'sec-fetch-user': '?1' })).status).toBe(200);
    expect((await ask(bench.url, '/fpga', link)).status).toBe(403);
    expect((await ask(bench.url, '/fpga/1/reset', { ...link, 'sec-fetch-user': '?1' }, 'POST')).status).toBe(
      403,
    );
  });

  test('the bench’s own page and programs are allowed', async () => {
    for (const site of ['same-origin', 'none'])
      expect((await ask(bench.url, '/fpga', { ...image, 'sec-fetch-site': site })).status).toBe(200);
    expect((await ask(bench.url, '/fpga', {})).status).toBe(200);
  });

  test('the doctor accepts only POST', async () => {
    const own = await TestBench.start({ doctor: async () => [] });
    expect((await own.get('/doctor')).status).toBe(405);
    expect((await own.post('/doctor')).status).toBe(200);
    await own.stop();
  });
});

describe('the id of a request', () => {
  test('is in every response and its log line', async () => {
    for (const [method, route] of [
      ['GET', '/health'],
      ['GET', '/fpga/99'],
      ['GET', '/nothing'],
      ['GET', '/'],
      ['GET', '/fpga/%zz'],
      ['PUT', '/fpga'],
    ] as const) {
      const { headers } = await bench.ask(method, route);
      const id = headers.get('x-request-id') ?? '';
      expect([route, id]).toEqual([route, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
      if (route !== '/fpga/%zz') await expect.poll(() => bench.log, { message: route }).toContain(id);
    }
    const broken = await sendRaw(bench.url, 'x\r\n\r\n');
    expect(broken.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is generated by the service: a caller cannot set it', async () => {
    const { headers } = await bench.get('/health', { headers: { 'x-request-id': 'forged' } });
    expect(headers.get('x-request-id')).not.toBe('forged');
  });
});

test('switching enforcement on replaces session ids and invalidates the old ones', async () => {
  const own = await TestBench.start();
  await own.reserve(0);
  await own.reserve(1, { 'x-api-key': 'alice' });
  const before = await Promise.all([0, 1].map(async (id) => (await own.node(id)).session?.session_id ?? ''));
  const on = await own.put('/settings', { json: { auth: { enforcement: true } } });
  expect(on.status).toBe(200);
  const after = own.bench.pool.nodes().map(({ session }) => session?.session_id);
  for (const id of [0, 1]) {
    expect(after[id]).toMatch(/^[0-9a-f-]{36}$/);
    expect(after[id]).not.toBe(before[id]);
  }
  // Off and on again: ids shown meanwhile are worth nothing either.
  await own.put('/settings', { json: { auth: { enforcement: false } } });
  const shown = (await own.node(0)).session?.session_id;
  await own.put('/settings', { json: { auth: { enforcement: true } } });
  expect(own.bench.pool.node(0).session?.session_id).not.toBe(shown);
  // It is on disk: a crash does not bring the old ids back.
  await own.bench.close();
  const again = await TestBench.start({ dataDir: own.folder });
  expect(again.bench.pool.node(0).session?.session_id).not.toBe(shown);
  expect(again.bench.settings.current.auth.enforcement).toBe(true);
  await again.stop();
});

/** An address of this computer on a network, if it has one. */
const lanAddress = Object.values(os.networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

describe.skipIf(lanAddress === undefined)('guessing', () => {
  const TOKEN = 'the right token of the operator';
  /** All guesses fall into one minute. */
  const clock = { ...systemClock, monotonic: () => 0 };

  test('wrong guesses are limited by address before the key check, but not on this computer', async () => {
    const own = await TestBench.start({
      host: '0.0.0.0',
      operatorToken: TOKEN,
      clock,
      settings: { limits: { requests_per_minute: 60 }, benches: { discover: false } },
    });
    const lan = `http://${lanAddress}:${own.bench.port}`;
    const guess = async (headers: Record<string, string>) => (await fetch(`${lan}/fpga`, { headers })).status;
    const keys = [];
    for (let i = 0; i < 40; i++) keys.push(await guess({ 'x-api-key': `wbk_${'A'.repeat(40)}${100 + i}` }));
    expect(keys.filter((status) => status === 401).length).toBeLessThan(20);
    expect(new Set(keys.slice(20))).toEqual(new Set([429]));
    // The address is penalised: not even the right token of the operator is compared there…
    expect(await guess({ 'x-operator-token': TOKEN })).toBe(429);
    // …while on this computer nothing has changed.
    const here = await own.get('/settings', { headers: { 'x-operator-token': TOKEN } });
    expect(here.status).toBe(200);
    await own.stop();
  });

  test('refused requests count: of a limit of 60 a minute, 60 pass', async () => {
    const own = await TestBench.start({
      host: '0.0.0.0',
      clock,
      // Benches of parallel tests that discover it would call it, from the address that is counted here.
      settings: { limits: { requests_per_minute: 60 }, benches: { discover: false } },
    });
    const lan = `http://${lanAddress}:${own.bench.port}`;
    const statuses = [];
    for (let i = 0; i < 70; i++) statuses.push((await fetch(`${lan}/fpga`)).status);
    expect(statuses).toEqual([...new Array(60).fill(401), ...new Array(10).fill(429)]);
    await own.stop();
  });
});
