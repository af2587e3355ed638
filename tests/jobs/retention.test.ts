import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
} from '../support/test-pool.ts';

let bench: TestPool;
beforeEach(async () => {
  bench = await testPool({ settings: { jobsPerNode: 20 } });
});
afterEach(() => bench.dispose());

const folders = (fpgaId: number) => readdir(path.join(bench.folder, 'jobs', String(fpgaId)));
const bitstreams = () => readdir(path.join(bench.folder, 'bitstreams'));

test('the newest jobs of each node are kept, and the one whose design is on the board', async () => {
  const { pool, events } = bench;
  const build = await reserve(pool);
  const runs = await Promise.all(Array.from({ length: 60 }, (_, i) => pool.run(0, write(4 * i, i), alice)));
  for (const run of runs) await pool.waitForChange(0, run.job_id, 30).catch(() => {});
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

test('a smaller limit takes effect at once', async () => {
  const { pool } = bench;
  for (let i = 0; i < 8; i++) await ended(pool, await pool.submit(0, design('fail-scan'), alice));
  pool.configure({ jobsPerNode: 3 });
  expect(pool.jobs({ fpgaId: 0 })).toHaveLength(3);
});

test('a bitstream is kept while a job or a board has it, and no longer', async () => {
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

test('folders of jobs that nobody knows are removed at start, unless something was damaged', async () => {
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
