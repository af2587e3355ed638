import dgram from 'node:dgram';
import fc from 'fast-check';
import multicastDns from 'multicast-dns';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { areBenchNames } from '../../../../server/benches/bench-names.ts';
import { Benches } from '../../../../server/benches/benches.ts';
import { type DiscoveredBench, Discovery, parseAnnouncements } from '../../../../server/benches/discovery.ts';
import type { MulticastOptions } from '../../../../server/benches/multicast.ts';
import { systemClock } from '../../../../server/clock.ts';
import { EventHub } from '../../../../server/events/events.ts';
import { createLogger } from '../../../../server/log.ts';
import { openStore } from '../../../../server/store/index.ts';
import { TestBench } from '../../../support/api/test-bench.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const OFTEN = { interval: 50 };
const SERVICE = '_wishbench._tcp.local';
const logger = createLogger('silent');

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A free port: the system itself may use multicast DNS. */
async function freePort(): Promise<number> {
  const socket = dgram.createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

/** A bench that is ended with its test. */
async function start(multicast: MulticastOptions): Promise<TestBench> {
  const bench = await TestBench.start({ multicast });
  ends.push(() => bench.stop());
  return bench;
}

/** Real UDP multicast over the loopback interface. */
const onLoopback = async () => ({ port: await freePort(), interface: '127.0.0.1' });

const own = (id: string, port = 8000) => ({
  id: id.repeat(16),
  title: `hall ${id}`,
  port,
  fingerprint: null,
});

describe('benches find each other over UDP multicast', () => {
  function discover(
    id: string,
    multicast: { port: number; interface: string },
    port = 8000,
    { lives = (_id: string): boolean => true, fingerprint = null as string | null, log = logger } = {},
  ) {
    let heard: readonly DiscoveredBench[] = [];
    const told: string[][] = [];
    const onChange = (now: readonly DiscoveredBench[]) => {
      heard = now;
      told.push(now.map(({ title }) => title));
    };
    const discovery = new Discovery({
      own: { ...own(id, port), fingerprint },
      clock: systemClock,
      logger: log,
      onChange,
      lives,
      multicast,
    });
    let closed = false;
    const close = async () => {
      if (!closed) await discovery.close();
      closed = true;
    };
    ends.push(close);
    return { discovery, told, close, ids: () => heard.map((one) => one.id[0]).sort(), heard: () => heard };
  }

  test('three benches discover each other and not themselves; a closed one disappears at once', async () => {
    const multicast = await onLoopback();
    const [a, b, c] = [discover('a', multicast), discover('b', multicast, 8001), discover('c', multicast)];
    await expect.poll(a.ids, OFTEN).toEqual(['b', 'c']);
    await expect.poll(b.ids, OFTEN).toEqual(['a', 'c']);
    await expect.poll(c.ids, OFTEN).toEqual(['a', 'b']);
    expect(a.heard().find(({ id }) => id[0] === 'b')).toEqual({ ...own('b', 8001), address: '127.0.0.1' });
    await b.close();
    await expect.poll(a.ids, OFTEN).toEqual(['c']);
  });

  test('a thousand announcements add at most 32 benches, and known benches remain', async () => {
    const multicast = await onLoopback();
    const a = discover('a', multicast);
    discover('b', multicast);
    await expect.poll(a.ids, OFTEN).toEqual(['b']);
    const hostile = multicastDns({ ...multicast, bind: '0.0.0.0' });
    ends.push(() => new Promise<void>((resolve) => hostile.destroy(() => resolve())));
    await new Promise<void>((resolve) => hostile.once('ready', () => resolve()));
    for (let i = 0; i < 1000; i++) {
      const name = `${i.toString(16).padStart(16, '0')}.${SERVICE}`;
      await new Promise<void>((resolve) =>
        hostile.respond(
          {
            answers: [
              { name: SERVICE, type: 'PTR', ttl: 120, data: name },
              { name, type: 'SRV', ttl: 120, data: { port: 1 + i, target: '10.0.0.1' } },
            ],
          },
          () => resolve(),
        ),
      );
    }
    await expect.poll(() => a.heard().length, OFTEN).toBe(32);
    expect(a.ids()).toContain('b');
    // Nobody can announce another’s address: the address is the packet’s sender.
    expect(new Set(a.heard().map(({ address }) => address))).toEqual(new Set(['127.0.0.1']));
  });

  // Other systems have only one loopback address.
  const onLinux = test.runIf(process.platform === 'linux');

  onLinux('a bench that has another address now is taken there once it is dead where it was', async () => {
    const multicast = await onLoopback();
    let alive = true;
    const a = discover('a', multicast, 8000, { lives: () => alive });
    const addresses = () => a.heard().map(({ address }) => address);
    discover('b', multicast);
    await expect.poll(addresses, OFTEN).toEqual(['127.0.0.1']);
    const moved = { ...multicast, interface: '127.0.0.2' };
    discover('b', moved, 8001);
    // While it answers, no announcement can take its name.
    const witness = discover('c', multicast);
    await expect.poll(witness.ids, OFTEN).toContain('b');
    await expect.poll(a.ids, OFTEN).toEqual(['b', 'c']);
    expect(addresses()).not.toContain('127.0.0.2');
    alive = false;
    a.discovery.ask();
    await expect.poll(addresses, OFTEN).toContain('127.0.0.2');
  });

  onLinux('nobody without its certificate takes the name of a bench that has one', async () => {
    const multicast = await onLoopback();
    const a = discover('a', multicast, 8000, { lives: () => false });
    const b = discover('b', multicast, 8000, { fingerprint: 'AB'.repeat(32) });
    await expect.poll(a.ids, OFTEN).toEqual(['b']);
    const elsewhere = { ...multicast, interface: '127.0.0.2' };
    discover('b', elsewhere, 8001);
    discover('b', elsewhere, 8002, { fingerprint: 'CD'.repeat(32) });
    discover('c', elsewhere);
    await expect.poll(a.ids, OFTEN).toEqual(['b', 'c']);
    expect(a.heard()[0]).toMatchObject({ address: '127.0.0.1', port: 8000, fingerprint: 'AB'.repeat(32) });
    await b.close();
    // It has said goodbye: the next owner of the name is a new bench.
    a.discovery.ask();
    await expect.poll(() => a.heard().find(({ id }) => id[0] === 'b')?.address, OFTEN).toBe('127.0.0.2');
  });

  onLinux('another computer that says it is this bench is told to the operator, once', async () => {
    const multicast = await onLoopback();
    const said: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void said.push(line) });
    const a = discover('a', multicast, 8000, { log });
    const double = discover('a', { ...multicast, interface: '127.0.0.2' }, 8001);
    const b = discover('b', multicast);
    await expect.poll(a.ids, OFTEN).toEqual(['b']);
    await expect.poll(() => said.length, OFTEN).toBe(1);
    double.discovery.ask();
    double.discovery.announce(own('a', 8002));
    // Of the two announcements, what is seen last came last.
    b.discovery.announce(own('b', 8003));
    await expect.poll(() => a.heard()[0]?.port, OFTEN).toBe(8003);
    expect(said).toHaveLength(1);
    expect(JSON.parse(said[0] ?? '')).toMatchObject({
      address: '127.0.0.2',
      msg: expect.stringMatching(/copy of this one; remove bench-id\.json there/),
    });
    expect(a.ids()).toEqual(['b']);
  });

  test('a bench that changes its announcement updates without disappearing', async () => {
    const multicast = await onLoopback();
    const a = discover('a', multicast);
    const b = discover('b', multicast);
    await expect.poll(a.ids, OFTEN).toEqual(['b']);
    b.discovery.announce({ ...own('b', 9000), title: 'new', fingerprint: 'AB'.repeat(32) });
    await expect
      .poll(a.heard, OFTEN)
      .toEqual([{ ...own('b', 9000), title: 'new', fingerprint: 'AB'.repeat(32), address: '127.0.0.1' }]);
    expect(a.told).toEqual([['hall b'], ['new']]);
  });

  test('invalid packets and arbitrary records do no harm', async () => {
    const multicast = await onLoopback();
    const a = discover('a', multicast);
    const socket = dgram.createSocket('udp4');
    ends.push(() => socket.close());
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => {
        await new Promise((resolve) => socket.send(bytes, multicast.port, '127.0.0.1', resolve));
      }),
      { numRuns: 200 },
    );
    const record = fc.record({
      name: fc.oneof(fc.constant(SERVICE), fc.string()),
      type: fc.constantFrom('PTR', 'SRV', 'TXT', 'A'),
      ttl: fc.oneof(fc.integer(), fc.constant(undefined)),
      data: fc.anything(),
    });
    fc.assert(
      fc.property(fc.array(record, { maxLength: 100 }), (records) => {
        for (const { id, port, title, address } of parseAnnouncements(records, '192.0.2.7').here) {
          expect(id).toMatch(/^[0-9a-f]{16}$/);
          expect(port > 0 && port < 65_536 && title.length <= 64).toBe(true);
          expect(address).toBe('192.0.2.7');
        }
      }),
    );
    discover('b', multicast);
    await expect.poll(a.ids, OFTEN).toEqual(['b']);
  });
});

test('services on the LAN find each other, and do not while the LAN is closed', async () => {
  const multicast = await onLoopback();
  const [a, b] = await Promise.all([start(multicast), start(multicast)]);
  const found = async () =>
    (await a.client().listBenches())
      .filter(({ name }) => name !== 'own')
      .map(({ found: how, state }) => [how, state]);
  const open = { network: { lan: true } };
  await b.bench.settings.apply({ ...open, benches: { title: 'Hall B' } });
  expect(await found()).toEqual([]);
  await a.bench.settings.apply(open);
  await a.bench.settings.apply({ auth: { enforcement: false } });
  await b.bench.settings.apply({ auth: { enforcement: false } });
  await expect
    .poll(async () => (await a.client().listBenches()).slice(1), OFTEN)
    .toMatchObject([
      {
        found: 'mdns',
        state: 'live',
        name: 'hall-b',
        title: 'Hall B',
        address: `http://127.0.0.1:${b.bench.port}`,
        takes_work: false,
        idle: 10,
      },
    ]);
  await a.bench.settings.apply({ benches: { discover: false } });
  expect(await found()).toEqual([]);
  await a.bench.settings.apply({ benches: { discover: true } });
  await expect.poll(found, OFTEN).toEqual([['mdns', 'live']]);
  // Also in the list, it appears once.
  await a.bench.settings.apply({ benches: { known: [{ name: 'b', address: b.url }] } });
  await expect.poll(found, OFTEN).toEqual([['settings', 'live']]);
  await expect.poll(async () => (await a.client().listBenches())[1]?.bench_id, OFTEN).toBeTruthy();
  // Removed from the list, it is a found bench at once.
  await a.bench.settings.apply({ benches: { known: [] } });
  await expect.poll(found, OFTEN).toEqual([['mdns', 'live']]);
  await a.bench.settings.apply({ network: { lan: false }, benches: { known: [] } });
  await expect.poll(found, OFTEN).toEqual([]);
});

test('a bench that requires a key has its announced title, and is not duplicated by the list', async () => {
  const multicast = await onLoopback();
  const [a, b] = await Promise.all([start(multicast), start(multicast)]);
  await b.bench.settings.apply({ network: { lan: true }, benches: { title: 'Hall B' } });
  await a.bench.settings.apply({ network: { lan: true } });
  await a.bench.settings.apply({ auth: { enforcement: false } });
  const others = async () =>
    (await a.client().listBenches())
      .slice(1)
      .map(({ name, title, found, problem }) => [name, title, found, problem?.error]);
  await expect.poll(others, OFTEN).toEqual([['hall-b', 'Hall B', 'mdns', 'bench_refuses']]);
  await a.bench.settings.apply({ benches: { known: [{ name: 'b', address: `${b.url}/` }] } });
  await expect.poll(others, OFTEN).toEqual([['b', 'b', 'settings', 'bench_refuses']]);
});

test('at most 64 benches are known', async () => {
  const store = await openStore(temporaryFolder('names'), { logger, clock: systemClock });
  ends.push(() => store.close());
  const benches = new Benches({
    id: '0'.repeat(16),
    clock: systemClock,
    logger,
    events: new EventHub(() => {}),
    names: await store.document('bench-names', [], areBenchNames),
  });
  ends.push(() => benches.close());
  const known = Array.from({ length: 32 }, (_, i) => ({ name: `b${i}`, address: 'http://127.0.0.1:9' }));
  await benches.apply({ known, announce: null });
  expect(benches.list()).toHaveLength(32);
  await benches.apply({ known: [], announce: null });
  expect(benches.list()).toEqual([]);
});

test('benches with one title get distinct names, and TLS ones are announced and forwarded as such', async () => {
  const multicast = await onLoopback();
  const opened = async (network: object) => {
    const bench = await start(multicast);
    const json = { network: { lan: true, ...network }, benches: { title: 'Lab' } };
    expect((await bench.put('/settings', { json })).status).toBe(200);
    await bench.bench.settings.apply({ auth: { enforcement: false } });
    return bench;
  };
  const a = await opened({});
  const plain = await opened({});
  const secure = await opened({ tls: { kind: 'own' }, tls_port: 0 });
  const found = async () => (await a.client().listBenches()).slice(1);
  await expect.poll(async () => (await found()).map(({ state }) => state), OFTEN).toEqual(['live', 'live']);
  const benches = await found();
  expect(benches.map(({ name }) => name).sort()).toEqual(['lab', expect.stringMatching(/^lab-[0-9a-f]{6}$/)]);
  const ports = [plain.bench.port, secure.bench.lanUrls[0]?.split(':').at(-1)];
  for (const [i, scheme] of ['http', 'https'].entries()) {
    const one = benches.find(({ address }) => address === `${scheme}://127.0.0.1:${ports[i]}`);
    expect(one, scheme).toBeDefined();
    const node = await a.get<{ fpga_id: number }>(`/benches/${one?.name}/fpga/3`);
    expect([node.status, node.body.fpga_id]).toEqual([200, 3]);
  }
});
