import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { BenchView } from '../../server/contract/benches.ts';
import { createClient } from '../../server/contract/client/client.ts';
import { openStream } from '../../server/contract/client/stream.ts';
import { type Refusal, SOURCE, TestBench, type TestBenchOptions } from '../api/support/test-bench.ts';
import { runningTime } from '../support/running-time.ts';

/** What is to be shown within 5 s. */
/** What takes a while is looked at often: it is over as soon as it can be. */
const OFTEN = { interval: 50 };

const started: TestBench[] = [];
async function start(options: TestBenchOptions = {}): Promise<TestBench> {
  const bench = await TestBench.start(options);
  started.push(bench);
  return bench;
}
const servers: http.Server[] = [];
async function listen(handler: http.RequestListener): Promise<string> {
  const server = http.createServer(handler).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  servers.push(server);
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  // Last first: one that was started again has the folder of one before it.
  for (const bench of started.splice(0).reverse()) await bench.stop();
});

interface Entry {
  name: string;
  address: string;
  key?: string;
}
const know = (bench: TestBench, known: Entry[], more: object = {}) =>
  bench.bench.settings.apply({ benches: { known, ...more } });

async function viewOf(bench: TestBench, name: string, headers = {}): Promise<BenchView | undefined> {
  return (await bench.client(headers).listBenches()).find((one) => one.name === name);
}
const state = (bench: TestBench, name: string) => async () => (await viewOf(bench, name))?.state;

function form(source = SOURCE, fields: Record<string, string> = {}): FormData {
  const sent = new FormData();
  for (const [name, value] of Object.entries(fields)) sent.append(name, value);
  sent.append('file', new Blob([source]), 'design.v');
  return sent;
}
interface Accepted {
  job_id: string;
  fpga_id: number | null;
  status: string;
  bench?: {
    name: string;
    address: string;
    fpga_id: number | null;
    state: string;
    problem: { error: string } | null;
  };
}

describe('benches that know each other', () => {
  test('shows the nodes of others; a dead one is dead within 5 s, hides nothing, and comes back', async () => {
    const [a, b, c] = await Promise.all([start(), start(), start()]);
    await know(a, [
      { name: 'b', address: b.url },
      { name: 'c', address: c.url },
    ]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    await expect.poll(state(a, 'c'), OFTEN).toBe('live');
    await b.reserve(3, { 'x-api-key': 'ada' });
    await expect
      .poll(async () => (await viewOf(a, 'b'))?.nodes?.[3], OFTEN)
      .toMatchObject({
        state: 'reserved',
        owner: 'ada',
        design: 'design.v',
        present: true,
      });
    expect(await viewOf(a, 'b')).toMatchObject({ found: 'settings', address: b.url, idle: 9, problem: null });
    expect((await a.client().listBenches())[0]).toMatchObject({ name: 'own', found: 'own', idle: 10 });

    const port = b.bench.port;
    await b.bench.close();
    const sinceDeath = await runningTime();
    await expect.poll(state(a, 'b'), OFTEN).toBe('dead');
    expect(sinceDeath()).toBeLessThan(5_000);
    const dead = await viewOf(a, 'b');
    expect(dead).toMatchObject({ idle: 0, problem: { error: 'bench_dead' } });
    expect(dead?.last_seen).not.toBeNull();
    expect(dead?.nodes).toHaveLength(10);
    expect(await viewOf(a, 'c')).toMatchObject({ state: 'live', idle: 10 });

    await start({ dataDir: b.folder, port });
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
  });

  test('a bench that takes connections and says nothing is dead within 5 s, and delays nobody', async () => {
    const a = await start();
    let asked = 0;
    const silent = await listen(() => void asked++);
    await know(a, [{ name: 'silent', address: silent }]);
    const sinceKnown = await runningTime();
    await a.client().listBenches();
    expect(sinceKnown()).toBeLessThan(1_000);
    await expect.poll(async () => (await viewOf(a, 'silent'))?.problem?.error, OFTEN).toBe('bench_dead');
    expect(sinceKnown()).toBeLessThan(5_000);
    expect(asked).toBeGreaterThan(0);
    const answer = await a.get<Refusal>('/benches/silent/fpga');
    expect([answer.status, answer.body.detail.error]).toEqual([502, 'bench_dead']);
  });

  test('events tell of another bench, the snapshot of all', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    const events: { type: string; bench?: BenchView; benches?: BenchView[] }[] = [];
    a.bench.events.subscribe((event) => void events.push(event as never));
    await know(a, [{ name: 'b', address: b.url }]);
    await expect.poll(() => events.find(({ type }) => type === 'bench')?.bench?.state, OFTEN).toBe('live');
    await b.reserve(0);
    await expect
      .poll(() => events.findLast(({ type }) => type === 'bench')?.bench?.nodes?.[0]?.state, OFTEN)
      .toBe('reserved');
    await know(a, []);
    expect(events.at(-1)).toEqual({ type: 'bench_removed', name: 'b' });
  });

  test('this bench in its own list is not shown a second time', async () => {
    const a = await start();
    await know(a, [{ name: 'me', address: a.url }]);
    await expect.poll(async () => (await a.client().listBenches()).length, OFTEN).toBe(1);
  });

  test('the key of another bench is kept, never shown, and goes to its address alone', async () => {
    const a = await start();
    const seen: (string | undefined)[] = [];
    const other = await listen((request, response) => {
      seen.push(request.headers['x-api-key'] as string);
      response.end('{}');
    });
    const put = (entry: object) => a.put<Refusal>('/settings', { json: { benches: { known: [entry] } } });
    const secret = 'wbk_the-secret-of-hall-b';
    const answer = await put({ name: 'b', address: other, key: secret });
    expect(answer.status).toBe(200);
    expect(JSON.stringify(answer.body)).not.toContain(secret);
    const { body } = await a.get<{ settings: { benches: { known: object[] } } }>('/settings');
    expect(body.settings.benches.known).toEqual([{ name: 'b', address: other, key: '(kept)' }]);
    await expect.poll(() => seen.at(-1), OFTEN).toBe(secret);

    expect((await put({ name: 'b', address: other, key: '(kept)' })).status).toBe(200);
    expect(a.bench.settings.current.benches.known[0]?.key).toBe(secret);
    const moved = await put({ name: 'b', address: 'http://127.0.0.1:9', key: '(kept)' });
    expect(moved.status).toBe(422);
    expect((await put({ name: 'own', address: other })).status).toBe(422);
    expect((await put({ name: 'b', address: 'http://user:pass@host:1' })).status).toBe(422);
    expect((await put({ name: 'b', address: 'http://host:1/path' })).status).toBe(422);
    expect((await put({ name: 'b', address: 'file:///etc' })).status).toBe(422);
    const report = await a.ask('POST', '/report');
    expect(String(report.body)).not.toContain(secret);
    expect(a.log).not.toContain(secret);
  });
});

describe('working on a node of another bench', () => {
  test('every route is handed on: files, streams of events, logs, WebSockets', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    await know(a, [{ name: 'b', address: b.url }]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    const headers = () => ({ 'x-api-key': 'local-name', 'x-bench-key': 'ada' });
    const far = createClient({ base: `${a.url}/benches/b`, headers });
    const job = await far.jobEnded(
      await far.submitDesign({ fpga_id: 2, body: { file: { name: 'design.v', contents: SOURCE } } }),
    );
    expect(job).toMatchObject({ status: 'complete', owner: 'ada' });
    expect((await b.node(2)).session?.owner).toBe('ada');
    expect((await a.node(2)).state).toBe('idle');
    expect(new TextDecoder().decode(await far.getSource(job))).toBe(SOURCE);

    const run = await far.jobEnded(
      await far.runTransaction({ fpga_id: 2, body: { op: 2, address: 0, count: 2 } }),
    );
    expect((await far.getRunResult(run)).data).toHaveLength(2);
    const stream = await openStream(far.options, 2, { WebSocket: WebSocket as never });
    await stream.write(0, [7, 8]);
    expect(await stream.read(0, 2)).toEqual([7, 8]);
    stream.close();

    const events = await fetch(`${a.url}/benches/b/events`, { headers: headers() });
    expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const reader = events.body?.getReader();
    let text = '';
    while (!text.includes('"type":"snapshot"'))
      text += new TextDecoder().decode((await reader?.read())?.value);
    await far.jobEnded(await far.releaseSession({ fpga_id: 2 }));
    while (!text.includes('event: job')) text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
  });

  test('what says who calls this bench goes no further, and nothing but routes of known benches is reached', async () => {
    const a = await start({ operatorToken: 'the operator of a' });
    const seen: http.IncomingMessage[] = [];
    const other = await listen((request, response) => {
      seen.push(request);
      response.setHeader('content-type', 'application/json').setHeader('set-cookie', 'x=1').end('[]');
    });
    await know(a, [{ name: 'b', address: other }]);
    const b = await start();
    await know(a, [
      { name: 'b', address: b.url },
      { name: 'fake', address: other },
    ]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    const get = (path: string, headers = {}) => a.get<Refusal>(path, { headers });
    for (const path of [
      '/benches/b/',
      '/benches/b/index.html',
      '/benches/b/docs',
      '/benches/b/benches',
      '/benches/b/benches/a/fpga',
      '/benches/b//evil.example/fpga',
    ])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    expect((await get('/benches/nobody/fpga')).body.detail.error).toBe('bench_not_known');
    expect((await get('/benches/http:%2f%2f127.0.0.1:1/fpga')).status).toBe(404);
    expect((await get('/benches/b/fpga', { 'x-forwarded-by-bench': '0'.repeat(16) })).status).toBe(404);
    // It is no bench: nothing is handed on to it, but for what it is looked at with.
    expect((await get('/benches/fake/fpga')).status).toBe(502);
    for (const { url, headers } of seen) {
      expect(url).toBe('/benches/own');
      expect(headers['x-operator-token']).toBeUndefined();
    }
  });

  test('a caller of another bench is no operator of one on the same computer', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    await know(a, [{ name: 'b', address: b.url }]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    expect((await b.get('/settings')).status).toBe(200);
    expect((await a.get<Refusal>('/benches/b/settings')).body.detail.error).toBe('operator_only');
    const token = { 'x-operator-token': 'guessed', 'x-bench-key': 'ada', 'x-api-key': 'eve' };
    expect((await a.get('/benches/b/status', { headers: { 'x-bench-key': 'ada' } })).body).toMatchObject({
      caller: { owner: 'ada', operator: false },
    });
    expect((await a.get('/benches/b/status', { headers: token })).status).toBe(401);
  });

  test('a page of another origin reaches no other bench either', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    await know(a, [{ name: 'b', address: b.url }]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    const answer = await a.get<Refusal>('/benches/b/fpga', { headers: { origin: 'http://evil.example' } });
    expect(answer.body.detail.error).toBe('origin_not_allowed');
    expect((await a.get('/benches/b/fpga', { headers: { origin: a.url } })).status).toBe(200);
  });
});

describe('a job for any node of any bench', () => {
  /** Two benches; the first has no idle node. */
  async function full(options: TestBenchOptions = {}): Promise<[TestBench, TestBench]> {
    const [a, b] = await Promise.all([start(), start(options)]);
    for (let node = 0; node < 10; node++) await a.reserve(node);
    await know(a, [{ name: 'b', address: b.url }], { overflow: true });
    await expect.poll(async () => (await viewOf(a, 'b'))?.idle, OFTEN).toBe(10);
    return [a, b];
  }
  const submit = (bench: TestBench, owner: string, source = SOURCE) =>
    bench.post<Accepted>('/submit', { body: form(source), headers: { 'x-api-key': owner } });

  test('goes to a bench of the list that has an idle node, and is followed here', async () => {
    const [a, b] = await full();
    const { status, body } = await submit(a, 'ada', `${SOURCE}// elsewhere`);
    expect(status).toBe(202);
    expect(body).toMatchObject({ fpga_id: null, bench: { name: 'b', address: b.url, state: 'live' } });
    const found = async () => (await a.get<Accepted>(`/jobs/${body.job_id}?wait=5`)).body;
    await expect.poll(async () => (await found()).status, OFTEN).toBe('complete');
    const node = (await found()).bench?.fpga_id ?? -1;
    expect(b.bench.pool.job(node, body.job_id)).toMatchObject({ owner: 'ada', status: 'complete' });
    expect(b.bench.pool.node(node).session?.owner).toBe('ada');
    expect((await b.get(`/fpga/${node}/jobs/${body.job_id}/source`)).body).toBe(`${SOURCE}// elsewhere`);
    const log = await a.get<string>(`/jobs/${body.job_id}/logs`);
    expect([log.status, log.body.length > 0]).toEqual([200, true]);
    expect(a.bench.pool.knows(body.job_id)).toBe(false);
  });

  test('stays here without the setting, with an idle node, and for a bench that was only found', async () => {
    const [a, b] = await full();
    await a.bench.settings.apply({ benches: { overflow: false } });
    const first = await submit(a, 'ada');
    expect(first.body.bench).toBeUndefined();
    expect((await a.delete(`/jobs/${first.body.job_id}`)).status).toBe(204);
    await a.bench.settings.apply({ benches: { overflow: true } });
    const free = await a.client().releaseSession({ fpga_id: 4 });
    await a.client().jobEnded(free);
    expect((await submit(a, 'ada')).body.bench).toBeUndefined();
    expect(b.bench.pool.allJobs({ limit: 10 })).toEqual([]);
  });

  test('is cancelled there from here', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    const { body } = await submit(a, 'ada');
    expect((await a.delete(`/jobs/${body.job_id}`)).status).toBe(204);
    expect(b.bench.pool.findJob(body.job_id).status).toBe('cancelled');
    expect((await a.get<Accepted>(`/jobs/${body.job_id}`)).body.status).toBe('cancelled');
    expect((await a.delete<Refusal>(`/jobs/${body.job_id}`)).body.detail.error).toBe('job_not_cancellable');
  });

  test('says so when its bench dies, and goes on when that is back; a restart here forgets nothing', async () => {
    const [a, b] = await full({ fakeToolchain: { slots: 0 } });
    const { body } = await submit(a, 'ada');
    const port = b.bench.port;
    await b.bench.close();
    const look = async (bench: TestBench) => (await bench.get<Accepted>(`/jobs/${body.job_id}`)).body;
    await expect
      .poll(async () => (await look(a)).bench, OFTEN)
      .toMatchObject({
        state: 'dead',
        problem: { error: 'bench_dead' },
      });
    expect((await look(a)).status).toBe('queued');
    expect((await a.delete<Refusal>(`/jobs/${body.job_id}`)).body.detail.error).toBe('bench_dead');

    await a.bench.close();
    const again = await start({ dataDir: a.folder });
    expect((await look(again)).status).toBe('queued');
    await start({ dataDir: b.folder, port });
    await expect.poll(async () => (await look(again)).status, OFTEN).toBe('complete');
    expect((await look(again)).bench).toMatchObject({ state: 'live', problem: null });
  });

  test('sent twice it is one job', async () => {
    const b = await start();
    const headers = {
      'x-api-key': 'ada',
      'x-forwarded-by-bench': '0'.repeat(16),
      'x-job-id': '11111111-2222-4333-8444-555555555555',
    };
    const send = () => b.post<Accepted>('/submit', { body: form(), headers });
    const answers = await Promise.all([send(), send(), send()]);
    expect(answers.map(({ status, body }) => [status, body.job_id])).toEqual(
      Array(3).fill([202, headers['x-job-id']]),
    );
    await send();
    expect(b.bench.pool.allJobs({ limit: 10 })).toHaveLength(1);
    const stolen = await b.post<Refusal>('/submit', {
      body: form(),
      headers: { ...headers, 'x-api-key': 'eve' },
    });
    expect(stolen.status).toBe(422);
  });

  test('an answer that is lost on the way leads to no second build', async () => {
    const [a, b] = await full();
    // Between the two: it hands the submit on and cuts the line before the answer.
    let cut = 0;
    const between = await listen((request, response) => {
      const { pathname } = new URL(request.url ?? '', b.url);
      const asked = http.request(b.url + request.url, {
        method: request.method ?? 'GET',
        headers: request.headers,
      });
      asked.on('response', (answer) => {
        if (pathname === '/submit') {
          cut++;
          return void request.socket.destroy();
        }
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      request.pipe(asked);
    });
    await know(a, [{ name: 'between', address: between }]);
    await expect.poll(async () => (await viewOf(a, 'between'))?.idle, OFTEN).toBe(10);
    const { status, body } = await submit(a, 'ada');
    expect([status, cut, body.bench?.name]).toEqual([202, 1, 'between']);
    await expect
      .poll(async () => (await a.get<Accepted>(`/jobs/${body.job_id}`)).body.status, OFTEN)
      .toBe('complete');
    expect(b.bench.pool.allJobs({ limit: 10 })).toHaveLength(1);
    expect(a.bench.pool.unplacedJobs({ limit: 10 })).toEqual([]);
  });
});
