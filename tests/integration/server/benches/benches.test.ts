import type http from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import { createClient } from '../../../../server/contract/client/client.ts';
import { openStream } from '../../../../server/contract/client/stream.ts';
import type { BenchView } from '../../../../server/contract/remote/benches.ts';
import { type Refusal, SOURCE } from '../../../support/api/test-bench.ts';
import { know, listen, OFTEN, start, state, stopAll, viewOf } from '../../../support/benches/several.ts';
import { runningTime } from '../../../support/running-time.ts';

afterEach(stopAll);

describe('connected benches', () => {
  test('shows the nodes of others; a dead bench is marked within 5 s and recovers', async () => {
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

  test('a bench that accepts connections without responding is dead within 5 s and delays nobody', async () => {
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

  test('events report one bench, the snapshot all', async () => {
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
    expect(events.findLast(({ type }) => type.startsWith('bench'))).toEqual({
      type: 'bench_removed',
      name: 'b',
    });
  });

  test('this bench in its own list is not shown twice', async () => {
    const a = await start();
    await know(a, [{ name: 'me', address: a.url }]);
    await expect.poll(async () => (await a.client().listBenches()).length, OFTEN).toBe(1);
  });

  test('the key of another bench is stored, never shown, and sent only to its address', async () => {
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
  test('every route is forwarded: files, event streams, logs, WebSockets', async () => {
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

  test('credentials for this bench are not forwarded, and only known routes are reachable', async () => {
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
    // It is no bench: only the status request reaches it.
    expect((await get('/benches/fake/fpga')).status).toBe(502);
    for (const { url, headers } of seen) {
      expect(url).toBe('/benches/own');
      expect(headers['x-operator-token']).toBeUndefined();
    }
  });

  test('a caller through another bench is no operator, even on the same computer', async () => {
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

  test('a page of another origin cannot reach another bench', async () => {
    const [a, b] = await Promise.all([start(), start()]);
    await know(a, [{ name: 'b', address: b.url }]);
    await expect.poll(state(a, 'b'), OFTEN).toBe('live');
    const answer = await a.get<Refusal>('/benches/b/fpga', { headers: { origin: 'http://evil.example' } });
    expect(answer.body.detail.error).toBe('origin_not_allowed');
    expect((await a.get('/benches/b/fpga', { headers: { origin: a.url } })).status).toBe(200);
  });
});
