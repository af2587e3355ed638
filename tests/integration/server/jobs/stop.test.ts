import { afterEach, beforeEach, expect, test } from 'vitest';
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
} from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

const building = async (text = 'hang-synthesis') => {
  const job = await bench.pool.submit(0, design(text), alice);
  await until(() => bench.pool.job(0, job.job_id).stage === 'synthesis', 'synthesis');
  return job;
};

const refusal = (jobId: string) => expect(bench.pool.stopBuild(0, jobId, bob)).rejects;

test('stopping a running build fails it with the requester’s name, and the node accepts the next design', async () => {
  const { pool } = bench;
  const { job_id } = await building();
  const job = await pool.stopBuild(0, job_id, bob);
  expect(job).toMatchObject({
    status: 'failed',
    stage: 'synthesis',
    failure: { error: 'stopped_by_user', message: 'bob stopped this build.' },
  });
  expect(pool.node(0)).toMatchObject({ state: 'idle', session: null, error: null });
  expect(pool.activity(0, 10)).toMatchObject([
    { kind: 'stopped', by: 'bob', owner: 'alice', design: 'echo.v', job_id },
  ]);
  expect((await pool.readLog(0, job_id)).toString()).toContain('bob stopped this build.');
  expect((await reserve(pool)).status).toBe('complete');
});

test('the stop persists: after a restart the job is failed, and the node is idle', async () => {
  const { job_id } = await building();
  await bench.pool.stopBuild(0, job_id, bob);
  await bench.stop();
  bench = await testPool({ folder: bench.folder });
  expect(bench.pool.job(0, job_id).failure?.error).toBe('stopped_by_user');
  expect(bench.pool.node(0).state).toBe('idle');
  expect(bench.pool.activity(0, 10)).toMatchObject([{ kind: 'stopped', by: 'bob' }]);
});

test('of several concurrent stop requests the first counts, and all see the build end', async () => {
  const { pool } = bench;
  const { job_id } = await building();
  const jobs = await Promise.all(
    ['bob', 'carol', 'dave'].map((owner) => pool.stopBuild(0, job_id, { owner })),
  );
  for (const { failure } of jobs) expect(failure?.message).toBe('bob stopped this build.');
  expect(pool.activity(0, 10)).toHaveLength(1);
});

test('stopping a replacement build leaves the session running', async () => {
  const { pool } = bench;
  await reserve(pool);
  const { session } = pool.node(0);
  const { job_id } = await pool.replace(0, design('hang-place'), alice);
  await until(() => pool.job(0, job_id).stage === 'place', 'place');
  expect((await pool.stopBuild(0, job_id, alice)).failure?.error).toBe('stopped_by_user');
  expect(pool.node(0)).toMatchObject({ state: 'reserved', session: { session_id: session?.session_id } });
  expect((await ended(pool, await pool.run(0, read(0), alice))).status).toBe('complete');
});

test('anything but a running build is refused by code and continues', async () => {
  const { pool, boards } = bench;
  const { job_id: built } = await reserve(pool);
  await refusal(built).toMatchObject({
    code: 'job_not_stoppable',
    message: expect.stringMatching(/ended already/),
  });
  await refusal('00000000-0000-4000-8000-000000000000').toMatchObject({ code: 'job_not_found' });

  const run = await pool.run(0, read(0), alice);
  await refusal(run.job_id).toMatchObject({ code: 'job_not_stoppable' });
  expect((await ended(pool, run)).status).toBe('complete');

  await ended(pool, await pool.reset(0, alice));
  const { gate, open } = closedGate();
  boards.board(0).faults.gate = gate;
  const { job_id } = await pool.submit(0, design('fits'), alice);
  await until(() => pool.node(0).state === 'programming', 'programming');
  await refusal(job_id).toMatchObject({
    code: 'job_not_stoppable',
    message: expect.stringMatching(/programmed/),
  });
  open();
  expect((await ended(pool, { fpga_id: 0, job_id })).status).toBe('complete');
});
