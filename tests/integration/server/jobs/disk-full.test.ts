import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type DiskStep, FailingFiles } from '../../../support/failing-files.ts';
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

const STEPS: DiskStep[] = ['open', 'write', 'sync', 'rename', 'sync folder'];

let bench: TestPool;
let disk: FailingFiles;
beforeEach(async () => {
  disk = new FailingFiles();
  bench = await testPool({ files: disk.files, toolchain: new FakeToolchain({ slots: 1 }) });
});
afterEach(async () => {
  disk.failing = null;
  await bench.dispose();
});

const unavailable = { code: 'store_unavailable', status: 503 };

for (const step of STEPS) {
  describe(`a disk that fails at "${step}"`, () => {
    test('a refused submit leaves no trace', async () => {
      disk.failing = step;
      const submitting = bench.pool.submit(0, design(), alice);
      // A change that is not on disk is invisible, and no other request can use it.
      expect(bench.pool.node(0)).toMatchObject({ state: 'idle', current_job_id: null });
      await expect(bench.pool.submit(0, design(), bob)).rejects.toMatchObject({ code: 'fpga_not_idle' });
      await expect(submitting).rejects.toMatchObject(unavailable);
      expect(bench.pool.node(0)).toMatchObject({ state: 'idle', current_job_id: null });
      expect(bench.pool.jobs({})).toEqual([]);
      expect(bench.toolchain.built).toEqual([]);
      disk.failing = null;
      await reserve(bench.pool);
      expect(bench.pool.jobs({})).toHaveLength(1);
    });

    test('runs and resets are refused and never executed, and the session continues', async () => {
      await reserve(bench.pool);
      await until(() => bench.store.bench.jobs.size === 0, 'the end of the build in the history');
      disk.failing = step;
      const words = Array.from({ length: 100 }, (_, i) => i);
      // One that begins at once needs only a line at the end of an open file.
      const line = step === 'write' || step === 'sync' ? [] : [1];
      const first = bench.pool.run(0, write(0, 1), alice);
      const refused = await Promise.allSettled([
        ...(line.length === 0 ? [first] : []),
        bench.pool.run(0, write(0, ...words), alice),
        bench.pool.run(0, read(0), alice),
        bench.pool.reset(0, alice),
        bench.pool.release(0, alice),
      ]);
      for (const one of refused) {
        expect(one.status).toBe('rejected');
        expect((one as PromiseRejectedResult).reason).toMatchObject(unavailable);
      }
      if (line.length > 0) expect((await ended(bench.pool, await first)).status).toBe('complete');
      await until(() => bench.pool.node(0).current_job_id === null, 'rest');
      expect(bench.pool.node(0)).toMatchObject({ state: 'reserved', resetting: false });
      disk.failing = null;
      await ended(bench.pool, await bench.pool.run(0, write(0, 2), alice));
      expect(bench.boards.board(0).writes.map(({ word }) => word)).toEqual([...line, 2]);
      await bench.stop();
      bench = await testPool({ folder: bench.folder });
      expect(bench.pool.jobs({})).toHaveLength(2 + line.length);
    });

    test('a cancellation is refused, and the job stays queued', async () => {
      await bench.pool.submit(0, design('hang-place'), alice);
      await until(() => bench.pool.node(0).state === 'building');
      const waiting = await bench.pool.submit(1, design(), alice);
      disk.failing = step;
      await expect(bench.pool.cancel(1, waiting.job_id, alice)).rejects.toMatchObject(unavailable);
      expect(bench.pool.job(1, waiting.job_id).status).toBe('queued');
      expect(bench.pool.node(1).state).toBe('queued');
      disk.failing = null;
      await bench.pool.cancel(1, waiting.job_id, alice);
      expect(bench.pool.node(1).state).toBe('idle');
    });

    test('running jobs end, are shown, and reach the disk once there is room', async () => {
      await reserve(bench.pool);
      const { gate, open } = closedGate();
      bench.boards.board(0).faults.gate = gate;
      const run = await bench.pool.run(0, write(0, 7), alice);
      const many = await bench.pool.run(0, read(0, 200), alice);
      disk.failing = step;
      open();
      expect(await ended(bench.pool, run)).toMatchObject({ status: 'complete', ok: true });
      expect(await ended(bench.pool, many)).toMatchObject({ status: 'complete', ok: true });
      expect((await bench.pool.result(0, many.job_id)).data[0]).toBe(7);
      disk.failing = null;
      await until(() => bench.store.healthy, 'health');
      await bench.stop();
      bench = await testPool({ folder: bench.folder });
      expect(bench.store.notices).toEqual([]);
      expect(bench.pool.job(0, run.job_id)).toMatchObject({ status: 'complete' });
      expect((await bench.pool.result(0, many.job_id)).data[0]).toBe(7);
    });
  });
}

test('a build whose bitstream cannot be stored fails with store_unavailable, and its node is idle', async () => {
  const { gate, open } = closedGate();
  bench.toolchain.gate = gate;
  const job = await bench.pool.submit(0, design(), alice);
  await until(() => bench.pool.node(0).state === 'building');
  disk.failing = 'write';
  open();
  expect(await ended(bench.pool, job)).toMatchObject({ failure: { error: 'store_unavailable' } });
  expect(bench.pool.node(0).state).toBe('idle');
});

test('no file stays open when the disk fails', async () => {
  for (const step of STEPS) {
    disk.failing = step;
    for (let i = 0; i < 20; i++) await bench.pool.submit(0, design(), alice).catch(() => {});
  }
  disk.failing = null;
  await bench.store.commit();
  expect(disk.openHandles).toBeLessThanOrEqual(10);
});
