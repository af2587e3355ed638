import { expect, test } from 'vitest';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { alice, design, ended, read, reserve, testPool } from '../../../support/test-pool.ts';

test('below 2 % free disk new work is refused, releases are accepted, and work resumes with room', async () => {
  const disk = new FailingFiles();
  const clock = new FakeClock();
  const bench = await testPool({ files: disk.files, clock });
  try {
    const { pool, store } = bench;
    await reserve(pool);
    expect(store.space.level).toBe('ok');
    disk.free = 0.09;
    await store.space.look();
    expect(store.space.level).toBe('low');
    await ended(pool, await pool.run(0, read(0), alice));

    const told: string[] = [];
    store.space.onChange(() => told.push(store.space.level));
    disk.free = 0.019;
    await store.space.look();
    const full = { code: 'storage_low', status: 507 };
    await expect(pool.run(0, read(0), alice)).rejects.toMatchObject(full);
    await expect(pool.submit(1, design(), alice)).rejects.toMatchObject(full);
    // A node that would refuse anyway gives its own reason.
    await expect(pool.submit(0, design(), alice)).rejects.toMatchObject({ code: 'fpga_not_idle' });
    await ended(pool, await pool.release(0, alice));
    expect(pool.node(0).state).toBe('idle');

    disk.free = 0.3;
    await store.space.look();
    expect(told).toEqual(['full', 'ok']);
    await reserve(pool);
  } finally {
    await bench.dispose();
  }
});

test('the disk is looked at every 15 seconds', async () => {
  const disk = new FailingFiles();
  const clock = new FakeClock();
  const { openStore } = await import('../../../../server/store/index.ts');
  const { silentLogger } = await import('../../../../server/log.ts');
  const { temporaryFolder } = await import('../../../support/temporary.ts');
  const store = await openStore(temporaryFolder('jobs'), { logger: silentLogger, files: disk.files, clock });
  disk.free = 0.01;
  clock.advance(15_000);
  await expect.poll(() => store.space.level).toBe('full');
  await store.close();
  expect(clock.pending).toBe(0);
});
