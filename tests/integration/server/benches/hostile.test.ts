import http from 'node:http';
import type net from 'node:net';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routeOf } from '../../../../server/api/remote/forward.ts';
import { WatchedBench } from '../../../../server/benches/watched-bench.ts';
import { systemClock } from '../../../../server/clock.ts';
import { checkOf } from '../../../../server/contract/check.ts';
import { BenchView } from '../../../../server/contract/remote/benches.ts';
import { type Refusal, TestBench } from '../../../support/api/test-bench.ts';
import { runningTime } from '../../../support/running-time.ts';

const OFTEN = { interval: 20 };
const isView = checkOf(BenchView);

/** A healthy bench's own status. */
const OWN = {
  bench_id: 'b'.repeat(16),
  title: 'Hall B',
  version: '1.0.0',
  enforcement: false,
  nodes: [{ fpga_id: 0, state: 'idle', owner: null, board: 'a board', present: true, design: null }],
};

describe('malformed responses of another bench', () => {
  let answer: http.RequestListener = (_request, response) => response.end();
  const server = http.createServer((request, response) => answer(request, response));
  let url = '';
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** The result of the first answer. */
  async function look(): Promise<BenchView> {
    let bench: WatchedBench | undefined;
    const view = await new Promise<BenchView>((resolve) => {
      const known = {
        name: 'b',
        address: url,
        fingerprint: null,
        found: 'settings',
        title: null,
        key: null,
      } as const;
      bench = new WatchedBench(known, systemClock, (now) => resolve(now.view));
    });
    bench?.close();
    return view;
  }

  test('any JSON yields a view that satisfies the contract and its bounds', async () => {
    const spoilt = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .tuple(fc.constantFrom(...Object.keys(OWN)), fc.jsonValue())
        .map(([field, value]) => JSON.stringify({ ...OWN, [field]: value })),
      fc.jsonValue().map((value) => JSON.stringify({ ...OWN, nodes: [value] })),
      fc
        .tuple(fc.string({ maxLength: 70, unit: 'binary' }), fc.string({ maxLength: 300, unit: 'binary' }))
        .map(([title, board]) => JSON.stringify({ ...OWN, title, nodes: [{ ...OWN.nodes[0], board }] })),
    );
    await fc.assert(
      fc.asyncProperty(spoilt, fc.constantFrom(200, 200, 200, 204, 301, 401, 500), async (text, status) => {
        answer = (_request, response) =>
          response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end(status === 204 ? '' : text);
        const view = await look();
        expect(isView(view)).toBe(true);
        expect(JSON.stringify(view)).not.toMatch(/[\u202e\u2066]|\\u001b|\\u0007/u);
        expect(
          view.state === 'live' ? view.problem === null || view.nodes === null : view.problem !== null,
        ).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  test('an endless, oversized or trickling response marks the bench dead and retains nothing', async () => {
    const ways: http.RequestListener[] = [
      (_request, response) => {
        const send = () => {
          while (!response.destroyed && response.write('x'.repeat(65_536)));
        };
        response.on('drain', send);
        send();
      },
      (_request, response) => void response.end(JSON.stringify({ ...OWN, title: 'x'.repeat(200_000) })),
      (_request, response) => {
        const timer = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
      (_request, response) =>
        void response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy()),
      (request) => void request.socket.end('not HTTP at all\r\n\r\n'),
      (request) => void request.socket.end(`HTTP/1.1 200 OK\r\n${'x-y: z\r\n'.repeat(10_000)}\r\n`),
      (request) =>
        void request.socket.end(
          'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        ),
    ];
    for (const way of ways) {
      answer = way;
      const sinceAsked = await runningTime();
      const view = await look();
      expect(sinceAsked()).toBeLessThan(5_000);
      expect([view.state, view.nodes]).toEqual(['dead', null]);
    }
  });

  test('pages and scripts of another bench are never forwarded', async () => {
    const bench = await TestBench.start();
    try {
      let type: string | undefined;
      answer = (request, response) => {
        if (request.url === '/benches/own')
          return void response.setHeader('content-type', 'application/json').end(JSON.stringify(OWN));
        const headers = {
          'set-cookie': 'a=b',
          location: 'http://evil.example/',
          'content-security-policy': '*',
        };
        response.writeHead(
          Number(request.headers['x-api-key'] ?? 200),
          type ? { ...headers, 'content-type': type } : headers,
        );
        response.end('<script>alert(1)</script>');
      };
      await bench.bench.settings.apply({ benches: { known: [{ name: 'b', address: url }] } });
      const live = async () => (await bench.client().listBenches())[1]?.state;
      await expect.poll(live, OFTEN).toBe('live');
      const get = (status = '200') =>
        bench.get<Refusal>('/benches/b/examples/a.v', { headers: { 'x-bench-key': status } });
      for (type of [
        'text/html',
        'text/javascript',
        'application/javascript; charset=utf-8',
        'image/svg+xml',
        'TEXT/HTML',
      ])
        expect([type, (await get()).body.detail.error]).toEqual([type, 'bench_answer_refused']);
      type = 'text/plain';
      expect((await get('302')).body.detail.error).toBe('bench_answer_refused');
      const plain = await get();
      expect(plain.headers.get('set-cookie')).toBeNull();
      expect(plain.headers.get('location')).toBeNull();
      expect(plain.headers.get('content-security-policy')).toContain("script-src 'self'");
      expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
      type = 'application/xml';
      expect((await get()).headers.get('content-disposition')).toBe('attachment');
    } finally {
      await bench.stop();
    }
  });

  test('a forwarded request ends when the bench dies', async () => {
    const bench = await TestBench.start();
    const sockets = new Set<net.Socket>();
    let silent = false;
    // Answers until it becomes silent, and keeps its connections open: a PC whose cable was pulled.
    const other = http.createServer((request, response) => {
      if (request.url === '/benches/own' && !silent)
        response.setHeader('content-type', 'application/json').end(JSON.stringify(OWN));
    });
    other.on('connection', (socket) => sockets.add(socket));
    try {
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      await bench.bench.settings.apply({ benches: { known: [{ name: 'b', address }] } });
      const state = async () => (await bench.client().listBenches())[1]?.state;
      await expect.poll(state, OFTEN).toBe('live');
      const asked = bench.get<Refusal>('/benches/b/jobs');
      silent = true;
      const sinceAsked = await runningTime();
      expect((await asked).body.detail.error).toBe('bench_dead');
      expect(sinceAsked()).toBeLessThan(5_500);
    } finally {
      await bench.stop();
      for (const socket of sockets) socket.destroy();
      other.close();
    }
  });
});

test('only routes of the contract are forwarded', () => {
  for (const [method, path] of [
    ['GET', '/fpga/3/details'],
    ['GET', '/fpga/3/jobs/x/files/a%2Fb.v'],
    ['HEAD', '/health'],
    ['POST', '/submit'],
    ['GET', '/events?pins=2'],
    ['GET', '/benches/own'],
  ] as const)
    expect([path, routeOf(method, path)]).not.toEqual([path, null]);
  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '//evil.example/health'],
    ['GET', '/health/../settings'],
    ['GET', '/designs/../script'],
    ['GET', '/designs/%2E%2e/script'],
    ['GET', '/fpga/3\\..\\settings'],
    ['GET', '/benches'],
    ['GET', '/benches/b/fpga'],
    ['TRACE', '/health'],
    ['PUT', '/health'],
  ] as const)
    expect([path, routeOf(method, path)]).toEqual([path, null]);
  fc.assert(
    fc.property(fc.string(), (text) => {
      const route = routeOf('GET', `/${text}`);
      if (route !== null) expect(`/${text}`.split('?')[0]).toMatch(/^\/[a-z]/);
    }),
  );
});
