import { afterEach, beforeEach, expect, test } from 'vitest';
import { FAKE_ESTIMATE } from '../../../support/fake-toolchain.ts';
import {
  alice,
  closedGate,
  design,
  ended,
  type TestPool,
  testPool,
  until,
} from '../../../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool();
});
afterEach(() => bench.dispose());

test('a running build shows an estimate, which its final figures replace', async () => {
  const { gate, open } = closedGate();
  bench.toolchain.gate = gate;
  const job = await bench.pool.submit(0, design('a'), alice);
  const { job_id } = job;
  await until(() => bench.pool.job(0, job_id).estimate !== undefined, 'the estimate');
  expect(bench.pool.job(0, job_id)).toMatchObject({ status: 'running', estimate: FAKE_ESTIMATE });
  open();
  const done = await ended(bench.pool, job);
  expect(done.status).toBe('complete');
  expect(done.figures).toBeDefined();
  expect(done.estimate).toBeUndefined();
});

test('a build that fails later retains it, also after a restart', async () => {
  const job = await bench.pool.submit(0, design('fail-route'), alice);
  expect(await ended(bench.pool, job)).toMatchObject({ status: 'failed', estimate: FAKE_ESTIMATE });
  await bench.stop();
  bench = await testPool({ folder: bench.folder });
  expect(bench.pool.job(0, job.job_id).estimate).toEqual(FAKE_ESTIMATE);
});
