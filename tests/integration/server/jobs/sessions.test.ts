import { afterEach, beforeEach, expect, test } from 'vitest';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import {
  alice,
  bob,
  closedGate,
  ended,
  read,
  reserve,
  type TestPool,
  testPool,
  until,
} from '../../../support/test-pool.ts';

let bench: TestPool;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock();
  bench = await testPool({ clock });
});
afterEach(() => bench.dispose());

const HOUR = 3_600_000;

test('a session expires after its TTL: it ends at once, and the service resets the node', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  expect(pool.node(0).session?.expires_at).toBe(new Date(clock.now() + HOUR).toISOString());
  clock.advance(HOUR - 1);
  expect(pool.node(0).session).not.toBeNull();
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  clock.advance(1);
  expect(pool.node(0)).toMatchObject({ state: 'reserved', session: null, resetting: true });
  await expect(pool.run(0, read(0), alice)).rejects.toMatchObject({ code: 'fpga_not_reserved' });
  await expect(pool.release(0, alice)).rejects.toMatchObject({ code: 'no_active_session' });
  const active = () => pool.jobs({ fpgaId: 0, statuses: ['queued', 'running'] });
  await until(() => active().length > 0, 'the reset');
  const [job] = active();
  expect(job).toMatchObject({ type: 'reset', owner: 'system' });
  expect((await pool.reset(0, bob)).job_id).toBe(job?.job_id);
  open();
  await until(() => pool.node(0).state === 'idle');
  const log = (await pool.readLog(0, job?.job_id ?? '')).toString();
  expect(log).toContain('reset by the service: the session of alice has expired');
});

test('every accepted run renews the session', async () => {
  const { pool } = bench;
  await reserve(pool);
  const session = pool.node(0).session?.session_id;
  for (let i = 0; i < 3; i++) {
    clock.advance(HOUR - 1);
    await ended(pool, await pool.run(0, read(0), alice));
  }
  expect(pool.node(0)).toMatchObject({
    state: 'reserved',
    session: { session_id: session, expires_at: new Date(clock.now() + HOUR).toISOString() },
  });
  clock.advance(HOUR);
  await until(() => pool.node(0).state === 'idle');
});

test('the TTL is a setting and applies to new sessions', async () => {
  const { pool } = bench;
  pool.configure({ sessionTtlSeconds: 60 });
  await reserve(pool, 7);
  clock.advance(60_000);
  await until(() => pool.node(7).state === 'idle');
});

test('runs that were accepted before the expiry still run', async () => {
  const { pool, boards } = bench;
  pool.configure({ sessionTtlSeconds: 60 });
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const runs = await Promise.all(Array.from({ length: 5 }, () => pool.run(0, read(0), alice)));
  clock.advance(60_000);
  open();
  for (const run of runs) expect(await ended(pool, run)).toMatchObject({ status: 'complete' });
  await until(() => pool.node(0).state === 'idle');
});

test('a cancelled reset of an expired session is repeated, with no holder', async () => {
  const { pool, boards } = bench;
  pool.configure({ sessionTtlSeconds: 60 });
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  await pool.run(0, read(0), alice);
  await until(() => pool.jobs({ fpgaId: 0, statuses: ['running'] }).length === 1);
  clock.advance(60_000);
  await until(() => pool.jobs({ fpgaId: 0, statuses: ['queued'] }).length === 1);
  const [job] = pool.jobs({ fpgaId: 0, statuses: ['queued'] });
  await pool.cancel(0, job?.job_id ?? '', alice);
  open();
  await until(() => pool.node(0).state === 'idle');
  expect(pool.jobs({ fpgaId: 0 })[0]).toMatchObject({ type: 'reset', owner: 'system', status: 'complete' });
});

test('the session of a node in error expires too, and the node becomes idle', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  boards.board(0).faults.failLink = 'silent';
  await ended(pool, await pool.run(0, read(0), alice));
  expect(pool.node(0).state).toBe('error');
  clock.advance(HOUR);
  await until(() => pool.node(0).state === 'idle');
});

test('a new session of the same node has its own lifetime', async () => {
  const { pool } = bench;
  await reserve(pool);
  const first = pool.node(0).session;
  clock.advance(HOUR / 2);
  await ended(pool, await pool.release(0, alice));
  await reserve(pool, 0, undefined, bob);
  clock.advance(HOUR / 2);
  expect(pool.node(0)).toMatchObject({ state: 'reserved', session: { owner: 'bob' } });
  expect(pool.node(0).session?.session_id).not.toBe(first?.session_id);
  clock.advance(HOUR / 2);
  await until(() => pool.node(0).state === 'idle');
});

for (const hours of [-5, 5])
  test(`a clock set by ${hours} hours: the session lives as long as before and shows it`, async () => {
    const { pool } = bench;
    await reserve(pool);
    clock.setWall(hours * HOUR);
    clock.advance(HOUR / 2);
    const shown = () => Date.parse(pool.node(0).session?.expires_at ?? '') - clock.now();
    expect(shown()).toBe(HOUR / 2);
    await ended(pool, await pool.run(0, read(0), alice));
    expect(shown()).toBe(HOUR);
    clock.advance(HOUR - 1);
    expect(pool.node(0).session).not.toBeNull();
    clock.advance(1);
    await until(() => pool.node(0).state === 'idle');
  });

test('runs that the disk refused do not renew the session, even when they overlap', async () => {
  await bench.dispose();
  const disk = new FailingFiles();
  let gate = Promise.resolve();
  const fsync = (handle: number) => gate.then(() => disk.files.fsync(handle));
  bench = await testPool({ clock, files: { ...disk.files, fsync } });
  const { pool, store } = bench;
  await reserve(pool);
  await store.commit();
  clock.advance(HOUR / 2);
  const slow = closedGate();
  gate = slow.gate;
  const before = store.bench.nodes[0]?.session;
  disk.failing = 'sync';
  const first = pool.run(0, read(0), alice);
  // The second arrives during the write of the first, whose change is undone.
  await until(() => store.bench.nodes[0]?.session !== before, 'the renewal by the first');
  const both = Promise.allSettled([first, pool.run(0, read(0), alice)]);
  slow.open();
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(store.bench.nodes[0]?.session).toEqual(before);
  disk.failing = null;
  clock.advance(HOUR / 2);
  expect(pool.node(0).session).toBeNull();
  await until(() => pool.node(0).state === 'idle');
});
