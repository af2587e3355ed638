import { afterEach, expect, test } from 'vitest';
import type { ActivityEntry } from '../../../../server/contract/nodes/activity.ts';
import { FakeBoardPool } from '../../../support/fake-board.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import {
  alice,
  bob,
  design,
  ended,
  reserve,
  type TestPool,
  type TestPoolOptions,
  testPool,
  until,
  write,
} from '../../../support/test-pool.ts';

let bench: TestPool;
afterEach(() => bench.dispose());

const start = async (options: TestPoolOptions = {}) => {
  bench = await testPool(options);
  return bench;
};

/** Activity of a node, oldest first: kind, by, owner. */
const told = (fpgaId: number | null = 0) =>
  bench.pool
    .activity(fpgaId, 50)
    .reverse()
    .map(({ kind, by, owner }) => [kind, by, owner]);

const announced = () => bench.events.flatMap((event) => (event.type === 'activity' ? [event.entry] : []));

/** Ways in which a session ends. */
const ENDS = new Set<ActivityEntry['kind']>(['released', 'reset', 'expired', 'replaced']);

test('taking, releasing and resetting a node are reported once, with job and design', async () => {
  const { pool } = await start();
  const build = await reserve(pool);
  const release = await ended(pool, await pool.release(0, alice));
  await reserve(pool, 0, design(), bob);
  const reset = await ended(pool, await pool.reset(0, alice));
  expect(told()).toEqual([
    ['taken', 'alice', 'alice'],
    ['released', 'alice', 'alice'],
    ['taken', 'bob', 'bob'],
    ['reset', 'alice', 'bob'],
  ]);
  const [last, , second, first] = pool.activity(0, 50);
  expect(first).toMatchObject({ seq: 1, fpga_id: 0, design: 'echo.v', job_id: build.job_id, to: null });
  expect(second).toMatchObject({ design: 'echo.v', job_id: release.job_id });
  expect(last).toMatchObject({ seq: 4, job_id: reset.job_id });
  expect(announced()).toEqual(pool.activity(0, 50).reverse());
  expect(pool.activity(0, 2).map(({ seq }) => seq)).toEqual([4, 3]);
  expect(pool.activity(0, 50, 3).map(({ seq }) => seq)).toEqual([4]);
  expect(told(1)).toEqual([]);
});

test('an activity entry precedes the event of its node', async () => {
  const { pool, events } = await start();
  await reserve(pool);
  const at = events.findIndex((event) => event.type === 'activity');
  const held = events.findIndex((event) => event.type === 'node' && event.node.session !== null);
  expect(at).toBeGreaterThan(0);
  expect(at).toBeLessThan(held);
});

test('a session expiry is attributed to the bench, and its reset is not reported', async () => {
  const clock = new FakeClock();
  const { pool } = await start({ clock, settings: { sessionTtlSeconds: 600 } });
  await reserve(pool);
  for (let i = 0; i < 21; i++) clock.advance(30_000);
  await until(() => pool.node(0).state === 'idle', 'the reset');
  expect(told()).toEqual([
    ['taken', 'alice', 'alice'],
    ['expired', null, 'alice'],
  ]);
});

test('resetting a node in error is reported, and so is releasing its session', async () => {
  const { pool, boards } = await start();
  boards.board(0).faults = { failProgram: 'CDONE stays low.' };
  await ended(pool, await pool.submit(0, design(), alice));
  boards.board(0).faults = {};
  await ended(pool, await pool.reset(0, bob));
  await reserve(pool);
  boards.board(0).faults = { failLink: 'The line is silent.' };
  await ended(pool, await pool.run(0, write(0, 1), alice));
  boards.board(0).faults = {};
  expect(pool.node(0).state).toBe('error');
  await ended(pool, await pool.release(0, alice));
  expect(told()).toEqual([
    ['reset', 'bob', null],
    ['taken', 'alice', 'alice'],
    ['released', 'alice', 'alice'],
  ]);
});

test('replacing a design ends one session and begins the next in one report', async () => {
  const { pool, boards } = await start();
  await reserve(pool);
  const next = await ended(pool, await pool.replace(0, { ...design('next'), filename: 'next.v' }, alice));
  expect(told()).toEqual([
    ['taken', 'alice', 'alice'],
    ['replaced', 'alice', 'alice'],
  ]);
  expect(pool.activity(0, 1)[0]).toMatchObject({ design: 'echo.v', job_id: next.job_id });
  boards.board(0).faults = { failProgram: 'CDONE stays low.' };
  await ended(pool, await pool.replace(0, design('third'), alice));
  expect(pool.node(0).state).toBe('error');
  expect(told().slice(2)).toEqual([['replaced', 'alice', 'alice']]);
  expect(pool.activity(0, 1)[0]).toMatchObject({ design: 'next.v' });
});

test('cancelled builds are reported, and runs only when cancelled by another user', async () => {
  const { pool, boards } = await start();
  await reserve(pool, 1);
  boards.board(1).faults = { transferMs: 60_000 };
  await pool.run(1, write(0, 1), alice);
  const own = await pool.run(1, write(0, 2), alice);
  const other = await pool.run(1, write(0, 3), alice);
  await pool.cancel(1, own.job_id, alice);
  await pool.cancel(1, other.job_id, bob);
  expect(told(1).slice(1)).toEqual([['cancelled', 'bob', 'alice']]);
  expect(pool.activity(1, 1)[0]).toMatchObject({ job_id: other.job_id, design: null });
  boards.board(1).faults = {};
});

test('cancelling a job that waits for any node is reported without a node', async () => {
  const { pool } = await start({ boards: boardsAway() });
  const { job_id: jobId } = await pool.submitToAny(design(), alice);
  await pool.cancel(null, jobId, bob);
  expect(told(null)).toEqual([['cancelled', 'bob', 'alice']]);
  expect(pool.activity(null, 1)[0]).toMatchObject({ fpga_id: null, design: 'echo.v', job_id: jobId });
});

test('a restart reports the restored session and preserves earlier activity', async () => {
  await start();
  const build = await reserve(bench.pool);
  await ended(bench.pool, await bench.pool.release(0, alice));
  await reserve(bench.pool);
  const { folder, boards } = bench;
  await bench.stop();
  await start({ folder, boards });
  await until(() => told().at(-1)?.[0] === 'restored', 'the restored board');
  expect(told()).toEqual([
    ['taken', 'alice', 'alice'],
    ['released', 'alice', 'alice'],
    ['taken', 'alice', 'alice'],
    ['restored', null, 'alice'],
  ]);
  const [restored] = bench.pool.activity(0, 1);
  expect(restored).toMatchObject({ seq: 4, design: 'echo.v' });
  expect(restored?.job_id).not.toBe(build.job_id);
  expect(bench.pool.newestActivity()[0]).toEqual(restored);
});

test('a session that expired during downtime is reported after the restart', async () => {
  const clock = new FakeClock();
  await start({ clock, settings: { sessionTtlSeconds: 600 } });
  await reserve(bench.pool);
  const { folder, boards } = bench;
  await bench.stop();
  clock.advance(601_000);
  await start({ folder, boards, clock });
  // Only the wall clock says that it has expired: some minutes are left.
  for (let i = 0; i < 12; i++) clock.advance(30_000);
  await until(() => bench.pool.node(0).state === 'idle', 'the reset');
  expect(told().at(-1)).toEqual(['expired', null, 'alice']);
  expect(told().filter(([kind]) => ENDS.has(kind as ActivityEntry['kind']))).toHaveLength(1);
});

test('a restart amid a reset reports the requester of the reset once', async () => {
  await start();
  await reserve(bench.pool);
  const { folder, boards } = bench;
  boards.board(0).faults = { hangProgram: true };
  const release = await bench.pool.release(0, alice);
  await until(() => bench.pool.job(0, release.job_id).status === 'running', 'the reset');
  await bench.stop();
  boards.board(0).faults = {};
  await start({ folder, boards });
  await until(() => bench.pool.node(0).state === 'idle', 'the reset after the restart');
  expect(told()).toEqual([
    ['taken', 'alice', 'alice'],
    ['released', 'alice', 'alice'],
  ]);
});

test('under random actions every ended session is reported as ended exactly once', async () => {
  const { pool, events, boards } = await start();
  let random = 4711;
  const next = (n: number) => {
    // xorshift32 (Marsaglia 2003): the same steps in every run.
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    return (random >>> 0) % n;
  };
  const quiet = (work: Promise<unknown>) => work.catch(() => {});
  for (let step = 0; step < 300; step++) {
    const node = next(3);
    const caller = next(2) === 0 ? alice : bob;
    switch (next(8)) {
      case 0:
      case 1:
      case 2:
        await quiet(pool.submit(node, design(next(4) === 0 ? 'fail-scan' : `module m${next(3)};`), caller));
        break;
      case 3:
        await quiet(Promise.all([pool.release(node, caller), pool.reset(node, alice)]));
        break;
      case 4:
        await quiet(pool.reset(node, caller));
        break;
      case 5:
        await quiet(pool.handOver(node, next(2) === 0 ? 'alice' : 'bob', caller));
        break;
      case 6:
        boards.board(node).faults = next(3) === 0 ? { failProgram: 'CDONE stays low.' } : {};
        await quiet(pool.run(node, write(0, 1), caller));
        break;
      case 7: {
        const [job] = pool.jobs({ fpgaId: node, statuses: ['queued'] });
        if (job) await quiet(pool.cancel(node, job.job_id, caller));
        break;
      }
    }
    if (next(3) === 0) await new Promise((resolve) => setTimeout(resolve, next(5)));
  }
  for (let node = 0; node < 3; node++) {
    boards.board(node).faults = {};
    await until(() => pool.jobs({ fpgaId: node, statuses: ['queued', 'running'] }).length === 0);
    await quiet(pool.reset(node, alice));
    await until(() => pool.jobs({ fpgaId: node, statuses: ['queued', 'running'] }).length === 0);
  }
  for (let node = 0; node < 3; node++) {
    // Sessions in the events: one begins where there was none, and ends where none is left.
    let [begun, over, passed] = [0, 0, 0];
    let owner: string | null = null;
    for (const event of events) {
      if (event.type !== 'node' || event.node.fpga_id !== node) continue;
      const now: string | null = event.node.session?.owner ?? null;
      if (owner === null && now !== null) begun++;
      if (owner !== null && now === null) over++;
      if (owner !== null && now !== null && owner !== now) passed++;
      owner = now;
    }
    const of = (kinds: (kind: ActivityEntry['kind']) => boolean) =>
      announced().filter(
        (one) => one.fpga_id === node && kinds(one.kind) && (one.kind !== 'reset' || one.owner !== null),
      );
    expect(begun).toBeGreaterThan(0);
    expect(of((kind) => kind === 'taken')).toHaveLength(begun);
    expect(of((kind) => ENDS.has(kind))).toHaveLength(over);
    expect(of((kind) => kind === 'handed_over')).toHaveLength(passed);
  }
});

/** A bench whose boards are all unplugged. */
function boardsAway(): FakeBoardPool {
  const boards = new FakeBoardPool();
  for (let slot = 0; slot < 10; slot++) boards.unplug(slot);
  return boards;
}
