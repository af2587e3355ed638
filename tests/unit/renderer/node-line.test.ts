import { afterEach, expect, test, vi } from 'vitest';
import { NodeLine } from '../../../renderer/src/state/nodes/node-line.ts';
import {
  beginRecord,
  runTransaction,
  takeRecord,
  transactions,
} from '../../../renderer/src/state/registers/transactions.ts';
import type { Transaction as Recorded, StreamRequest } from '../../../server/contract/stream/stream.ts';
import { FakeService, fakeBench, refusal } from '../../support/renderer/fake-service.ts';

/** A WebSocket whose other end is the test. */
class FakeSocket {
  static readonly made: FakeSocket[] = [];
  static refuses = false;
  readonly sent: StreamRequest[] = [];
  onopen: ((event: never) => unknown) | null = null;
  onmessage: ((event: never) => unknown) | null = null;
  onclose: ((event: never) => unknown) | null = null;
  onerror: ((event: never) => unknown) | null = null;

  constructor() {
    FakeSocket.made.push(this);
    // A real one never opens before it has its listeners.
    setTimeout(() => (FakeSocket.refuses ? this.onerror : this.onopen)?.({} as never));
  }
  send(text: string): void {
    const request = JSON.parse(text) as StreamRequest;
    this.sent.push(request);
    const data = 'op' in request && request.op === 'read' ? { data: [7] } : {};
    setTimeout(() => this.tell({ type: 'answer', ok: true, ms: 0.1, ...data }));
  }
  tell(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) } as never);
  }
  close(): void {
    this.onclose?.({ code: 1000, reason: '' } as never);
  }
}

afterEach(() => {
  FakeSocket.made.length = 0;
  FakeSocket.refuses = false;
});

const lineOf = (service = new FakeService(), now = () => 0) =>
  new NodeLine({
    service: fakeBench(service).client.service,
    node: 0,
    WebSocket: FakeSocket as never,
    now,
  });

test('all users in a window share one socket, and the next user reopens a lost one', async () => {
  const line = lineOf();
  const [a, b] = await Promise.all([line.stream(), line.stream()]);
  expect(a).toBe(b);
  expect(FakeSocket.made).toHaveLength(1);
  expect(line.way.getState()).toEqual({ kind: 'stream' });
  FakeSocket.made[0]?.close();
  await vi.waitFor(() => expect(line.way.getState()).toEqual({ kind: 'none' }));
  expect(await a?.read(0).catch(({ code }) => code)).toBe('stream_closed');
  expect(await (await line.stream())?.read(0)).toEqual([7]);
  expect(FakeSocket.made).toHaveLength(2);
});

test('neighbouring addresses are polled in bursts of the record’s maximum length', async () => {
  const line = lineOf();
  const changes: unknown[] = [];
  const polls = await line.poll([0, 4, 8, 12, 16, 20, 24, 28, 32, 64], 50, (change) => changes.push(change));
  const [asked] = FakeSocket.made[0]?.sent ?? [];
  expect(asked).toMatchObject({
    poll: [
      { address: 0, count: 8 },
      { address: 32, count: 1 },
      { address: 64, count: 1 },
    ],
    every_ms: 50,
  });
  FakeSocket.made[0]?.tell({
    type: 'change',
    id: asked?.id,
    address: 64,
    data: [9],
    at: '1970-01-01T00:00:00.000Z',
  });
  expect(changes).toEqual([{ address: 64, words: [9], failure: undefined, at: 0 }]);
  polls?.end();
  expect(FakeSocket.made[0]?.sent.at(-1)).toMatchObject({ poll: [] });
});

test('with sockets refused, transactions become runs for a while, with an explanation', async () => {
  let now = 0;
  const service = new FakeService().on('GET /fpga/0/stream', refusal(426, 'upgrade_required', 'No.'));
  const line = lineOf(service, () => now);
  FakeSocket.refuses = true;
  expect(await line.stream()).toBeNull();
  const way = line.way.getState();
  expect(way.kind === 'runs' && way.reason).toMatch(/a proxy on the way blocks WebSockets/);
  expect(await line.stream()).toBeNull();
  expect(FakeSocket.made).toHaveLength(1);
  [now, FakeSocket.refuses] = [30_000, false];
  expect(await line.stream()).not.toBeNull();
});

test('a refusal by the service rejects the stream', async () => {
  const service = new FakeService().on(
    'GET /fpga/0/stream',
    refusal(409, 'fpga_not_reserved', 'Node 0 is idle.'),
  );
  FakeSocket.refuses = true;
  await expect(lineOf(service).stream()).rejects.toThrow('Node 0 is idle.');
});

const recorded = (seq: number, change: Partial<Recorded> = {}): Recorded => ({
  ...{ seq, at: new Date(seq).toISOString(), owner: 'ci', via: 'stream', op: 'read', address: 0, count: 1 },
  ...{
    fixed_address: false,
    ok: true,
    error: null,
    data: [7],
    polled: false,
    ms: 0.1,
    job_id: null,
    error_address: null,
  },
  ...change,
});

test('this window’s transactions are matched in the record, and others are inserted once, in order', async () => {
  const { client } = fakeBench(undefined, { WebSocket: FakeSocket as never });
  await runTransaction(client, 9, { op: 2, address: 0, count: 1 });
  beginRecord(client, 9, 'a');
  takeRecord(9, [
    recorded(1, { address: 8 }),
    recorded(2),
    recorded(3, { data: [1] }),
    recorded(4, { polled: true }),
  ]);
  takeRecord(9, [recorded(2), recorded(3, { data: [1] })]);
  await vi.waitFor(() => expect(transactions.getState().byNode[9]).toHaveLength(3));
  const list = transactions.getState().byNode[9] ?? [];
  expect(list.map(({ seq, owner }) => [seq, owner])).toEqual([
    [1, 'ci'],
    [3, 'ci'],
    [2, undefined],
  ]);
});
