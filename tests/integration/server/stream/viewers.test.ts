import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { checkOf } from '../../../../server/contract/check.ts';
import { openStream, openViewer, type SocketConstructor } from '../../../../server/contract/client/stream.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { type Transaction, ViewerMessage } from '../../../../server/contract/stream/stream.ts';
import { TransactionRecord } from '../../../../server/stream/record.ts';
import { NodeViewers } from '../../../../server/stream/viewers.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const opened: { close(): void }[] = [];
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

const isViewerMessage = checkOf(ViewerMessage);
const options = { WebSocket: WebSocket as SocketConstructor };

/** A viewer that collects its messages; the contract has every message. */
async function watching(node: number, from: { after?: number; record?: string } = {}, of = bench) {
  const messages: Exclude<ViewerMessage, { type: 'end' }>[] = [];
  const viewer = await openViewer(
    { base: of.url },
    node,
    (message) => {
      expect(isViewerMessage(message)).toBe(true);
      messages.push(message);
    },
    { ...options, ...from },
  );
  opened.push(viewer);
  return {
    viewer,
    messages,
    /** All transactions so far. */
    get seen(): Transaction[] {
      return messages.flatMap((one) => (one.type === 'transactions' ? one.transactions : []));
    },
    get sessions() {
      return messages.filter((one) => one.type === 'session');
    },
    get skipped(): number {
      return messages.reduce((sum, one) => sum + (one.type === 'transactions' ? (one.skipped ?? 0) : 0), 0);
    },
  };
}

const stream = async (node: number) => {
  const one = await openStream({ base: bench.url }, node, options);
  opened.push(one);
  return one;
};

test('a viewer sees all transactions in order, including runs, without accessing the board', async () => {
  await bench.reserve(0);
  const one = await stream(0);
  await one.write(0, [1, 2]);
  const viewers = await Promise.all([watching(0), watching(0), watching(0)]);
  await expect.poll(() => viewers.every(({ seen }) => seen.length === 1)).toBe(true);
  const reads = bench.boards.board(0).reads;
  await one.read(0, 2);
  await bench.run(0, { op: 1, address: 8, data: [7, 8, 9] });
  await bench.run(0, { op: 2, address: 8, count: 3 });
  await bench.run(0, { op: 2, address: 0, count: 100 });
  for (const viewer of viewers) {
    await expect.poll(() => viewer.seen.length).toBe(5);
    expect(viewer.seen.map(({ seq, via, op, data }) => [seq, via, op, data])).toEqual([
      [1, 'stream', 'write', [1, 2]],
      [2, 'stream', 'read', [1, 2]],
      [3, 'run', 'write', [7, 8, 9]],
      [4, 'run', 'read', [7, 8, 9]],
      [5, 'run', 'read', [1, 2, 7, 8, 9, 0, 0, 0]],
    ]);
    expect(viewer.sessions[0]).toMatchObject({ state: 'reserved', owner: 'anonymous', design: 'design.v' });
  }
  expect(bench.boards.board(0).reads - reads).toBe(3);
  const page = await bench.client().listTransactions({ fpga_id: 0 });
  expect(page.transactions.reverse()).toEqual(viewers[0]?.seen);
});

test('viewers may connect in any node state and stay across sessions', async () => {
  const viewer = await watching(1);
  await expect.poll(() => viewer.messages.length).toBe(2);
  expect(viewer.messages).toEqual([
    { type: 'session', record: expect.any(String), state: 'idle', owner: null, design: null },
    { type: 'transactions', transactions: [] },
  ]);
  const client = bench.client();
  for (const round of [1, 2]) {
    await bench.reserve(1);
    await bench.run(1, { op: 1, address: 0, data: [round] });
    await client.jobEnded(await client.releaseSession({ fpga_id: 1 }));
  }
  await expect.poll(() => viewer.seen.length).toBe(2);
  expect(viewer.seen.map(({ seq, data }) => [seq, data])).toEqual([
    [1, [1]],
    [1, [2]],
  ]);
  // The session's event comes before its transactions, with a record id of its own.
  const at = viewer.messages.findLastIndex(
    (one) => one.type === 'transactions' && one.transactions.length > 0,
  );
  const session = viewer.messages.slice(0, at).findLast((one) => one.type === 'session');
  const [first, last] = [viewer.sessions[0], viewer.sessions.at(-1)];
  expect(session).toMatchObject({ state: 'reserved', owner: 'anonymous', record: last?.record });
  expect(first?.record).not.toBe(last?.record);
});

test('a returning viewer resumes after its last transaction, unless the record has changed', async () => {
  await bench.reserve(2);
  const one = await stream(2);
  for (let i = 0; i < 300; i++) await one.write(0, [i]);
  const fresh = await watching(2);
  await expect.poll(() => fresh.seen.length).toBe(200);
  expect(fresh.seen[0]?.seq).toBe(101);
  const record = fresh.sessions[0]?.record ?? '';
  const back = await watching(2, { after: 290, record });
  await expect.poll(() => back.seen.length).toBe(10);
  expect(back.skipped).toBe(0);
  const other = await watching(2, { after: 290, record: 'of a session before' });
  await expect.poll(() => other.seen.length).toBe(200);
  await one.write(0, [300]);
  for (const viewer of [fresh, back, other]) await expect.poll(() => viewer.seen.at(-1)?.seq).toBe(301);
});

test('a viewer that sends anything else is disconnected, and the node receives nothing', async () => {
  await bench.reserve(3);
  const reads = bench.boards.board(3).reads;
  for (const text of [
    '{"id": 1, "op": "read", "address": 0}',
    'hello',
    '{"after": -1}',
    Buffer.from('02', 'hex'),
  ]) {
    const socket = new WebSocket(`${bench.url.replace('http', 'ws')}/fpga/3/stream`, 'wishbench.v1+viewer');
    const closed = new Promise<number>((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('open', resolve));
    socket.send(text);
    expect(await closed).toBe(1003);
  }
  expect(bench.boards.board(3).reads).toBe(reads);
  expect((await bench.client().listTransactions({ fpga_id: 3 })).transactions).toEqual([]);
});

test('a poll with an unchanged result is counted, not listed', async () => {
  await bench.reserve(4);
  const one = await stream(4);
  const viewer = await watching(4);
  const seen: unknown[] = [];
  await one.subscribe([{ address: 16 }], 20, ({ data }) => seen.push(data));
  await expect.poll(() => seen.length).toBe(1);
  await one.write(16, [5]);
  await expect.poll(() => seen.length).toBe(2);
  const page = () => bench.client().listTransactions({ fpga_id: 4 });
  await expect.poll(async () => (await page()).polls).toBeGreaterThan(10);
  const { transactions } = await page();
  expect(transactions.map(({ op, polled, data }) => [op, polled, data])).toEqual([
    ['read', true, [5]],
    ['write', false, [5]],
    ['read', true, [0]],
  ]);
  await expect.poll(() => viewer.seen.length).toBe(3);
  expect(viewer.seen).toEqual(transactions.reverse());
  const none = bench.bench.pool.jobs({ fpgaId: 4 }).filter(({ type }) => type === 'run');
  expect(none).toEqual([]);
});

test('a constantly changing poll displaces no other transactions', async () => {
  const record = new TransactionRecord({ fpgaId: 0, newId: () => 'record', onAdded: () => {} });
  const request = { op: 'write' as const, address: 4, count: 1, data: Uint32Array.of(1), fixed: false };
  const done = { ok: true as const, data: new Uint32Array(0), ms: 1 };
  record.add('2026-01-01T00:00:00.000Z', 'lab-1', 'stream', request, done);
  for (let i = 0; i < 50_000; i++)
    record.addPoll(
      'x',
      'lab-1',
      { address: 0, count: 1 },
      { ok: true, data: Uint32Array.of(i), ms: 0 },
      true,
    );
  record.add('2026-01-01T00:00:01.000Z', 'lab-1', 'stream', request, done);
  const page = record.page(10_000);
  expect(page.transactions).toHaveLength(2002);
  expect(page.transactions.at(-1)).toMatchObject({ seq: 1, op: 'write', polled: false });
  expect(page.transactions[0]).toMatchObject({ seq: 50_002, op: 'write' });
  expect(page).toMatchObject({ polls: 50_000, dropped: 48_000 });
  expect(record.kept).toBe(2);
  const seqs = page.transactions.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => b - a));
});

test('the holder’s own stream follows until it unsubscribes', async () => {
  await bench.reserve(5);
  const one = await stream(5);
  const seen: Transaction[] = [];
  const end = await one.follow((message) => {
    if (message.type === 'transactions') seen.push(...message.transactions);
  });
  await one.write(0, [1]);
  await bench.run(5, { op: 2, address: 0 });
  await expect.poll(() => seen.map(({ via }) => via)).toEqual(['stream', 'run']);
  end();
  await one.write(0, [2]);
  expect(await one.read(0)).toEqual([2]);
  const other = await watching(5);
  await expect.poll(() => other.seen.length).toBe(4);
  expect(seen).toHaveLength(2);
});

test('during a burst viewers get the newest transactions and the number skipped', async () => {
  await bench.reserve(6);
  const viewer = await watching(6);
  await expect.poll(() => viewer.messages.length).toBe(2);
  const client = await BinaryClient.open(bench.url, 6);
  opened.push(client);
  await Promise.all(Array.from({ length: 20_000 }, (_, i) => client.write(0, [i])));
  await expect.poll(() => viewer.seen.at(-1)?.seq).toBe(20_000);
  expect(viewer.seen.length + viewer.skipped).toBe(20_000);
  for (const one of viewer.messages)
    if (one.type === 'transactions') expect(one.transactions.length).toBeLessThanOrEqual(500);
  const seqs = viewer.seen.map(({ seq }) => seq);
  expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
});

test('a viewer that does not read skips transactions and receives their count, without affecting others', async () => {
  const clock = new FakeClock();
  const node: NodeView = (await bench.get<NodeView>('/fpga/7/details')).body;
  const record = new TransactionRecord({
    fpgaId: 7,
    newId: () => 'record',
    onAdded: (one) => viewers.tell(one),
  });
  const viewers = new NodeViewers(clock, record);
  const sinkOf = () => {
    const texts: Buffer[] = [];
    const sink = {
      bytes: 0,
      unread: () => sink.bytes,
      send: (text: Buffer) => texts.push(text),
      end: () => {},
    };
    const all = () => texts.map((text) => JSON.parse(text.toString()) as ViewerMessage);
    return { sink, texts, all };
  };
  const [slow, quick] = [sinkOf(), sinkOf()];
  viewers.add(slow.sink, node, {});
  viewers.add(quick.sink, node, {});
  const act = (count: number) => {
    for (let i = 0; i < count; i++) {
      const request = { op: 'write' as const, address: 0, count: 1, data: Uint32Array.of(i), fixed: false };
      record.add('x', 'lab-1', 'stream', request, { ok: true, data: new Uint32Array(0), ms: 1 });
    }
    clock.advance(50);
  };
  act(3);
  slow.sink.bytes = 300_000;
  act(100);
  act(700);
  expect(slow.all()).toHaveLength(3);
  slow.sink.bytes = 0;
  act(2);
  const counts = ({ all }: typeof slow) =>
    all()
      .slice(2)
      .map((one) => (one.type === 'transactions' ? [one.transactions.length, one.skipped ?? 0] : one.type));
  expect(counts(slow)).toEqual([
    [3, 0],
    [0, 800],
    [2, 0],
  ]);
  expect(counts(quick)).toEqual([
    [3, 0],
    [100, 0],
    [500, 200],
    [2, 0],
  ]);
  // A message for both is serialised once.
  expect(slow.texts.at(-1)).toBe(quick.texts.at(-1));
});

test('two hundred viewers receive fewer transactions each', async () => {
  const clock = new FakeClock();
  const node: NodeView = (await bench.get<NodeView>('/fpga/7/details')).body;
  const record = new TransactionRecord({
    fpgaId: 7,
    newId: () => 'record',
    onAdded: (one) => viewers.tell(one),
  });
  const viewers = new NodeViewers(clock, record);
  let last: ViewerMessage | undefined;
  for (let i = 0; i < 200; i++)
    viewers.add(
      {
        unread: () => 0,
        send: (text) => {
          last = JSON.parse(text.toString()) as ViewerMessage;
        },
        end: () => {},
      },
      node,
      {},
    );
  for (let i = 0; i < 250; i++)
    record.addPoll(
      'x',
      'lab-1',
      { address: 0, count: 1 },
      { ok: true, data: Uint32Array.of(i), ms: 0 },
      true,
    );
  clock.advance(50);
  expect(last).toMatchObject({ type: 'transactions', skipped: 200 });
  expect(last?.type === 'transactions' && last.transactions.map(({ seq }) => seq)).toEqual(
    Array.from({ length: 50 }, (_, i) => 201 + i),
  );
});

test('a shutdown is reported to viewers', async () => {
  const own = await TestBench.start();
  const { viewer, messages } = await watching(0, {}, own);
  await expect.poll(() => messages.length).toBe(2);
  await own.stop();
  expect(await viewer.closed).toMatchObject({ code: 'service_stopping' });
});
