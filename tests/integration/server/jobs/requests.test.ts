import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BenchError } from '../../../../server/errors/bench-error.ts';
import { type FileSystem, nodeFileSystem } from '../../../../server/store/filesystem.ts';
import { FAKE_HOLE } from '../../../support/fake-board.ts';
import { FakeToolchain } from '../../../support/fake-toolchain.ts';
import {
  alice,
  bob,
  closedGate,
  design,
  ended,
  read,
  reserve,
  type TestPool,
  testPool,
  until,
  write,
} from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

/** The code of the error that a promise rejects with, or `accepted`. */
const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'accepted',
    (error: BenchError) => error.code,
  );

const tally = (outcomes: string[]) =>
  outcomes.reduce<Record<string, number>>((counts, one) => {
    counts[one] = (counts[one] ?? 0) + 1;
    return counts;
  }, {});

test('of a thousand simultaneous submits to an idle node one wins', async () => {
  const { pool, toolchain } = bench;
  const all = await Promise.all(
    Array.from({ length: 1000 }, (_, i) => outcome(pool.submit(0, design(`// ${i}`), alice))),
  );
  expect(tally(all)).toEqual({ accepted: 1, fpga_not_idle: 999 });
  expect(all[0]).toBe('accepted');
  await until(() => pool.node(0).state === 'reserved');
  expect(toolchain.built).toEqual(['// 0']);
  expect(pool.jobs({ fpgaId: 0 })).toHaveLength(1);
});

test('submits to ten nodes at once share their writes to disk', async () => {
  const { pool, store } = bench;
  const before = store.commits;
  await Promise.all(Array.from({ length: 10 }, (_, fpgaId) => pool.submit(fpgaId, design(), alice)));
  expect(store.commits - before).toBeLessThanOrEqual(8);
  await until(() => pool.nodes().every(({ state }) => state === 'reserved'));
});

test('requests invalid in the current state are refused by code and change nothing', async () => {
  const { pool } = bench;
  await expect(pool.run(0, read(0), alice)).rejects.toMatchObject({
    code: 'fpga_not_reserved',
    message: 'Node 0 is idle; run needs a node that is reserved.',
  });
  await expect(pool.reset(0, alice)).rejects.toMatchObject({ code: 'fpga_not_resettable', status: 409 });
  await expect(pool.release(0, alice)).rejects.toMatchObject({ code: 'no_active_session', status: 404 });
  expect(pool.jobs({})).toEqual([]);
  const job = await reserve(pool);
  await expect(pool.submit(0, design(), bob)).rejects.toMatchObject({ code: 'fpga_not_idle' });
  const nothing = { code: 'job_not_cancellable', remedy: 'There is nothing to cancel.' };
  await expect(pool.cancel(0, job.job_id, alice)).rejects.toMatchObject(nothing);
  expect(pool.node(0)).toMatchObject({ state: 'reserved', current_job_id: null });
  expect(pool.jobs({})).toHaveLength(1);
});

test('a job is found only on its own node', async () => {
  const { pool } = bench;
  const job = await reserve(pool, 1);
  const unknown = '00000000-0000-4000-8000-000000000000';
  for (const [fpgaId, jobId] of [
    [2, job.job_id],
    [1, unknown],
  ] as const) {
    const refused = expect.objectContaining({ code: 'job_not_found', status: 404 });
    expect(() => pool.job(fpgaId, jobId)).toThrow(refused);
    expect(() => pool.followLog(fpgaId, jobId)).toThrow(refused);
    for (const asked of [
      pool.readLog(fpgaId, jobId),
      pool.result(fpgaId, jobId),
      pool.report(fpgaId, jobId),
      pool.bitstream(fpgaId, jobId),
      pool.source(fpgaId, jobId),
      pool.cancel(fpgaId, jobId, alice),
    ])
      await expect(asked).rejects.toMatchObject({ code: 'job_not_found' });
  }
});

test('jobs of a node run in the order in which they were accepted', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const runs = await Promise.all(Array.from({ length: 30 }, (_, i) => pool.run(0, write(4 * i, i), alice)));
  expect(pool.node(0).current_job_id).toBe(runs[0]?.job_id);
  open();
  const last = await pool.release(0, alice);
  await ended(pool, last);
  expect(boards.board(0).writes.map(({ word }) => word)).toEqual(Array.from({ length: 30 }, (_, i) => i));
  expect(pool.jobs({ fpgaId: 0 }).map(({ job_id }) => job_id)).toEqual([
    last.job_id,
    ...runs.map(({ job_id }) => job_id).reverse(),
    expect.any(String),
  ]);
});

test('with a pending reset, runs are refused, and reset and release return the pending job', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const before = await pool.run(0, write(0, 1), alice);
  const [first, second, third] = await Promise.all([
    pool.release(0, alice),
    pool.reset(0, bob),
    pool.release(0, alice),
  ]);
  expect(second.job_id).toBe(first.job_id);
  expect(third.job_id).toBe(first.job_id);
  expect(pool.node(0)).toMatchObject({ state: 'reserved', resetting: true, current_job_id: before.job_id });
  await expect(pool.run(0, read(0), alice)).rejects.toMatchObject({
    code: 'fpga_not_reserved',
    message: 'Node 0 is being reset and accepts no more transactions.',
  });
  open();
  const programming = closedGate();
  boards.board(0).faults.gate = programming.gate;
  await until(() => pool.node(0).current_job_id === first.job_id);
  expect((await pool.release(0, alice)).job_id).toBe(first.job_id);
  programming.open();
  expect(await ended(pool, before)).toMatchObject({ status: 'complete', ok: true });
  await ended(pool, first);
  await expect(pool.release(0, alice)).rejects.toMatchObject({ code: 'no_active_session' });
  await expect(pool.reset(0, alice)).rejects.toMatchObject({ code: 'fpga_not_resettable' });
});

test('a build waiting for a slot can be cancelled, and its node is idle again', async () => {
  await bench.dispose();
  bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
  const { pool } = bench;
  await pool.submit(0, design('hang-place'), alice);
  await until(() => pool.node(0).state === 'building');
  const job = await pool.submit(1, design(), alice);
  expect(pool.node(1)).toMatchObject({ state: 'queued', current_job_id: job.job_id });
  expect(await outcome(pool.result(1, job.job_id))).toBe('job_not_complete');
  const both = [pool.cancel(1, job.job_id, alice), pool.cancel(1, job.job_id, alice)];
  expect((await Promise.all(both.map(outcome))).sort()).toEqual(['accepted', 'job_not_cancellable']);
  expect(pool.job(1, job.job_id)).toMatchObject({ status: 'cancelled' });
  expect(pool.node(1)).toMatchObject({ state: 'idle', current_job_id: null });
  expect(await pool.result(1, job.job_id)).toEqual({ ok: false, data: new Uint32Array(0) });
  expect((await pool.readLog(1, job.job_id)).toString()).toContain('cancelled by alice before it started');
  await until(() => bench.toolchain.slots.waiting === 0, 'nobody waits');
  await pool.submit(1, design(), alice);
});

test('a build cancelled while its source is read occupies no build slot', async () => {
  await bench.dispose();
  bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
  const { pool, toolchain } = bench;
  await pool.submit(0, design('hang-place'), alice);
  await until(() => pool.node(0).state === 'building');
  for (let i = 0; i < 20; i++) {
    const job = await pool.submit(1, design(`${i}`), alice);
    await pool.cancel(1, job.job_id, alice);
  }
  await until(() => toolchain.slots.waiting === 0, 'nobody waits');
});

test('a queued run is cancelled without reaching the board; a started one cannot be', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const [first, second, third] = await Promise.all(
    [1, 2, 3].map((word) => pool.run(0, write(0, word), alice)),
  );
  await until(() => pool.job(0, first?.job_id ?? '').status === 'running');
  expect(await outcome(pool.cancel(0, first?.job_id ?? '', alice))).toBe('job_not_cancellable');
  await pool.cancel(0, second?.job_id ?? '', alice);
  open();
  await ended(pool, third ?? { fpga_id: 0, job_id: '' });
  expect(boards.board(0).writes.map(({ word }) => word)).toEqual([1, 3]);
});

test('a cancelled reset leaves the node reserved and open to runs', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  await pool.run(0, write(0, 1), alice);
  const reset = await pool.reset(0, alice);
  await pool.cancel(0, reset.job_id, alice);
  open();
  expect(pool.node(0)).toMatchObject({ state: 'reserved', resetting: false });
  expect((await ended(pool, await pool.run(0, read(0), alice))).ok).toBe(true);
});

test('results: words, writes, bus faults, and jobs without a result', async () => {
  const { pool } = bench;
  const build = await reserve(pool);
  expect(await pool.result(0, build.job_id)).toEqual({ ok: true, data: new Uint32Array(0) });
  const words = Uint32Array.from({ length: 65_536 }, (_, i) => (i * 2_654_435_761) >>> 0).slice(0, 16_384);
  await ended(pool, await pool.run(0, { ...write(0), data: words }, alice));
  for (const count of [1, 64, 65, 16_384]) {
    const job = await ended(pool, await pool.run(0, read(0, count), alice));
    expect(await pool.result(0, job.job_id)).toEqual({ ok: true, data: words.slice(0, count) });
  }
  const many = await ended(pool, await pool.run(0, read(0, 65_536), alice));
  expect((await pool.result(0, many.job_id)).data).toHaveLength(65_536);

  const none = await ended(pool, await pool.run(0, write(0), alice));
  expect(none).toMatchObject({ status: 'complete', ok: true });

  const fault = await ended(pool, await pool.run(0, write(FAKE_HOLE - 4, 1, 2), alice));
  expect(fault).toMatchObject({ status: 'complete', ok: false });
  expect(await pool.result(0, fault.job_id)).toEqual({ ok: false, data: new Uint32Array(0) });
  expect((await pool.readLog(0, fault.job_id)).toString()).toContain('byte address 0x8000_0000');
  expect(pool.node(0)).toMatchObject({ state: 'reserved', error: null });
});

test('a fixed address stays fixed through a burst', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  await ended(pool, await pool.run(0, { ...write(0x20, 7, 8, 9), fixed_address: true }, alice));
  expect(boards.board(0).writes).toEqual([7, 8, 9].map((word) => ({ address: 0x20, word })));
});

test('too many waiting jobs are refused', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  pool.configure({ queuedPerNode: 5 });
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const all = await Promise.all(Array.from({ length: 10 }, () => outcome(pool.run(0, read(0), alice))));
  open();
  expect(tally(all)).toEqual({ accepted: 5, queue_full: 5 });
});

test('too many runs of one owner are refused on any node, without affecting other owners', async () => {
  const { pool, boards } = bench;
  await reserve(pool);
  pool.configure({ queuedPerOwner: 5 });
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const all = [];
  for (let i = 0; i < 8; i++) all.push(await outcome(pool.run(0, read(0), alice)));
  expect(tally(all)).toEqual({ accepted: 5, too_many_jobs: 3 });
  expect(await outcome(pool.run(0, read(0), bob))).toEqual('accepted');
  open();
});

test('waiting for a job ends with its change, its timeout or its caller', async () => {
  const { pool } = bench;
  const job = await pool.submit(0, design('hang-place'), alice);
  expect((await pool.waitForChange(job.job_id, 10)).status).toBe('running');
  expect((await pool.waitForChange(job.job_id, 0.02)).status).toBe('running');
  const leaving = new AbortController();
  const waiting = pool.waitForChange(job.job_id, 60, leaving.signal);
  leaving.abort();
  expect((await waiting).status).toBe('running');
});

test('events tell every change in its order', async () => {
  const { pool, events } = bench;
  const job = await reserve(pool, 5);
  await ended(pool, await pool.release(5, alice));
  const states = events.flatMap((event) => (event.type === 'node' ? [event.node.state] : []));
  expect(states.filter((state, i) => state !== states[i - 1])).toEqual([
    'queued',
    'building',
    'programming',
    'reserved',
    'idle',
  ]);
  const statuses = events.flatMap((event) =>
    event.type === 'job' && event.job.job_id === job.job_id ? [event.job.status] : [],
  );
  expect(statuses.filter((status, i) => status !== statuses[i - 1])).toEqual([
    'queued',
    'running',
    'complete',
  ]);
  const stages = events.flatMap((event) =>
    event.type === 'job' && event.job.job_id === job.job_id && event.job.stage ? [event.job.stage] : [],
  );
  expect(stages.filter((stage, i) => stage !== stages[i - 1])).toEqual([
    'queue',
    'scan',
    'synthesis',
    'place',
    'route',
    'pack',
    'program',
    'identify',
  ]);
});

test('the source, report and bitstream of a build can be fetched', async () => {
  const { pool } = bench;
  const job = await reserve(pool);
  expect(await pool.source(0, job.job_id)).toEqual({
    filename: 'echo.v',
    source: Buffer.from('module echo;'),
    project: false,
  });
  expect(await pool.report(0, job.job_id)).toMatchObject({ build_id: job.build_id, cached: false });
  expect((await pool.bitstream(0, job.job_id)).byteLength).toBe(2048);
  const run = await ended(pool, await pool.run(0, read(0), alice));
  expect(await outcome(pool.source(0, run.job_id))).toBe('no_source');
  expect(await outcome(pool.report(0, run.job_id))).toBe('no_build_report');
  expect(await outcome(pool.bitstream(0, run.job_id))).toBe('no_bitstream');
  await ended(pool, await pool.release(0, alice));
  const again = await reserve(pool, 0);
  expect(again).toMatchObject({ cached: true, build_id: job.build_id });
});

test('a starting run cannot be cancelled, even while its start is being stored', async () => {
  let held: Promise<void> | null = null;
  const reached = closedGate();
  const files: FileSystem = {
    ...nodeFileSystem,
    async fsync(file) {
      if (held) reached.open();
      await held;
      await nodeFileSystem.fsync(file);
    },
  };
  const own = await testPool({ files });
  try {
    await reserve(own.pool);
    const transfer = closedGate();
    own.boards.board(0).faults.gate = transfer.gate;
    const first = await own.pool.run(0, read(0), alice);
    const second = await own.pool.run(0, read(4), alice);
    const disk = closedGate();
    own.hub.subscribe((event) => {
      // From the end of the first on, nothing reaches the disk: the second begins.
      if (event.type === 'job' && event.job.job_id === first.job_id && event.job.status === 'complete')
        held = disk.gate;
    });
    transfer.open();
    await ended(own.pool, first);
    // The beginning of the second.
    await reached.gate;
    const cancelled = own.pool.cancel(0, second.job_id, alice);
    setImmediate(disk.open);
    await expect(cancelled).rejects.toMatchObject({ code: 'job_not_cancellable' });
    expect((await ended(own.pool, second)).status).toBe('complete');
  } finally {
    await own.dispose();
  }
});
