import net from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Outgoing } from '../../../../server/api/edge/outgoing.ts';
import { LiveClients } from '../../../../server/api/events/live.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { head } from '../../../support/api/raw-http.ts';
import { SOURCE, TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { runningTime } from '../../../support/running-time.ts';

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

describe('GET /events', () => {
  test('begins with a full snapshot', async () => {
    await bench.reserve(0);
    const client = await EventClient.open(bench.url, { 'last-event-id': 'anything at all' });
    expect(client.status).toBe(200);
    expect(client.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(client.headers.get('cache-control')).toBe('no-store');
    expect(client.headers.get('content-security-policy')).toBeTruthy();
    const snapshot = await client.until('snapshot');
    expect(client.events[0]?.event).toBe('snapshot');
    expect(snapshot.nodes.length).toBe(10);
    expect(snapshot.nodes[0]).toMatchObject({ state: 'reserved', design: { module: 'echo' } });
    expect(snapshot.boards.map(({ slot }) => slot)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(snapshot.jobs.length).toBe(1);
    expect(snapshot.status).toMatchObject({ address: bench.url, store: true, builds: { total: 4 } });
    client.close();
  });

  test('reports a build from submit to reserved, in order, with its log', async () => {
    const client = await EventClient.open(bench.url);
    await client.until('snapshot');
    const { body } = await bench.submit(1, `${SOURCE}// not built before\n`);
    await client.until('node', ({ node }) => node.fpga_id === 1 && node.state === 'reserved');
    await client.until('job', ({ job }) => job.job_id === body.job_id && job.status === 'complete');

    const states = client.events.flatMap(({ data }) =>
      data.type === 'node' && data.node.fpga_id === 1 ? [data.node.state] : [],
    );
    const order = ['queued', 'building', 'programming', 'reserved'];
    expect(states.filter((state, i) => state !== states[i - 1])).toEqual(order);
    const log = client.events.flatMap(({ data }) =>
      data.type === 'log' && data.job_id === body.job_id ? [data] : [],
    );
    expect(log[0]?.offset).toBe(0);
    const whole = await bench.get<string>(`/fpga/1/jobs/${body.job_id}/logs`);
    const told = log.map(({ text }) => text).join('');
    expect(whole.body.startsWith(told)).toBe(true);
    expect(told).toContain('synthesis');
    const ids = client.events.map(({ id }) => Number(id));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    for (const { event, data } of client.events) expect(data.type).toBe(event);
    client.close();
  });

  test('reports boards and clients that connect and disconnect', async () => {
    while (bench.bench.clients().total > 0) await pause();
    const client = await EventClient.open(bench.url);
    /** The latest client count so far. */
    const told = () =>
      client.events
        .map(({ data }) => (data.type === 'status' ? data.status.clients : null))
        .findLast((count) => count !== null);
    while (told() !== 1) await pause();
    const other = await EventClient.open(bench.url);
    while (told() !== 2) await pause();
    bench.boards.unplug(9);
    await client.until('board', ({ board }) => board.slot === 9 && !board.present);
    await client.until('node', ({ node }) => node.fpga_id === 9 && !node.board.present);
    bench.boards.plug(9);
    other.close();
    while (told() !== 1) await pause();
    client.close();
  });

  test('a new connection receives in its snapshot what an earlier client missed', async () => {
    const first = await EventClient.open(bench.url);
    await first.until('snapshot');
    first.close();
    const failed = await bench.submit(2, `${SOURCE}// fail-place`);
    await bench.ended(2, failed.body.job_id);
    const again = await EventClient.open(bench.url, { 'last-event-id': '1' });
    const { jobs } = await again.until('snapshot');
    expect(jobs[0]).toMatchObject({ job_id: failed.body.job_id, status: 'failed' });
    again.close();
  });
});

describe('clients', () => {
  test('one that does not read is dropped, without affecting others or the memory', async () => {
    while (bench.bench.clients().total > 0) await pause();
    const reading = await EventClient.open(bench.url);
    await reading.until('snapshot');
    const { hostname, port } = new URL(bench.url);
    const deaf = net.connect(Number(port), hostname);
    deaf.on('error', () => {});
    deaf.pause();
    deaf.write(head(bench.url, 'GET /events'));
    const dropped = new Promise((resolve) => deaf.once('close', resolve));
    while (bench.bench.clients().total < 2) await pause();

    const heapBefore = process.memoryUsage().rss;
    const text = 'x'.repeat(64 * 1024);
    let sent = 0;
    for (; bench.bench.clients().total > 1 && sent < 4000; sent++) {
      bench.bench.events.publish({
        type: 'log',
        fpga_id: 3,
        job_id: '00000000-0000-4000-8000-000000000000',
        offset: sent * text.length,
        text,
      });
      if (sent % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    // 4 MiB of our own buffer and what the kernel takes; far from the 250 MiB that were tried.
    expect(sent).toBeLessThan(1000);
    expect(process.memoryUsage().rss - heapBefore).toBeLessThan(300 << 20);
    deaf.resume();
    await dropped;
    await reading.until('log', ({ offset }) => offset === (sent - 1) * text.length);
    expect(bench.log).toContain('stopped reading');
    reading.close();
  });

  test('heartbeats when nothing else is sent', async () => {
    const client = await EventClient.open(bench.url);
    const { status } = await client.until('snapshot');
    client.close();
    const clock = new FakeClock(1_000_000);
    const outgoing = new Outgoing({ clock, onDropped() {} });
    const live = new LiveClients({ clock, outgoing, onCount() {}, onDropped() {} });
    const response = Object.assign(new PassThrough(), { writeHead() {} });
    const texts: string[] = [];
    response.on('data', (chunk) => texts.push(String(chunk)));
    live.add(
      response as never,
      {},
      { view: (event) => event, caller: { countedAs: 'somebody', loopback: true } },
      { type: 'snapshot', nodes: [], jobs: [], boards: [], status },
    );
    clock.advance(14_000);
    expect(texts.join('')).not.toContain('event: heartbeat');
    clock.advance(6_000);
    expect(texts.join('')).toContain('data: {"type":"heartbeat","time":"1970-01-01T00:16:55.000Z"}');
    live.close();
  });

  test('no more than 200 streams at once', async () => {
    while (bench.bench.clients().total > 0) await pause();
    const clients = await Promise.all(Array.from({ length: 200 }, () => EventClient.open(bench.url)));
    expect(new Set(clients.map(({ status }) => status))).toEqual(new Set([200]));
    const over = await bench.get<{ detail: { error: string } }>('/events');
    expect([over.status, over.body.detail.error]).toEqual([503, 'too_many_streams']);
    for (const client of clients) client.close();
    await Promise.all(clients.map(({ ended }) => ended));
  });

  test('a shutdown ends the streams', async () => {
    const own = await TestBench.start();
    const client = await EventClient.open(own.url);
    await client.until('snapshot');
    const ranFor = await runningTime();
    await own.stop();
    await client.ended;
    expect(ranFor()).toBeLessThan(4000);
  });
});
