import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BenchEvent } from '../../../../server/contract/events/events.ts';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { fakeDefinition } from '../../../support/fake-board.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
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
  type TestPoolOptions,
  testPool,
  until,
  write,
} from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

const logOf = async ({ fpga_id, job_id }: Job) => (await bench.pool.readLog(fpga_id, job_id)).toString();
const statusOf = ({ fpga_id, job_id }: Job) => bench.pool.job(fpga_id, job_id).status;

async function restart(options: TestPoolOptions = {}): Promise<void> {
  await bench.stop();
  bench = await testPool({ ...options, folder: bench.folder });
}

/** Requests a replacement whose build waits, and resolves when it runs. */
async function replacing(text = 'next', caller = alice): Promise<{ job: Job; open: () => void }> {
  const { gate, open } = closedGate();
  bench.toolchain.gate = gate;
  const job = await bench.pool.replace(0, { ...design(text), filename: 'next.v' }, caller);
  await until(() => statusOf(job) === 'running', 'the build');
  return { job, open };
}

/** Changes of node 0, one entry for each change of state or session. */
const states = () =>
  bench.events
    .filter(
      (event): event is BenchEvent & { type: 'node' } => event.type === 'node' && event.node.fpga_id === 0,
    )
    .map(({ node }) => `${node.state} ${node.session?.session_id ?? 'without'}`)
    .filter((one, at, all) => one !== all[at - 1]);

describe('while it builds', () => {
  test('the old design, session and runs continue, then one step gives the board to the new one', async () => {
    const first = await reserve(bench.pool);
    const { pool, boards } = bench;
    const { session: before } = pool.node(0);
    bench.events.length = 0;
    const { job, open } = await replacing();
    expect(job).toMatchObject({ status: 'queued', replaces: true, owner: 'alice' });
    expect(pool.node(0)).toMatchObject({
      state: 'reserved',
      replacement: job.job_id,
      current_job_id: null,
      design: { filename: 'echo.v', build_id: first.build_id },
    });
    await ended(pool, await pool.run(0, write(8, 77), alice));
    const run = await ended(pool, await pool.run(0, read(8), alice));
    expect([...(await pool.result(0, run.job_id)).data]).toEqual([77]);
    open();
    expect(await ended(pool, job)).toMatchObject({ status: 'complete' });
    const after = pool.node(0);
    expect(after).toMatchObject({
      state: 'reserved',
      replacement: null,
      session: { owner: 'alice' },
      design: { filename: 'next.v', build_id: pool.job(0, job.job_id).build_id },
    });
    expect(after.session?.session_id).not.toBe(before?.session_id);
    expect(boards.board(0).programmed).toEqual([first.build_id, after.design?.build_id]);
    expect(states()).toEqual([
      `reserved ${before?.session_id}`,
      'programming without',
      `reserved ${after.session?.session_id}`,
    ]);
    const log = await logOf(job);
    expect(log).toContain('will replace echo.v and the session of alice');
    expect(log).toContain('the session of alice with echo.v ends: next.v takes its place');
  });

  test('the session keeps its owner, whoever requested the replacement', async () => {
    await reserve(bench.pool);
    const { job, open } = await replacing('next', bob);
    open();
    expect(await ended(bench.pool, job)).toMatchObject({ status: 'complete', owner: 'bob' });
    expect(bench.pool.node(0).session?.owner).toBe('alice');
  });

  test('a failed build leaves the session, its design and its registers', async () => {
    await reserve(bench.pool);
    const { pool } = bench;
    await ended(pool, await pool.run(0, write(0, 5), alice));
    const { session, design: onBoard } = pool.node(0);
    const job = await ended(pool, await pool.replace(0, design('fail-place'), alice));
    expect(job).toMatchObject({ status: 'failed', failure: { error: 'fake_build_failed' } });
    expect(pool.node(0)).toMatchObject({ state: 'reserved', session: { session_id: session?.session_id } });
    expect(pool.node(0)).toMatchObject({ design: onBoard, replacement: null, error: null });
    const run = await ended(pool, await pool.run(0, read(0), alice));
    expect([...(await pool.result(0, run.job_id)).data]).toEqual([5]);
    expect(await logOf(job)).toContain('the session of alice continues with echo.v');
  });

  test('a design that is too slow for a real board leaves the session', async () => {
    const board = bench.boards.board(0);
    board.kind = 'usb';
    board.definition = { ...fakeDefinition, name: 'Some Board' };
    await reserve(bench.pool);
    const { session } = bench.pool.node(0);
    const job = await ended(bench.pool, await bench.pool.replace(0, design('fmax-11.9'), alice));
    expect(job).toMatchObject({ status: 'failed', failure: { error: 'timing_not_met' } });
    expect(bench.pool.node(0).session?.session_id).toBe(session?.session_id);
    const allowed = design('fmax-11.9', { allow_timing_failure: true });
    expect(await ended(bench.pool, await bench.pool.replace(0, allowed, alice))).toMatchObject({
      status: 'complete',
    });
  });

  test('one waiting for a build slot can be cancelled; one that builds cannot', async () => {
    bench.toolchain.gate = closedGate().gate;
    await bench.dispose();
    bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
    const { pool } = bench;
    await reserve(pool);
    await pool.submit(1, design('hang-place'), bob);
    await until(() => pool.node(1).state === 'building');
    const job = await pool.replace(0, design('waits'), alice);
    await pool.cancel(0, job.job_id, alice);
    expect(statusOf(job)).toBe('cancelled');
    expect(pool.node(0)).toMatchObject({ state: 'reserved', replacement: null, session: { owner: 'alice' } });
    expect((await ended(pool, await pool.run(0, read(0), alice))).ok).toBe(true);
  });

  test('a running one is refused to be cancelled', async () => {
    await reserve(bench.pool);
    const { job, open } = await replacing();
    await expect(bench.pool.cancel(0, job.job_id, alice)).rejects.toMatchObject({
      code: 'job_not_cancellable',
    });
    open();
    await ended(bench.pool, job);
  });
});

describe('taking over the board', () => {
  test('runs accepted before the build ended run first on the old design; later ones are refused', async () => {
    await reserve(bench.pool);
    const { pool, boards } = bench;
    const { job, open } = await replacing();
    const link = closedGate();
    boards.board(0).faults.gate = link.gate;
    const runs = await Promise.all([1, 2, 3].map((word) => pool.run(0, write(4 * word, word), alice)));
    open();
    const refused = async () =>
      pool.run(0, read(0), alice).then(
        (run) => runs.push(run) < 0,
        (error) => error.code === 'fpga_not_reserved' && /next design/.test(error.message),
      );
    while (!(await refused())) await new Promise(setImmediate);
    expect(pool.node(0)).toMatchObject({ state: 'reserved', replacement: job.job_id });
    link.open();
    for (const run of runs) expect(await ended(pool, run)).toMatchObject({ status: 'complete', ok: true });
    expect(await ended(pool, job)).toMatchObject({ status: 'complete' });
    expect(boards.board(0).writes.map(({ word }) => word)).toEqual([1, 2, 3]);
  });

  test('an absent board fails the replacement and leaves the session, which resumes with the board', async () => {
    await reserve(bench.pool);
    const { pool, boards } = bench;
    boards.board(0).selfPowered = true;
    const { job, open } = await replacing();
    boards.unplug(0);
    open();
    expect(await ended(pool, job)).toMatchObject({ status: 'failed', failure: { error: 'board_absent' } });
    expect(pool.node(0)).toMatchObject({ state: 'reserved', session: { owner: 'alice' } });
    boards.plug(0);
    expect((await ended(pool, await pool.run(0, read(0), alice))).ok).toBe(true);
  });

  test('a failure to program puts the node into error, as with any submit', async () => {
    await reserve(bench.pool);
    bench.boards.board(0).faults.failProgram = 'CDONE stayed low';
    const job = await ended(bench.pool, await bench.pool.replace(0, design('next'), alice));
    expect(job.status).toBe('failed');
    expect(bench.pool.node(0)).toMatchObject({ state: 'error', session: null, design: null });
    expect(await ended(bench.pool, await bench.pool.reset(0, alice))).toMatchObject({ status: 'complete' });
  });
});

describe('a pending replacement', () => {
  test('a newer replacement supersedes it, whether it builds or waits', async () => {
    await reserve(bench.pool);
    const { job: first } = await replacing('one');
    const second = await bench.pool.replace(0, design('two'), alice);
    const third = await bench.pool.replace(0, design('three'), alice);
    expect(bench.pool.node(0).replacement).toBe(third.job_id);
    bench.toolchain.gate = null;
    for (const job of [first, second])
      expect(await ended(bench.pool, job)).toMatchObject({
        status: 'failed',
        failure: { error: 'replaced_by_newer' },
      });
    expect(await ended(bench.pool, third)).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0).design?.build_id).toBe(bench.pool.job(0, third.job_id).build_id);
  });

  for (const how of ['release', 'reset'] as const)
    test(`a ${how} ends it, and the node is then idle`, async () => {
      await reserve(bench.pool);
      const { job } = await replacing();
      const reset = await bench.pool[how](0, bob);
      expect(await ended(bench.pool, job)).toMatchObject({
        status: 'failed',
        failure: { error: 'session_ended', message: expect.stringContaining('bob released or reset node 0') },
      });
      await ended(bench.pool, reset);
      expect(bench.pool.node(0)).toMatchObject({ state: 'idle', session: null, replacement: null });
      bench.toolchain.gate = null;
      await reserve(bench.pool);
    });

  test('handing over the session ends it: the new holder retains the current design', async () => {
    const first = await reserve(bench.pool);
    const { job, open } = await replacing();
    await bench.pool.handOver(0, 'bob', alice);
    expect(await ended(bench.pool, job)).toMatchObject({
      status: 'failed',
      failure: { error: 'session_handed_over', message: expect.stringContaining('to bob') },
    });
    expect(bench.pool.node(0)).toMatchObject({
      state: 'reserved',
      session: { owner: 'bob' },
      design: { build_id: first.build_id },
      replacement: null,
    });
    open();
    bench.toolchain.gate = null;
    const own = await ended(bench.pool, await bench.pool.replace(0, design('of bob'), bob));
    expect(own.status).toBe('complete');
    expect(bench.pool.node(0).session?.owner).toBe('bob');
  });

  test('the expiry of the session ends it; requesting it renews the session', async () => {
    await bench.dispose();
    const clock = new FakeClock();
    bench = await testPool({ clock });
    await reserve(bench.pool);
    clock.advance(3_599_000);
    const { job } = await replacing();
    clock.advance(3_599_000);
    expect(bench.pool.node(0).session).not.toBeNull();
    clock.advance(1000);
    expect(await ended(bench.pool, job)).toMatchObject({ failure: { error: 'session_ended' } });
    await until(() => bench.pool.node(0).state === 'idle');
  });

  test('a board failure ends it, with the reason', async () => {
    await reserve(bench.pool);
    const { job } = await replacing();
    bench.boards.board(0).faults.failLink = 'the line is silent';
    await ended(bench.pool, await bench.pool.run(0, read(0), alice));
    expect(await ended(bench.pool, job)).toMatchObject({
      failure: { error: 'session_ended', message: expect.stringContaining('the line is silent') },
    });
    expect(bench.pool.node(0)).toMatchObject({ state: 'error', session: { owner: 'alice' } });
  });

  test('an idle node treats it as a submit; a busy node, one under reset and one in error refuse it', async () => {
    const { pool, boards } = bench;
    const job = await pool.replace(0, design('hang-place'), alice);
    expect(job.replaces).toBeUndefined();
    await expect(pool.replace(0, design(), alice)).rejects.toMatchObject({ code: 'fpga_not_idle' });
    await reserve(pool, 1);
    const { gate, open } = closedGate();
    boards.board(1).faults.gate = gate;
    const reset = await pool.reset(1, alice);
    await expect(pool.replace(1, design(), alice)).rejects.toMatchObject({ code: 'fpga_not_idle' });
    open();
    await ended(pool, reset);
    boards.board(2).faults.failProgram = 'CDONE stayed low';
    await ended(pool, await pool.submit(2, design(), alice));
    await expect(pool.replace(2, design(), alice)).rejects.toMatchObject({ code: 'fpga_not_idle' });
  });
});

describe('shutdown', () => {
  test('during the build: the old session and design survive, and the job fails', async () => {
    const first = await reserve(bench.pool);
    const { session } = bench.pool.node(0);
    const { job } = await replacing();
    await restart();
    expect(bench.pool.job(0, job.job_id)).toMatchObject({ failure: { error: 'service_stopped' } });
    expect(bench.pool.node(0)).toMatchObject({
      state: 'reserved',
      session: { session_id: session?.session_id },
      design: { build_id: first.build_id },
      replacement: null,
    });
    expect((await ended(bench.pool, await bench.pool.run(0, read(0), alice))).ok).toBe(true);
    expect(bench.boards.board(0).programmed).toEqual([first.build_id]);
  });

  test('while it waits for a build slot: it keeps waiting and then replaces the session', async () => {
    await bench.dispose();
    bench = await testPool({ toolchain: new FakeToolchain({ slots: 1 }) });
    await reserve(bench.pool);
    await bench.pool.submit(1, design('hang-place'), bob);
    await until(() => bench.pool.node(1).state === 'building');
    const job = await bench.pool.replace(0, design('waits'), alice);
    await restart();
    expect(await ended(bench.pool, job)).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0).design?.build_id).toBe(bench.pool.job(0, job.job_id).build_id);
  });

  test('while the board is programmed: the old session and its design are restored', async () => {
    const first = await reserve(bench.pool);
    const { session } = bench.pool.node(0);
    bench.boards.board(0).faults.hangProgram = true;
    const job = await bench.pool.replace(0, design('next'), alice);
    await until(() => bench.pool.node(0).state === 'programming');
    expect(bench.pool.node(0)).toMatchObject({ session: null, current_job_id: job.job_id });
    await restart();
    expect(bench.pool.job(0, job.job_id)).toMatchObject({ failure: { error: 'service_stopped' } });
    expect(bench.pool.node(0)).toMatchObject({
      state: 'reserved',
      session: { session_id: session?.session_id },
    });
    expect((await ended(bench.pool, await bench.pool.run(0, read(0), alice))).ok).toBe(true);
    expect(bench.boards.board(0).programmed).toEqual([first.build_id]);
  });
});
