import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FakeClock } from '../../../support/fake-clock.ts';
import {
  alice,
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
  bench = await testPool({ settings: { jobsPerNode: 20 } });
});
afterEach(() => bench.dispose());

const folders = (fpgaId: number) => readdir(path.join(bench.folder, 'jobs', String(fpgaId)));
const bitstreams = () => readdir(path.join(bench.folder, 'bitstreams'));

test('the newest jobs of each node are retained, and the one whose design is on the board', async () => {
  const { pool, events } = bench;
  const build = await reserve(pool);
  const runs = await Promise.all(Array.from({ length: 60 }, (_, i) => pool.run(0, write(4 * i, i), alice)));
  for (const run of runs) await pool.waitForChange(run.job_id, 30).catch(() => {});
  await until(() => pool.jobs({ fpgaId: 0 }).length === 21);
  const kept = pool.jobs({ fpgaId: 0 }).map(({ job_id }) => job_id);
  expect(kept).toEqual([
    ...runs
      .slice(-20)
      .map(({ job_id }) => job_id)
      .reverse(),
    build.job_id,
  ]);
  expect(events.filter(({ type }) => type === 'job_removed')).toHaveLength(40);
  expect(() => pool.job(0, runs[0]?.job_id ?? '')).toThrow('This node has no job with that id.');

  await bench.stop();
  expect((await folders(0)).sort()).toEqual([...kept].sort());
  bench = await testPool({ folder: bench.folder, settings: { jobsPerNode: 20 } });
  expect(bench.pool.jobs({ fpgaId: 0 }).map(({ job_id }) => job_id)).toEqual(kept);
});

test('runs never displace builds or resets, whatever their number', async () => {
  const { pool } = bench;
  const failed = await ended(pool, await pool.submit(0, design('fail-scan'), alice));
  const build = await reserve(pool);
  const release = await ended(pool, await pool.release(0, alice));
  const second = await reserve(pool);
  for (let round = 0; round < 3; round++) {
    const runs = await Promise.all(Array.from({ length: 30 }, (_, i) => pool.run(0, write(4 * i, i), alice)));
    await ended(pool, runs.at(-1) ?? expect.fail());
  }
  await until(() => pool.jobs({ fpgaId: 0 }).filter(({ type }) => type === 'run').length === 20);
  const others = pool.jobs({ fpgaId: 0 }).filter(({ type }) => type !== 'run');
  expect(others.map(({ job_id }) => job_id)).toEqual(
    [second, release, build, failed].map(({ job_id }) => job_id),
  );
  expect(pool.node(0).last_build).toMatchObject({
    job_id: second.job_id,
    status: 'complete',
    file: 'echo.v',
  });
  await bench.stop();
  bench = await testPool({ folder: bench.folder, settings: { jobsPerNode: 20 } });
  expect(bench.pool.job(0, failed.job_id).status).toBe('failed');
  expect(bench.pool.node(0).last_build?.job_id).toBe(second.job_id);
});

test('above the byte limit, large run results are removed before builds', async () => {
  const { pool, store } = bench;
  pool.configure({ jobsPerNode: 1000 });
  const first = await ended(pool, await pool.submit(1, design('fail-scan'), alice));
  await reserve(pool, 0);
  for (let i = 0; i < 20; i++) await ended(pool, await pool.run(0, read(0, 1000), alice));
  await until(() => store.jobFiles.sizes.total > 80_000);
  pool.configure({ jobsBytes: 30_000 });
  expect(pool.job(1, first.job_id).status).toBe('failed');
  expect(pool.jobs({ fpgaId: 0 }).filter(({ type }) => type === 'run').length).toBeLessThan(8);
});

test('a smaller limit takes effect at once', async () => {
  const { pool } = bench;
  for (let i = 0; i < 8; i++) await ended(pool, await pool.submit(0, design('fail-scan'), alice));
  pool.configure({ jobsPerNode: 3 });
  expect(pool.jobs({ fpgaId: 0 })).toHaveLength(3);
});

test('the build whose design is on the board stays, however many builds come after it', async () => {
  const { pool } = bench;
  const { job_id } = await reserve(pool);
  const failed = [];
  for (let i = 0; i < 3; i++)
    failed.push(await ended(pool, await pool.replace(0, design('fail-scan'), alice)));
  pool.configure({ jobsPerNode: 1 });
  expect(pool.jobs({ fpgaId: 0 }).map((job) => job.job_id)).toEqual([failed.at(-1)?.job_id, job_id]);
  // Its holder may look up the last request, whatever the limit of bytes.
  pool.configure({ jobsBytes: 0 });
  expect(pool.jobs({ fpgaId: 0 }).map((job) => job.job_id)).toEqual([failed.at(-1)?.job_id, job_id]);
});

test('a bitstream is retained only while a job or a board uses it', async () => {
  const { pool } = bench;
  await reserve(pool, 0, design('one'));
  await reserve(pool, 1, design('one'));
  expect(await bitstreams()).toHaveLength(1);
  await ended(pool, await pool.release(0, alice));
  for (let i = 0; i < 20; i++) await ended(pool, await pool.submit(0, design('fail-scan'), alice));
  await until(() => pool.jobs({ fpgaId: 0 }).length === 20);
  expect(await bitstreams()).toHaveLength(1);
  await ended(pool, await pool.release(1, alice));
  for (let i = 0; i < 20; i++) await ended(pool, await pool.submit(1, design('fail-scan'), alice));
  await bench.stop();
  expect(await bitstreams()).toEqual([]);
  await bench.dispose();
});

test('a history of many jobs stays small on disk', async () => {
  const { pool } = bench;
  await reserve(pool);
  for (let i = 0; i < 400; i++) await ended(pool, await pool.run(0, read(0), alice));
  await bench.stop();
  const { readFile } = await import('node:fs/promises');
  const lines = (await readFile(path.join(bench.folder, 'history', '0.jsonl'), 'utf8')).trimEnd().split('\n');
  expect(lines.length).toBeLessThan(2 * 21 + 64 + 2);
});

test('unknown job folders are removed at the start, unless something was damaged', async () => {
  const { mkdir, writeFile } = await import('node:fs/promises');
  await bench.stop();
  const stray = path.join(bench.folder, 'jobs', '4', '00000000-0000-4000-8000-000000000000');
  await mkdir(stray, { recursive: true });
  await writeFile(path.join(bench.folder, 'history', '4.jsonl'), 'this is no record\n');
  bench = await testPool({ folder: bench.folder });
  expect(bench.store.notices).toHaveLength(1);
  await bench.stop();
  expect(await folders(4)).toHaveLength(1);
  bench = await testPool({ folder: bench.folder });
  await bench.stop();
  expect(await folders(4)).toEqual([]);
});

test('above the byte limit, the oldest jobs of any node are removed, except those a session needs', async () => {
  const { pool, store } = bench;
  pool.configure({ jobsPerNode: 1000 });
  const build = await reserve(pool, 0);
  const words = Array.from({ length: 1000 }, (_, i) => i);
  await ended(pool, await pool.run(0, write(0, ...words), alice));
  await reserve(pool, 1);
  for (let i = 0; i < 10; i++) await ended(pool, await pool.run(1, read(0, 1000), alice));
  await until(() => store.jobFiles.sizes.total > 40_000);
  pool.configure({ jobsBytes: 20_000 });
  expect(pool.jobs({}).length).toBeLessThan(8);
  expect(pool.job(0, build.job_id).status).toBe('complete');
  await until(() => store.jobFiles.sizes.total <= 20_000, 'the removals');
  const newest = pool.jobs({ fpgaId: 1 })[0];
  pool.configure({ jobsBytes: 1 });
  expect(pool.jobs({ fpgaId: 1 }).map(({ job_id }) => job_id)).toContain(newest?.job_id);
  expect(pool.jobs({ fpgaId: 1 })).toHaveLength(2);
});

test('jobs above the age limit are removed, unless the clock was changed', async () => {
  await bench.dispose();
  const clock = new FakeClock();
  bench = await testPool({ clock, settings: { jobDays: 30 } });
  const { pool } = bench;
  await ended(pool, await pool.submit(0, design('fail-scan'), alice));
  clock.setWall(10 * 365 * 86_400_000);
  clock.advance(3_600_000);
  expect(pool.jobs({})).toHaveLength(1);
  clock.setWall(-10 * 365 * 86_400_000);
  clock.advance(29 * 86_400_000);
  expect(pool.jobs({})).toHaveLength(1);
  clock.advance(2 * 86_400_000);
  expect(pool.jobs({})).toHaveLength(0);
});

test('under load removal keeps up: the number of folders stays bounded', async () => {
  const { pool } = bench;
  await reserve(pool);
  let most = 0;
  for (let round = 0; round < 10; round++) {
    const runs = await Promise.all(Array.from({ length: 100 }, () => pool.run(0, read(0), alice)));
    await ended(pool, runs.at(-1) ?? expect.fail());
    most = Math.max(most, (await folders(0)).length);
  }
  // The limit is 20; 256 may wait for removal.
  expect(most).toBeLessThan(20 + 256 + 100);
});

test('a record is removed after its folder, so a crash between the two is no damage', async () => {
  const { pool } = bench;
  await reserve(pool);
  for (let i = 0; i < 150; i++) await ended(pool, await pool.run(0, read(0), alice));
  await bench.stop();
  bench = await testPool({ folder: bench.folder, settings: { jobsPerNode: 20 } });
  expect(bench.store.notices).toEqual([]);
});
