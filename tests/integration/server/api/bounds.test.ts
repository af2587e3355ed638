import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { BOUNDS, OpenResponses } from '../../../../server/api/edge/open-responses.ts';
import { Outgoing, PIECE } from '../../../../server/api/edge/outgoing.ts';
import { ApiKeys, KEYS_PER_USER } from '../../../../server/identity/keys.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

const caller = (countedAs: string, loopback = false) => ({ key: null, loopback, countedAs });

describe('long-lived responses', () => {
  test.each(['stream', 'follow', 'wait'] as const)(
    '%s: limits for one caller, for the LAN, in total',
    (kind) => {
      const underway = new OpenResponses(new FakeClock());
      const begin = (who: ReturnType<typeof caller>) =>
        underway.begin(kind, { caller: who, check() {}, end() {} });
      const { perCaller, remote, all } = BOUNDS[kind];
      const first = begin(caller('a'));
      for (let i = 1; i < perCaller; i++) begin(caller('a'));
      expect(() => begin(caller('a'))).toThrow(
        expect.objectContaining({ code: 'too_many_open', status: 429 }),
      );
      first();
      begin(caller('a'));
      for (let i = perCaller; i < remote; i++) begin(caller(`b${i}`));
      expect(() => begin(caller('c'))).toThrow(
        expect.objectContaining({ code: 'too_many_streams', status: 503 }),
      );
      // Whatever the network does, this computer has room.
      for (let i = remote; i < all; i++) begin(caller('this computer', true));
      expect(() => begin(caller('this computer', true))).toThrow(
        expect.objectContaining({ code: 'too_many_streams' }),
      );
    },
  );
});

test('a user has at most a hundred keys', async () => {
  let ids = 0;
  const keys = new ApiKeys({
    document: { read: () => [], async write() {}, writeSoon() {} },
    clock: new FakeClock(),
    newId: () => String(ids++),
    newSecret: () => Buffer.alloc(32, ids),
    lifetimeDays: () => null,
  });
  for (let i = 0; i < KEYS_PER_USER; i++) await keys.mint('alice');
  await expect(keys.mint('alice')).rejects.toMatchObject({ code: 'too_many_keys', status: 429 });
  await keys.mint('bob');
  await keys.revoke('0');
  await keys.mint('alice');
});

describe('bodies in transit', () => {
  const closing: (() => unknown)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0).reverse()) close();
  });

  async function serving(handle: (response: http.ServerResponse) => void) {
    const clock = new FakeClock();
    let dropped = 0;
    const outgoing = new Outgoing({
      clock,
      onDropped: (count) => {
        dropped += count;
      },
    });
    const server = http.createServer({ highWaterMark: PIECE }, (_request, response) => handle(response));
    server.on('connection', (socket) => outgoing.watch(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(
      () => outgoing.close(),
      () => server.closeAllConnections(),
      () => server.close(),
    );
    const connect = () => {
      const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      closing.push(() => socket.destroy());
      return socket;
    };
    return { clock, outgoing, connect, dropped: () => dropped };
  }

  test('a connection that reads nothing for ten seconds is reset, one that reads or waits is not', async () => {
    const responses: http.ServerResponse[] = [];
    const { clock, connect, dropped } = await serving((response) => {
      responses.push(response);
      // More than the system takes for a caller.
      if (responses.length === 1) response.write(Buffer.alloc(32 << 20));
    });
    connect().pause();
    while (responses.length < 1) await new Promise(setImmediate);
    connect();
    while (responses.length < 2) await new Promise(setImmediate);
    // From here on the system takes nothing: what comes later would count as progress.
    const { socket } = responses[0] as http.ServerResponse;
    let taken = -1;
    await expect
      .poll(() => {
        const before = taken;
        taken = (socket?.bytesWritten ?? 0) - (socket?.writableLength ?? 0);
        return taken - before;
      })
      .toBe(0);
    clock.advance(500);
    clock.advance(9_000);
    expect(responses.map(({ destroyed }) => destroyed)).toEqual([false, false]);
    clock.advance(1_500);
    expect(dropped()).toBe(1);
    while (!responses[0]?.destroyed) await new Promise(setImmediate);
    clock.advance(60_000);
    expect(responses[1]?.destroyed).toBe(false);
  });

  test('memory is shared fairly; a waiting response gets it or fails after ten seconds', async () => {
    const responses: http.ServerResponse[] = [];
    const { clock, outgoing, connect } = await serving((response) => responses.push(response));
    for (let i = 0; i < 6; i++) connect();
    while (responses.length < 6) await new Promise(setImmediate);
    const [a, b, c, d, e, f] = responses as [http.ServerResponse, ...http.ServerResponse[]];
    const of = (name: string, loopback = false) => ({ countedAs: name, loopback });
    await outgoing.reserve(a, of('a'), 6 << 20);
    // Over its share it waits, and delays nobody else.
    let admitted = false;
    const second = outgoing.reserve(b as http.ServerResponse, of('a'), 6 << 20).then(() => {
      admitted = true;
    });
    await outgoing.reserve(c as http.ServerResponse, of('c'), 8 << 20);
    await outgoing.reserve(d as http.ServerResponse, of('d'), 8 << 20);
    expect([admitted, outgoing.held]).toEqual([false, 22 << 20]);
    // The network has its 24 MiB; the rest belongs to this computer.
    const refused = outgoing.reserve(e as http.ServerResponse, of('e'), 4 << 20);
    await outgoing.reserve(f as http.ServerResponse, of('this computer', true), 8 << 20);
    a.destroy();
    await second;
    expect(admitted).toBe(true);
    clock.advance(11_000);
    await expect(refused).rejects.toMatchObject({ code: 'too_busy', status: 503 });
  });
});
