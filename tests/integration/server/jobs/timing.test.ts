import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BoardDefinition } from '../../../../server/boards/definition.ts';
import type { SubmitOptions } from '../../../../server/contract/jobs/jobs.ts';
import { fakeDefinition } from '../../../support/fake-board.ts';
import { alice, design, ended, type TestPool, testPool } from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

/** Puts a real board of this clock into slot 0. */
function realBoard(clock: BoardDefinition['clock'] = fakeDefinition.clock): void {
  const board = bench.boards.board(0);
  board.kind = 'usb';
  board.definition = { ...fakeDefinition, name: 'Some Board', clock };
}

const submit = async (text: string, options: SubmitOptions = {}) =>
  ended(bench.pool, await bench.pool.submit(0, design(text, options), alice));

const TOO_SLOW = {
  status: 'failed',
  failure: {
    error: 'timing_not_met',
    message: 'The design reaches 11.9 MHz; Some Board needs 12 MHz.',
  },
};

test('a design that misses its clock is not programmed on a real board; report and bitstream exist', async () => {
  realBoard();
  const job = await submit('fmax-11.9');
  expect(job).toMatchObject({ ...TOO_SLOW, summary: expect.stringContaining('target missed') });
  expect(bench.boards.board(0).programmed).toEqual([]);
  expect(bench.pool.node(0)).toMatchObject({ state: 'idle', error: null, session: null });
  const report = await bench.pool.report(0, job.job_id);
  expect(report.timing).toMatchObject({ fmax_mhz: 11.9, target_mhz: 12, met: false });
  expect((await bench.pool.bitstream(0, job.job_id)).length).toBe(report.bitstream_size);
});

test('it is programmed when requested', async () => {
  realBoard();
  expect(await submit('fmax-11.9', { allow_timing_failure: true })).toMatchObject({ status: 'complete' });
  expect(bench.boards.board(0).programmed).toHaveLength(1);
  expect(bench.pool.node(0).state).toBe('reserved');
});

test('a virtual board has no delays: a missed target is only a warning', async () => {
  const job = await submit('fmax-11.9');
  expect(job).toMatchObject({ status: 'complete', summary: expect.stringContaining('target missed') });
  expect((await bench.pool.report(0, job.job_id)).timing.met).toBe(false);
});

test('a lower target does not hide a missed board clock', async () => {
  realBoard();
  expect(await submit('fmax-11.9', { timing_target_mhz: 5 })).toMatchObject(TOO_SLOW);
});

test('a missed target above the clock fails too', async () => {
  realBoard();
  const job = await submit('fmax-20', { timing_target_mhz: 25 });
  expect(job.failure?.message).toBe('The design reaches 20 MHz; Some Board needs 25 MHz.');
});

test('the design’s clock counts, not the oscillator’s', async () => {
  realBoard({ hz: 100_000_000, pin: 'P7', user: { hz: 50_000_000 } });
  expect(await submit('fmax-60')).toMatchObject({ status: 'complete' });
});
