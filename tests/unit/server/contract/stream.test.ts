import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { NoWebSocketsError } from '../../../../server/contract/client/failures.ts';
import { type Followed, openStream, openViewer } from '../../../../server/contract/client/stream.ts';
import { fakeFetch, refusedAs } from '../../../support/fake-fetch.ts';
import { FakeSockets } from '../../../support/fake-socket.ts';

let sockets: FakeSockets;
beforeEach(() => {
  sockets = new FakeSockets();
});
afterEach(() => void vi.unstubAllGlobals());

const base = 'https://bench';
const open = (more = {}) => openStream({ base }, 3, { WebSocket: sockets.WebSocket, ...more });

test('credentials go into subprotocols, never into the address', async () => {
  const headers = () => ({ 'X-API-Key': 'jörg+?/', other: 'x' });
  await openStream({ base, headers }, 3, { WebSocket: sockets.WebSocket });
  const { url, protocols } = sockets.last;
  expect(url).toBe('wss://bench/fpga/3/stream');
  expect(protocols).toEqual(['wishbench.v1+json', 'wishbench.key.asO2cmcrPy8']);
});

test('without an address the stream goes where the page came from', async () => {
  vi.stubGlobal('location', { origin: 'http://lab:8000' });
  await openStream({}, 3, { WebSocket: sockets.WebSocket });
  expect(sockets.last.url).toBe('ws://lab:8000/fpga/3/stream');
});

test('the global WebSocket is the default; without one the error says what to pass', async () => {
  vi.stubGlobal('WebSocket', sockets.WebSocket);
  await openStream({ base }, 3);
  expect(sockets.all).toHaveLength(1);
  vi.stubGlobal('WebSocket', undefined);
  await expect(openStream({ base }, 3)).rejects.toThrow('pass one as an option');
});

test('transactions are answered in order, and a bus fault names its code and address', async () => {
  sockets.answer = ({ op, address, count }) =>
    address === 64
      ? { ok: false, error: { code: 'bus_timeout', message: 'No acknowledge.', address } }
      : op === 'read'
        ? { ok: true, data: Array.from({ length: Number(count) }, (_, at) => Number(address) + at) }
        : { ok: true };
  const stream = await open();
  const [written, one, two, fault] = await Promise.allSettled([
    stream.write(8, [1, 2], { fixed: true }),
    stream.read(4),
    stream.read(16, 2, { fixed: true }),
    stream.read(64),
  ]);
  expect([written, one, two]).toEqual([
    { status: 'fulfilled', value: undefined },
    { status: 'fulfilled', value: [4] },
    { status: 'fulfilled', value: [16, 17] },
  ]);
  expect(fault).toMatchObject({ reason: { code: 'bus_timeout', message: 'No acknowledge.', address: 64 } });
  expect(sockets.last.sent.map(({ op, fixed_address }) => [op, fixed_address])).toEqual([
    ['write', true],
    ['read', false],
    ['read', true],
    ['read', false],
  ]);
});

test('the end of a stream fails the waiting transactions with the bench’s reason, and all later ones', async () => {
  sockets.answer = () => null;
  const stream = await open();
  const reading = stream.read(0);
  sockets.last.tell({ type: 'end', error: { code: 'session_ended', message: 'The session has ended.' } });
  sockets.last.end(4000, 'ended');
  await expect(reading).rejects.toMatchObject({ code: 'session_ended' });
  await expect(stream.read(0)).rejects.toMatchObject({ code: 'session_ended' });
  expect(await stream.closed).toMatchObject({ code: 'session_ended', message: 'The session has ended.' });
});

test('a lost stream names the code of its close, or its reason', async () => {
  for (const [reason, message] of [
    ['', 'The stream was closed (1006).'],
    ['The bench stops.', 'The bench stops.'],
  ] as const) {
    const stream = await open();
    sockets.last.end(1006, reason);
    expect(await stream.closed).toMatchObject({ code: 'stream_closed', message });
  }
});

test('nothing is sent on a stream that is closing', async () => {
  const stream = await open();
  sockets.last.readyState = 2;
  await expect(stream.read(0)).rejects.toMatchObject({ code: 'stream_closed' });
  stream.close();
  await expect(stream.write(0, [1])).rejects.toMatchObject({ code: 'stream_closed' });
  expect(sockets.last.sent).toEqual([]);
  expect(await stream.closed).toBeNull();
});

test('a poll reports its changes until it is ended, once', async () => {
  const stream = await open();
  const seen: unknown[] = [];
  const change = (data: number[]) => ({ type: 'change', id: 1, address: 4, data, at: '' });
  const end = await stream.subscribe([{ address: 4 }], 100, ({ data }) => seen.push(data));
  sockets.last.tell(change([1]));
  // Of a later version.
  sockets.last.tell({ type: 'weather' });
  end();
  end();
  sockets.last.tell(change([2]));
  expect(seen).toEqual([[1]]);
  expect(sockets.last.sent).toEqual([
    { id: 1, poll: [{ address: 4 }], every_ms: 100 },
    { id: 1, poll: [] },
  ]);
  sockets.answer = () => ({ ok: false, error: { code: 'too_many_open', message: 'Too many.' } });
  await expect(stream.subscribe([], 100, () => {})).rejects.toMatchObject({ code: 'too_many_open' });
});

test('the last one that follows gets the transactions; the end of an earlier one changes nothing', async () => {
  const stream = await open();
  const [first, second]: Followed[][] = [[], []];
  const endFirst = await stream.follow((message) => first?.push(message));
  const endSecond = await stream.follow((message) => second?.push(message), { after: 7, record: 'r' });
  endFirst();
  const message = { type: 'transactions', transactions: [] } as const;
  sockets.last.tell(message);
  endSecond();
  sockets.last.tell(message);
  expect([first, second]).toEqual([[], [message]]);
  expect(sockets.last.sent).toEqual([
    { follow: 'transactions' },
    { follow: 'transactions', after: 7, record: 'r' },
    { follow: null },
  ]);
});

test('a viewer that returns names where it stopped', async () => {
  const seen: Followed[] = [];
  const options = { WebSocket: sockets.WebSocket, after: 7, record: 'r' };
  const viewer = await openViewer({ base }, 3, (message) => seen.push(message), options);
  const session = { type: 'session', record: 'r', state: 'idle', owner: null, design: null } as const;
  sockets.last.tell(session);
  expect(sockets.last.protocols).toEqual(['wishbench.v1+viewer']);
  expect(sockets.last.sent).toEqual([{ after: 7, record: 'r' }]);
  expect(seen).toEqual([session]);
  viewer.close();
  expect(await viewer.closed).toBeNull();
});

test.each([
  ['the refusal of the service', refusedAs(409, 'fpga_not_reserved', 'Node 3 is idle.'), 'Node 3 is idle.'],
  ['a proxy', refusedAs(426, 'upgrade_required', 'This needs an upgrade.'), 'a proxy on the way'],
  ['a service that is down', new TypeError('fetch failed'), 'No service answers'],
])('a stream that does not open says that the reason is %s', async (_what, answer, message) => {
  sockets.begin = 'fail';
  const { fetch } = fakeFetch({ 'GET /fpga/3/stream': answer, 'GET /fpga/3': answer });
  const options = { WebSocket: sockets.WebSocket };
  await expect(openStream({ base, fetch }, 3, options)).rejects.toThrow(message);
  await expect(openViewer({ base, fetch }, 3, () => {}, options)).rejects.toThrow(message);
});

test('a viewer that may see the node but does not open is blocked by a proxy', async () => {
  sockets.begin = 'fail';
  const { fetch } = fakeFetch({ 'GET /fpga/3': {} });
  const viewer = openViewer({ base, fetch }, 3, () => {}, { WebSocket: sockets.WebSocket });
  await expect(viewer).rejects.toBeInstanceOf(NoWebSocketsError);
});

test('an aborted stream closes, and rejects with the reason if it is not open yet', async () => {
  const control = new AbortController();
  const stream = await open({ signal: control.signal });
  control.abort(new Error('enough'));
  expect(await stream.closed).toBeNull();
  await expect(open({ signal: control.signal })).rejects.toThrow('enough');
  expect(sockets.all).toHaveLength(1);
  const late = new AbortController();
  sockets.begin = 'wait';
  const opening = open({ signal: late.signal });
  await vi.waitFor(() => expect(sockets.all).toHaveLength(2));
  late.abort(new Error('too late'));
  await expect(opening).rejects.toThrow('too late');
});
