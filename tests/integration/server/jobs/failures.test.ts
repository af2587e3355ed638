import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import {
  alice,
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

const logOf = async ({ fpga_id, job_id }: Job) => (await bench.pool.readLog(fpga_id, job_id)).toString();
const reset = async (fpgaId = 0) => ended(bench.pool, await bench.pool.reset(fpgaId, alice));

describe('build', () => {
  test('a failed build leaves the node idle, with the reason last in the log', async () => {
    const job = await ended(bench.pool, await bench.pool.submit(0, design('fail-route'), alice));
    expect(job).toMatchObject({
      status: 'failed',
      stage: 'route',
      failure: { error: 'fake_build_failed', message: 'The route stage failed.' },
    });
    expect(bench.pool.node(0)).toMatchObject({ state: 'idle', error: null, session: null });
    const lines = (await logOf(job)).trimEnd().split('\n');
    expect(lines.at(-2)).toMatch(/^\[ +\d+\.\d{3} route\] error: The route stage failed\.$/);
    expect(lines.at(-1)).toContain('note: Mend the source');
    expect(await bench.pool.result(0, job.job_id)).toEqual({ ok: false, data: new Uint32Array(0) });
    await reserve(bench.pool);
  });

  test('an internal error fails the job without details for the caller', async () => {
    const job = await ended(bench.pool, await bench.pool.submit(0, design('crash-place'), alice));
    expect(job).toMatchObject({ status: 'failed', failure: { error: 'job_crashed' } });
    expect(JSON.stringify(job)).not.toContain('a fault in the program');
    expect(bench.pool.node(0).state).toBe('idle');
  });

  test('a build for an absent board is refused before it starts, and the node is idle', async () => {
    bench.boards.unplug(0);
    const job = await ended(bench.pool, await bench.pool.submit(0, design(), alice));
    expect(job.failure).toMatchObject({
      error: 'board_absent',
      message: 'Virtual HX8K: The board was unplugged.',
    });
    expect(bench.toolchain.built).toEqual([]);
    expect(bench.pool.node(0)).toMatchObject({ state: 'idle', board: { present: false } });
    bench.boards.plug(0);
    await reserve(bench.pool);
  });

  test('unplugged during the build, the job fails at programming', async () => {
    const { gate, open } = closedGate();
    bench.toolchain.gate = gate;
    const submitted = await bench.pool.submit(0, design(), alice);
    await until(() => bench.pool.node(0).state === 'building');
    bench.boards.unplug(0);
    open();
    expect(await ended(bench.pool, submitted)).toMatchObject({ failure: { error: 'board_absent' } });
    expect(bench.pool.node(0)).toMatchObject({ state: 'error', error: { error: 'board_absent' } });
  });
});

describe('programming', () => {
  test('a programming failure leaves the node in error with the reason; a reset repairs it', async () => {
    bench.boards.board(0).faults.failProgram = 'CDONE stayed low.';
    const job = await ended(bench.pool, await bench.pool.submit(0, design(), alice));
    expect(job).toMatchObject({ status: 'failed', failure: { message: 'CDONE stayed low.' } });
    expect(bench.pool.node(0)).toMatchObject({
      state: 'error',
      error: { message: 'CDONE stayed low.' },
      session: null,
      design: null,
    });
    await expect(bench.pool.submit(0, design(), alice)).rejects.toMatchObject({
      code: 'fpga_not_idle',
      message: 'Node 0 is in error: CDONE stayed low.',
    });
    expect(await reset()).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0)).toMatchObject({ state: 'idle', error: null });
    await reserve(bench.pool);
  });

  test('a board that reports another build is not reserved', async () => {
    bench.boards.board(0).faults.wrongIdentity = true;
    const job = await ended(bench.pool, await bench.pool.submit(0, design(), alice));
    expect(job.failure?.error).toBe('identity_mismatch');
    expect(job.failure?.message).toMatch(/shows build f{16} of gateware version \d+, not build [0-9a-f]{16}/);
    expect(bench.pool.node(0).state).toBe('error');
    // The reset checks as well: a board without the base SoC is not idle.
    expect(await reset()).toMatchObject({ status: 'failed', failure: { error: 'identity_mismatch' } });
    expect(bench.pool.node(0).state).toBe('error');
    bench.boards.board(0).faults.wrongIdentity = false;
    expect(await reset()).toMatchObject({ status: 'complete' });
  });

  test('unplugging ends the job at once, even if the board does not notice', async () => {
    bench.boards.board(0).faults.hangProgram = true;
    const submitted = await bench.pool.submit(0, design(), alice);
    await until(() => bench.pool.node(0).state === 'programming');
    bench.boards.unplug(0);
    const job = await ended(bench.pool, submitted);
    expect(job.failure?.error).toMatch(/board_vanished|fake_board_gone/);
    expect(bench.pool.node(0)).toMatchObject({ state: 'error', board: { present: false } });
    expect(await reset()).toMatchObject({ status: 'failed', failure: { error: 'board_absent' } });
    bench.boards.board(0).faults = {};
    bench.boards.plug(0);
    expect(await reset()).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0).state).toBe('idle');
  });
});

describe('run', () => {
  test('a run that cannot reach the board fails; its node is in error with its session until the reset', async () => {
    await reserve(bench.pool);
    bench.boards.board(0).faults.failLink = 'The bridge is silent.';
    const job = await ended(bench.pool, await bench.pool.run(0, read(0), alice));
    expect(job).toMatchObject({ status: 'failed', failure: { message: 'The bridge is silent.' } });
    expect(await bench.pool.result(0, job.job_id)).toEqual({ ok: false, data: new Uint32Array(0) });
    expect(bench.pool.node(0)).toMatchObject({ state: 'error', session: { owner: 'alice' } });
    await expect(bench.pool.run(0, read(0), alice)).rejects.toMatchObject({ code: 'fpga_not_reserved' });
    expect(await ended(bench.pool, await bench.pool.release(0, alice))).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0)).toMatchObject({ state: 'idle', session: null, error: null });
  });

  test('runs queued behind a failed one fail without touching the board', async () => {
    await reserve(bench.pool);
    const board = bench.boards.board(0);
    const { gate, open } = closedGate();
    board.faults = { failLink: 'The line is corrupted.', gate };
    const runs = await Promise.all([1, 2, 3].map((word) => bench.pool.run(0, write(0, word), alice)));
    const after = await bench.pool.reset(0, alice);
    open();
    const all = await Promise.all(runs.map((run) => ended(bench.pool, run)));
    expect(all.map(({ failure }) => failure?.error)).toEqual([
      'fake_link_silent',
      'run_skipped',
      'run_skipped',
    ]);
    expect(board.writes).toEqual([]);
    expect(await ended(bench.pool, after)).toMatchObject({ status: 'complete' });
    expect(bench.pool.node(0).state).toBe('idle');
  });

  test('unplugging fails the run at once and puts the node into error', async () => {
    await reserve(bench.pool);
    bench.boards.board(0).faults.hangLink = true;
    const run = await bench.pool.run(0, read(0), alice);
    await until(() => bench.pool.job(0, run.job_id).status === 'running');
    bench.boards.unplug(0);
    expect((await ended(bench.pool, run)).failure?.error).toMatch(/board_vanished|fake_board_gone/);
    expect(bench.pool.node(0).state).toBe('error');
  });
});

describe('a board of a reserved node that goes away and comes back', () => {
  test('continues its session when it still runs the design', async () => {
    const job = await reserve(bench.pool);
    bench.boards.board(0).selfPowered = true;
    bench.boards.unplug(0);
    expect(bench.pool.node(0)).toMatchObject({ state: 'reserved', board: { present: false } });
    bench.boards.plug(0);
    expect((await ended(bench.pool, await bench.pool.run(0, read(0), alice))).ok).toBe(true);
    expect(bench.pool.node(0).state).toBe('reserved');
    expect(await logOf(job)).toContain('the session continues');
  });

  test('is in error when it has lost the design', async () => {
    await reserve(bench.pool);
    bench.boards.unplug(0);
    bench.boards.plug(0);
    await until(() => bench.pool.node(0).state === 'error');
    expect(bench.pool.node(0).error?.message).toContain('not configured');
    expect(await reset()).toMatchObject({ status: 'complete' });
  });

  test('is in error when another board is in the slot', async () => {
    await reserve(bench.pool);
    const other = bench.boards.replace(0, 'usb:other');
    await until(() => bench.pool.node(0).state === 'error');
    expect(bench.pool.node(0).board.id).toBe('usb:other');
    expect(await reset()).toMatchObject({ status: 'complete' });
    expect(other.buildId).toMatch(/^0{64}$/);
  });

  test('a run during its absence fails with board_absent', async () => {
    await reserve(bench.pool);
    bench.boards.unplug(0);
    const run = await ended(bench.pool, await bench.pool.run(0, read(0), alice));
    expect(run.failure?.error).toBe('board_absent');
    expect(bench.pool.node(0).state).toBe('error');
  });
});
