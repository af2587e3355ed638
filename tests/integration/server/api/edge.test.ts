import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pause, systemClock } from '../../../../server/clock.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { head, sendRaw } from '../../../support/api/raw-http.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { runningTime } from '../../../support/running-time.ts';

/** An address of this computer on a network, if it has one. */
const lanAddress = Object.values(os.networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ internal, family }) => !internal && family === 'IPv4')?.address;

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

describe('Host and Origin', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start({ settings: { network: { allowed_hosts: ['bench.lab.example'] } } });
  });
  afterAll(() => bench.stop());

  test('a foreign Host, as of a rebound DNS name, is refused', async () => {
    const { port } = bench.bench;
    for (const host of [
      `127.0.0.1:${port}`,
      `localhost:${port}`,
      'localhost',
      `LOCALHOST:${port}`,
      'localhost.',
      `[::1]:${port}`,
      '127.0.0.1:9000',
      'bench.lab.example',
      `bench.lab.example:${port}`,
    ])
      expect([host, (await ask(bench.url, '/health', { host })).status]).toEqual([host, 200]);
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      'localhost.evil.example',
      'bench.lab.example.evil',
      '10.0.0.1',
      '0.0.0.0',
      'localhost:x',
      'a b',
      '@localhost',
      'localhost/',
    ]) {
      const answer = await ask(bench.url, '/fpga', { host });
      expect([host, answer]).toEqual([host, { status: 403, error: 'host_not_allowed' }]);
    }
    for (const path of ['/', '/docs', '/openapi.json', '/nothing', '/events'])
      expect((await ask(bench.url, path, { host: 'evil.example' })).status).toBe(403);
  });

  test('another origin’s page is refused, ours is not', async () => {
    const { host } = new URL(bench.url);
    for (const origin of [`http://${host}`, `https://${host}`])
      expect([origin, (await ask(bench.url, '/health', { origin, host })).status]).toEqual([origin, 200]);
    for (const origin of [
      'http://evil.example',
      'null',
      '',
      `http://${host}.evil`,
      'http://127.0.0.1:1',
      'http://localhost',
      `ftp://${host}`,
      'file://',
      `chrome-extension://${host}`,
    ])
      for (const [method, path] of [
        ['POST', '/fpga/0/reset'],
        ['GET', '/fpga'],
        ['DELETE', '/auth/keys/me'],
      ] as const)
        expect([origin, await ask(bench.url, path, { origin, host }, method)]).toEqual([
          origin,
          { status: 403, error: 'origin_not_allowed' },
        ]);
  });

  test('no response header permits other origins', async () => {
    for (const route of ['/fpga', '/health', '/nothing', '/', '/openapi.json']) {
      const { headers } = await bench.get(route);
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
    const preflight = await ask(
      bench.url,
      '/fpga/0/run',
      { 'access-control-request-method': 'POST' },
      'OPTIONS',
    );
    expect(preflight.status).toBe(405);
  });

  test('HTTP/1.0 without a Host is refused', async () => {
    const answer = await sendRaw(bench.url, 'GET /health HTTP/1.0\r\n\r\n', { end: false });
    expect(answer.status).toBe(403);
  });
});

describe('security headers', () => {
  let bench: TestBench;
  beforeAll(async () => {
    bench = await TestBench.start();
  });
  afterAll(() => bench.stop());

  test('every response carries them: pages, JSON, errors, malformed HTTP', async () => {
    const sets = [
      (await bench.get('/')).headers,
      (await bench.get('/fpga')).headers,
      (await bench.get('/fpga/99')).headers,
      (await bench.get('/nothing')).headers,
      (await bench.get('/fpga/%zz')).headers,
      (await bench.get('/docs')).headers,
      new Headers((await sendRaw(bench.url, 'x\r\n\r\n')).headers),
    ];
    for (const headers of sets) {
      const csp = headers.get('content-security-policy') ?? '';
      expect(csp).toContain("default-src 'none'");
      expect(csp).toContain("script-src 'self';");
      expect(csp).toContain("frame-ancestors 'none'");
      expect(csp).not.toContain('unsafe-eval');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    }
    expect((await bench.get('/')).headers.get('content-security-policy')).not.toContain('unsafe-inline');
  });

  test('asset files have a restrictive policy and few other headers', async () => {
    const page = await (await fetch(bench.url)).text();
    const [script] = /assets\/[^"]+\.js/.exec(page) ?? [];
    const { status, headers } = await bench.get(`/${script}`);
    expect(status).toBe(200);
    expect(headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toBeNull();
  });

  test('a response with state is not cached', async () => {
    for (const route of ['/fpga', '/status', '/settings', '/jobs', '/fpga/0/session'])
      expect([route, (await bench.get(route)).headers.get('cache-control')]).toEqual([route, 'no-store']);
  });
});

describe.skipIf(lanAddress === undefined)('the LAN', () => {
  test('is closed by default, opens with enforcement, closes again', async () => {
    const bench = await TestBench.start();
    const { port } = bench.bench;
    const lan = `http://${lanAddress}:${port}`;
    await expect(fetch(`${lan}/health`)).rejects.toThrow();

    const opened = await bench.put<{ settings: { auth: { enforcement: boolean } } }>('/settings', {
      json: { network: { lan: true } },
    });
    expect([opened.status, opened.body.settings.auth.enforcement]).toEqual([200, true]);
    expect(bench.bench.port).toBe(port);
    expect((await fetch(`${lan}/health`)).status).toBe(200);
    expect((await fetch(`${lan}/fpga`)).status).toBe(401);
    expect((await fetch(`${bench.url}/fpga`)).status).toBe(401);
    // The operator is who is on this computer, not who is on the LAN.
    expect((await fetch(`${lan}/settings`)).status).toBe(401);
    const own = await ask(lan, '/health', { host: `${os.hostname()}:${port}` });
    expect(own.status).toBe(200);
    expect((await ask(lan, '/health', { host: 'evil.example' })).status).toBe(403);

    const off = await bench.put<{ notices: string[] }>('/settings', {
      json: { auth: { enforcement: false } },
    });
    expect(off.body.notices.join(' ')).toMatch(/recorded but not refused/);
    expect((await fetch(`${lan}/fpga`)).status).toBe(200);
    const status = await bench.get<{ lan: { enabled: boolean; addresses: string[] } }>('/status');
    expect(status.body.lan.addresses).toContain(lan);
    expect((await fetch(`${lan}/settings`)).status).toBe(403);
    const remote = await EventClient.open(lan);
    await remote.until('snapshot');
    expect(bench.bench.clients()).toEqual({ total: 1, lan: 1 });

    await bench.put('/settings', { json: { network: { lan: false } } });
    await remote.ended;
    await expect(fetch(`${lan}/health`)).rejects.toThrow();
    expect((await bench.get('/health')).status).toBe(200);
    await bench.stop();
  });

  test('a start option that opens it enforces keys, whatever the stored settings', async () => {
    const bench = await TestBench.start({ host: '0.0.0.0' });
    expect(new URL(bench.url).hostname).toBe('127.0.0.1');
    expect((await fetch(`http://${lanAddress}:${bench.bench.port}/fpga`)).status).toBe(401);
    await bench.stop();
  });

  test('requests a minute are limited for each LAN caller, not on this computer', async () => {
    const bench = await TestBench.start({
      host: '0.0.0.0',
      // All requests fall into one minute.
      clock: { ...systemClock, monotonic: () => 0 },
      // Benches of parallel tests that discover it would call it, from the address that is counted here.
      settings: { limits: { requests_per_minute: 20 }, benches: { discover: false } },
    });
    const lan = `http://${lanAddress}:${bench.bench.port}`;
    const statuses = [];
    for (let i = 0; i < 25; i++) statuses.push((await fetch(`${lan}/health`)).status);
    expect(statuses).toEqual([...new Array(20).fill(200), ...new Array(5).fill(429)]);
    const over = await fetch(`${lan}/health`);
    expect(Number(over.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(((await over.json()) as Refusal).detail.error).toBe('rate_limited');
    expect((await fetch(`${lan}/nothing`)).status).toBe(429);
    for (let i = 0; i < 60; i++) expect((await bench.get('/health')).status).toBe(200);
    await bench.stop();
  });
});

describe('large answers and slow clients', () => {
  test('a long wait on one connection holds up no other', async () => {
    const bench = await TestBench.start();
    const { body } = await bench.submit(0, '// hang-place');
    while ((await bench.node(0)).state !== 'building');
    let ended = 0;
    const waits = Array.from({ length: 50 }, async () => {
      await fetch(`${bench.url}/fpga/0/jobs/${body.job_id}/details?wait=60`).catch(() => {});
      ended++;
    });
    expect((await bench.get('/fpga')).status).toBe(200);
    expect(ended).toBe(0);
    await bench.stop();
    await Promise.all(waits);
  });

  test('an idle connection stays open seconds longer than the announced timeout', async () => {
    const bench = await TestBench.start();
    const socket = net.connect(bench.bench.port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes;
    });
    socket.write(head(bench.url, 'GET /health'));
    await expect.poll(() => text).toMatch(/^keep-alive: timeout=\d+\r$/im);
    const told = Number(/timeout=(\d+)/.exec(text)?.[1]);
    await pause(systemClock, 1000 * (told + 3));
    expect(socket.readableEnded).toBe(false);
    text = '';
    socket.write(head(bench.url, 'GET /health'));
    await expect.poll(() => text).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
    await bench.stop();
  });

  test('unfinished requests do not delay shutdown', async () => {
    const bench = await TestBench.start();
    const pending = http.request(`${bench.url}/fpga/0/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': 100, expect: '100-continue' },
    });
    const closed = new Promise((resolve) => pending.once('close', resolve));
    pending.on('error', () => {}).flushHeaders();
    await once(pending, 'continue');
    const ranFor = await runningTime();
    await bench.stop();
    expect(ranFor()).toBeLessThan(4000);
    await closed;
  });
});
