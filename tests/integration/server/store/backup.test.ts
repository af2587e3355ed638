import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import { backUp, finishRestore, prepareRestore, streamBackup } from '../../../../server/store/backup.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { alice, ended, read, reserve, type TestPool, testPool, write } from '../../../support/test-pool.ts';

const hasTar = !spawnSync('tar', ['--version']).error;

let bench: TestPool;
let outside: string;
let file: string;
beforeEach(async () => {
  bench = await testPool();
  outside = temporaryFolder('store');
  file = path.join(outside, 'backup.tar.gz');
});
afterEach(async () => {
  await bench.dispose();
  await rm(outside, { recursive: true, force: true });
});

const NOW = new Date('2026-03-01T12:00:00.000Z');

/** The visible part of a bench's jobs. */
async function seen({ pool }: TestPool) {
  const jobs = pool.jobs({});
  return await Promise.all(
    jobs.map(async (job: Job) => ({
      job,
      log: (await pool.readLog(job.fpga_id, job.job_id)).toString(),
      result: (await pool.result(job.fpga_id, job.job_id)).data,
    })),
  );
}

test('a backup of a running service captures that moment: sessions, logs and results', async () => {
  await reserve(bench.pool, 2);
  const session = bench.pool.node(2).session?.session_id;
  await ended(
    bench.pool,
    await bench.pool.run(2, write(0, ...Array.from({ length: 100 }, (_, i) => i)), alice),
  );
  await ended(bench.pool, await bench.pool.run(2, read(0, 100), alice));
  await expect.poll(async () => (await seen(bench)).every(({ log }) => log !== '')).toBe(true);
  const before = await seen(bench);
  await backUp(bench.folder, file, NOW);
  await ended(bench.pool, await bench.pool.release(2, alice));

  // Another computer, or this one after its disk has died.
  const other = path.join(outside, 'data');
  await prepareRestore(other, file, NOW);
  const restored = await testPool({ folder: other });
  try {
    expect(restored.store.notices.map(({ message }) => message)).toEqual([
      `The backup of ${NOW.toISOString()} was restored.`,
    ]);
    expect(restored.pool.node(2)).toMatchObject({ state: 'reserved', session: { session_id: session } });
    await ended(restored.pool, await restored.pool.run(2, read(0), alice));
    const after = (await seen(restored)).slice(1);
    expect(after.map(({ job, result }) => ({ job, result }))).toEqual(
      before.map(({ job, result }) => ({ job, result })),
    );
    for (const [i, { log }] of after.entries()) expect(log.startsWith(before[i]?.log ?? '-')).toBe(true);
  } finally {
    await restored.stop();
  }
});

test('each backup of a busy service is consistent', async () => {
  await reserve(bench.pool, 0);
  let busy = true;
  const load = (async () => {
    while (busy) await ended(bench.pool, await bench.pool.run(0, read(0, 70), alice));
  })();
  for (let n = 0; n < 5; n++) {
    const copy = path.join(outside, `${n}.tar.gz`);
    await backUp(bench.folder, copy, NOW);
    const other = path.join(outside, `data-${n}`);
    await prepareRestore(other, copy, NOW);
    const restored = await testPool({ folder: other });
    expect(restored.store.notices).toHaveLength(1);
    expect(restored.pool.node(0).state).toBe('reserved');
    await restored.stop();
  }
  busy = false;
  await load;
});

test('a restore preserves the previous data, and an interrupted restore resumes', async () => {
  const first = await reserve(bench.pool, 1);
  await bench.stop();
  await backUp(bench.folder, file, NOW);
  bench = await testPool({ folder: bench.folder });
  await ended(bench.pool, await bench.pool.release(1, alice));
  await bench.stop();
  const later = await readFile(path.join(bench.folder, 'bench.json'), 'utf8');

  await prepareRestore(bench.folder, file, NOW);
  // As after a crash once the first two names were exchanged.
  const half = path.join(outside, 'half');
  await cp(bench.folder, half, { recursive: true });
  const { mkdir, rename } = await import('node:fs/promises');
  const kept = path.join(half, 'before-restore-2026-03-01T12-00-00.000Z');
  await mkdir(kept);
  await rename(path.join(half, 'bench.json'), path.join(kept, 'bench.json'));
  await rename(path.join(half, 'restore.ready', 'bench.json'), path.join(half, 'bench.json'));
  await rename(path.join(half, 'history'), path.join(kept, 'history'));

  for (const folder of [bench.folder, half]) {
    expect(await finishRestore(folder)).toContain('was restored');
    expect(await finishRestore(folder)).toBeNull();
    const restored = await testPool({ folder });
    expect(restored.store.notices).toEqual([]);
    expect(restored.pool.node(1)).toMatchObject({ state: 'reserved', session: { owner: 'alice' } });
    expect(restored.pool.jobs({}).map(({ job_id }) => job_id)).toEqual([first.job_id]);
    await restored.stop();
    const [before = ''] = (await readdir(folder)).filter((name) => name.startsWith('before-restore-'));
    expect(await readFile(path.join(folder, before, 'bench.json'), 'utf8')).toBe(later);
  }
});

test('a damaged or truncated backup is refused, and nothing changes', async () => {
  await reserve(bench.pool, 1);
  await bench.stop();
  await backUp(bench.folder, file, NOW);
  const whole = await readFile(file);
  const listed = (await readdir(bench.folder)).sort();
  await expect(backUp(bench.folder, file, NOW)).rejects.toMatchObject({ code: 'backup_exists' });
  const spoiled = Buffer.from(whole);
  spoiled[whole.length >> 1] = (spoiled[whole.length >> 1] ?? 0) ^ 0xff;
  for (const contents of [Buffer.from('no archive'), Buffer.alloc(0), spoiled]) {
    await writeFile(file, contents);
    await expect(prepareRestore(bench.folder, file, NOW)).rejects.toMatchObject({ code: 'backup_damaged' });
  }
  await writeFile(file, whole);
  await truncate(file, whole.length - 30);
  await expect(prepareRestore(bench.folder, file, NOW)).rejects.toMatchObject({ code: 'backup_damaged' });
  expect((await readdir(bench.folder)).sort()).toEqual(listed);
});

test('a design with the longest possible name is backed up for any tar and restored', async () => {
  await reserve(bench.pool, 1);
  await bench.stop();
  const name = `designs/${'d'.repeat(48)}-0123abcd/sources/${'5f'.repeat(32)}`;
  await mkdir(path.dirname(path.join(bench.folder, name)), { recursive: true });
  await writeFile(path.join(bench.folder, name), 'module d;');
  await backUp(bench.folder, file, NOW);
  const other = path.join(outside, 'data');
  await prepareRestore(other, file, NOW);
  await finishRestore(other);
  expect(await readFile(path.join(other, name), 'utf8')).toBe('module d;');
  if (hasTar) expect(spawnSync('tar', ['xzOf', file, name], { encoding: 'utf8' }).stdout).toBe('module d;');
});

test('a folder without a bench is reported with a remedy', async () => {
  await expect(backUp(outside, file, NOW)).rejects.toMatchObject({
    message: `There is no bench in ${outside}.`,
    remedy: 'Name the directory of the bench with --data.',
  });
});

test.skipIf(!hasTar)('any tar can read a backup', async () => {
  await reserve(bench.pool, 1);
  await backUp(bench.folder, file, NOW);
  const { stdout } = spawnSync('tar', ['tzf', file], { encoding: 'utf8' });
  expect(stdout.split('\n').slice(0, 2)).toEqual(['backup.json', 'bench.json']);
});

test('a streamed backup can be restored; one that broke off is refused', async () => {
  await reserve(bench.pool, 2);
  const parts: Buffer[] = [];
  for await (const part of await streamBackup(bench.folder, NOW)) parts.push(part);
  const bytes = Buffer.concat(parts);
  await writeFile(file, bytes);
  const other = path.join(outside, 'data');
  expect(await prepareRestore(other, file, NOW)).toBe(NOW.toISOString());
  await writeFile(file, bytes.subarray(0, bytes.length / 2));
  await expect(prepareRestore(path.join(outside, 'more'), file, NOW)).rejects.toMatchObject({
    code: 'backup_damaged',
  });
  await expect(streamBackup(outside, NOW)).rejects.toMatchObject({ code: 'backup_impossible' });
});
