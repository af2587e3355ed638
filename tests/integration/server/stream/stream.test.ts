import { afterAll, beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import {
  openStream,
  type SocketConstructor,
  StreamError,
} from '../../../../server/contract/client/stream.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { FAKE_HOLE } from '../../../support/fake-board.ts';
import { BinaryClient } from '../../../support/stream/binary-client.ts';

let bench: TestBench;
beforeAll(async () => {
  bench = await TestBench.start();
});
afterAll(() => bench.stop());

const open = (node: number) =>
  openStream({ base: bench.url }, node, { WebSocket: WebSocket as SocketConstructor });

/** Gives a node back and waits until it is idle. */
async function release(node: number): Promise<void> {
  const client = bench.client();
  await client.jobEnded(await client.releaseSession({ fpga_id: node }));
}

test('binary frames write and read words, alone and in bursts, each answered once and in order', async () => {
  await bench.reserve(0);
  const client = await BinaryClient.open(bench.url, 0);
  expect(await client.write(0, [1, 2, 0xdead_beef])).toEqual({ status: 0, words: [] });
  expect(await client.read(0, 3)).toEqual({ status: 0, words: [1, 2, 0xdead_beef] });
  expect(await client.write(8, [7, 8, 9], true)).toEqual({ status: 0, words: [] });
  expect(await client.read(8, 2)).toEqual({ status: 0, words: [9, 0] });
  const many = await Promise.all(
    Array.from({ length: 10_000 }, (_, i) => (i % 2 === 0 ? client.write(64, [i]) : client.read(64, 1))),
  );
  expect(many.every(({ status }) => status === 0)).toBe(true);
  expect(many.flatMap(({ words }) => words)).toEqual(Array.from({ length: 5000 }, (_, i) => 2 * i));
  client.close();
  await release(0);
});

test('an invalid frame is answered with an error in order, and the stream continues', async () => {
  await bench.reserve(1);
  const client = await BinaryClient.open(bench.url, 1);
  const bad = [
    Buffer.alloc(0),
    Buffer.from('01', 'hex'),
    Buffer.from('0100000100000000', 'hex'),
    Buffer.from('010000000000000000000001', 'hex'),
    Buffer.from('0500000000000000', 'hex'),
    Buffer.from('01ffffff00000000', 'hex'),
    Buffer.from('020000010000000000ffffff', 'hex'),
    Buffer.from('020000010000000000000000', 'hex'),
    Buffer.from('020000010000000200000001', 'hex'),
    Buffer.from('01000001f000000000000001', 'hex'),
  ];
  const answers = await Promise.all(bad.map((frame) => client.send(frame)));
  expect(answers).toEqual(bad.map(() => ({ status: 1, words: [] })));
  expect(await client.read(FAKE_HOLE, 1)).toEqual({ status: 1, words: [] });
  expect(await client.read(0, 1)).toEqual({ status: 0, words: [0] });
  client.close();
  await release(1);
});

test('text on a stream of binary frames closes it', async () => {
  await bench.reserve(2);
  const client = await BinaryClient.open(bench.url, 2);
  client.socket.send('hello');
  expect((await client.closed).code).toBe(1003);
  await release(2);
});

test('the contract’s client reads, writes, and reports failures by code', async () => {
  await bench.reserve(3);
  const stream = await open(3);
  await stream.write(0, [5, 6]);
  expect(await stream.read(0, 2)).toEqual([5, 6]);
  const fault = await stream.read(FAKE_HOLE).catch((error: unknown) => error);
  expect(fault).toBeInstanceOf(StreamError);
  expect(fault).toMatchObject({ code: 'bus_timeout', address: FAKE_HOLE });
  await expect(stream.write(0xf000_0000, [1])).rejects.toMatchObject({ code: 'address_reserved' });
  await expect(stream.read(2)).rejects.toMatchObject({ code: 'frame_invalid' });
  stream.close();
  expect(await stream.closed).toBeNull();
  await release(3);
});

test('a subscription reports the current value and then only changes', async () => {
  await bench.reserve(4);
  const stream = await open(4);
  const seen: number[][] = [];
  const end = await stream.subscribe([{ address: 16 }], 20, ({ data }) => seen.push(data ?? []));
  await expect.poll(() => seen).toEqual([[0]]);
  await stream.write(16, [3]);
  await expect.poll(() => seen).toEqual([[0], [3]]);
  end();
  const later: number[][] = [];
  await stream.subscribe([{ address: 16 }], 20, ({ data }) => later.push(data ?? []));
  await stream.write(16, [4]);
  await expect.poll(() => later.at(-1)).toEqual([4]);
  expect(seen).toEqual([[0], [3]]);
  stream.close();
  await release(4);
});

test('viewers of one place share its polls', async () => {
  await bench.reserve(5);
  const board = bench.boards.board(5);
  const streams = await Promise.all(Array.from({ length: 20 }, () => open(5)));
  const seen = new Map<number, number>();
  for (const [i, stream] of streams.entries())
    await stream.subscribe([{ address: 32 }], 50, ({ data }) => seen.set(i, data?.[0] ?? -1));
  await expect.poll(() => seen.size).toBe(20);
  const [before, began] = [board.reads, performance.now()];
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(board.reads - before).toBeLessThanOrEqual((performance.now() - began) / 50 + 2);
  await streams[0]?.write(32, [9]);
  await expect.poll(() => [...seen.values()].every((word) => word === 9)).toBe(true);
  for (const stream of streams) stream.close();
  await release(5);
});

test('a stream ends with its session, and states the reason', async () => {
  await bench.reserve(6);
  const stream = await open(6);
  const binary = await BinaryClient.open(bench.url, 6);
  const client = bench.client();
  const job = await client.releaseSession({ fpga_id: 6 });
  expect(await stream.closed).toMatchObject({ code: 'session_ended' });
  expect((await binary.closed).code).toBe(4409);
  await client.jobEnded(job);
  await expect(open(6)).rejects.toMatchObject({ code: 'fpga_not_reserved', status: 409 });
});

test('a release amid a burst ends the stream and the node becomes idle', async () => {
  await bench.reserve(7);
  const board = bench.boards.board(7);
  const stream = await open(7);
  board.faults = { transferMs: 60_000 };
  const before = board.reads;
  const burst = stream.read(0, 4096).catch((error: unknown) => error);
  await expect.poll(() => board.reads).toBe(before + 1);
  board.faults = {};
  const client = bench.client();
  const job = await client.releaseSession({ fpga_id: 7 });
  expect(await burst).toMatchObject({ code: 'session_ended' });
  expect((await client.jobEnded(job)).status).toBe('complete');
  expect((await bench.node(7)).state).toBe('idle');
});

test('runs proceed while a stream is busy, and everything is recorded', async () => {
  await bench.reserve(8);
  bench.boards.board(8).faults = { transferMs: 1 };
  const stream = await open(8);
  let going = true;
  const busy = (async () => {
    while (going) await Promise.all(Array.from({ length: 32 }, () => stream.read(0)));
  })();
  for (let i = 0; i < 5; i++) {
    // The stream does not end before: a run that had to wait for it would never end.
    await bench.run(8, { op: 1, address: 0, data: [i] });
  }
  going = false;
  await busy;
  const { transactions } = await bench.client().listTransactions({ fpga_id: 8, limit: 10_000 });
  expect(transactions.filter(({ via }) => via === 'run')).toHaveLength(5);
  expect(transactions.filter(({ via }) => via === 'stream').length).toBeGreaterThan(30);
  expect(transactions[0]?.seq).toBe(transactions.length);
  stream.close();
  await release(8);
});

test('the unacknowledged word of a burst is identified in the response, the record and the job', async () => {
  await bench.reserve(9);
  const stream = await open(9);
  const past = FAKE_HOLE - 8;
  const fault = await stream.read(past, 4).catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: 'bus_timeout', address: FAKE_HOLE });
  const job_id = await bench.run(9, { op: 1, address: past, data: [1, 2, 3] });
  expect(await bench.client().getJobDetails({ fpga_id: 9, job_id })).toMatchObject({
    ok: false,
    fault: { code: 'bus_timeout', address: FAKE_HOLE },
  });
  await stream.read(0);
  const { transactions } = await bench.client().listTransactions({ fpga_id: 9 });
  expect(transactions.map(({ via, error, error_address }) => ({ via, error, error_address }))).toEqual([
    { via: 'stream', error: null, error_address: null },
    { via: 'run', error: 'bus_timeout', error_address: FAKE_HOLE },
    { via: 'stream', error: 'bus_timeout', error_address: FAKE_HOLE },
  ]);
  stream.close();
  await release(9);
});

test('an upgrade to another protocol is ignored', async () => {
  const { request } = await import('node:http');
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(
      `${bench.url}/fpga/9/run`,
      {
        method: 'POST',
        headers: {
          upgrade: 'h2c',
          connection: 'Upgrade, HTTP2-Settings',
          'content-type': 'application/json',
        },
      },
      (response) => resolve(response.statusCode),
    );
    asked.on('error', reject);
    asked.end(JSON.stringify({ op: 2, address: 0 }));
  });
  expect(status).toBe(409);
});
