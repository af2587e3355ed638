import { appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { silentLogger } from '../../../../server/log.ts';
import { DamagedFiles } from '../../../../server/store/damage.ts';
import { JobHistory } from '../../../../server/store/history.ts';
import type { StoredJob } from '../../../../server/store/records.ts';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/test-pool.ts';

let folder: string;
let file: string;
let disk: FailingFiles;
let clock: FakeClock;
beforeEach(async () => {
  folder = temporaryFolder('store');
  file = path.join(folder, 'history.jsonl');
  disk = new FailingFiles();
  clock = new FakeClock();
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const record = (n: number): StoredJob => ({
  job: {
    job_id: id(n),
    fpga_id: 0,
    type: 'run',
    status: 'complete',
    created_at: '2024-03-01T12:00:00.000Z',
    updated_at: '2024-03-01T12:00:00.000Z',
    owner: 'alice',
  },
  seq: n,
});

async function load() {
  const outcomes: unknown[] = [];
  const history = new JobHistory({
    clock,
    files: disk.files,
    file,
    onOutcome: (error) => outcomes.push(error),
  });
  const damaged = new DamagedFiles({ files: disk.files, folder, logger: silentLogger, clock });
  const records = await history.load(damaged);
  return { history, records, outcomes, damaged, seqs: records.map(({ seq }) => seq) };
}

test('simultaneous records share a write and are read back in order', async () => {
  const { history, outcomes } = await load();
  await Promise.all(Array.from({ length: 100 }, (_, n) => history.append(record(n))));
  expect(outcomes.length).toBeLessThanOrEqual(2);
  await history.close();
  expect((await load()).seqs).toEqual(Array.from({ length: 100 }, (_, n) => n));
});

test('a started job is known until it has ended', async () => {
  let { history } = await load();
  await history.begin(id(1));
  await history.begin(id(2));
  await history.append(record(1));
  await history.close();
  ({ history } = await load());
  expect([history.hasBegun(id(1)), history.hasBegun(id(2)), history.hasBegun(id(3))]).toEqual([
    false,
    true,
    false,
  ]);
});

test('an accepted job is known until it has ended, even if the file is rewritten', async () => {
  const running = (n: number): StoredJob => ({ ...record(n), job: { ...record(n).job, status: 'running' } });
  let { history } = await load();
  await history.accept(running(1));
  await history.accept(running(2));
  await history.append(record(2));
  for (let n = 10; n < 300; n++) {
    await history.append(record(n));
    history.remove(id(n));
  }
  await history.close();
  expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThan(100);
  const loaded = await load();
  ({ history } = loaded);
  expect(history.accepted).toEqual([running(1)]);
  expect(loaded.seqs).toContain(2);
  expect(loaded.damaged.notices).toEqual([]);
});

test('a job whose acceptance fails leaves nothing behind, even if its line reached the disk', async () => {
  for (const failing of ['write', 'sync'] as const) {
    const { history, outcomes } = await load();
    await history.append(record(1));
    disk.failing = failing;
    await expect(history.accept(record(2))).rejects.toMatchObject({ code: 'store_unavailable' });
    disk.failing = null;
    clock.advance(1000);
    await until(() => outcomes.at(-1) === null, 'the next attempt');
    await history.close();
    const loaded = await load();
    expect([loaded.seqs, loaded.history.accepted]).toEqual([[1], []]);
    expect(await readFile(file, 'utf8')).not.toContain('accepted');
  }
});

test('a truncated last line is removed by the next record', async () => {
  let { history } = await load();
  await history.append(record(1));
  await history.close();
  await appendFile(file, JSON.stringify(record(2)).slice(0, 40));
  let loaded = await load();
  expect(loaded.seqs).toEqual([1]);
  ({ history } = loaded);
  await history.append(record(3));
  await history.close();
  loaded = await load();
  expect(loaded.seqs).toEqual([1, 3]);
  expect(loaded.damaged.notices).toEqual([]);
});

test('a disk that fills amid a record leaves no partial record, which is written once there is room', async () => {
  const { history, outcomes } = await load();
  await history.append(record(1));
  disk.failing = 'write';
  disk.half = true;
  await expect(history.append(record(2))).rejects.toMatchObject({ code: 'store_unavailable' });
  await expect(history.append(record(3))).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(outcomes.at(-1)).toBeInstanceOf(Error);
  disk.failing = null;
  clock.advance(1000);
  await until(() => outcomes.at(-1) === null, 'the next attempt');
  await history.close();
  const loaded = await load();
  expect(loaded.seqs).toEqual([1, 2, 3]);
  expect(loaded.damaged.notices).toEqual([]);
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(4);
});

test('lines that are no records are set aside, counted and left out', async () => {
  const bad = ['null', '7', '{', '{"accepted":{}}', '{"begun":1}', '{"job":{}}'];
  for (const lines of [bad, bad.slice(0, 1)]) {
    await writeFile(file, [JSON.stringify(record(1)), ...lines, JSON.stringify(record(2)), ''].join('\n'));
    const { seqs, damaged } = await load();
    expect(seqs).toEqual([1, 2]);
    const how = lines.length === 1 ? 'one record that cannot be read' : '6 records that cannot be read';
    expect(damaged.notices[0]?.message).toContain(`history.jsonl has ${how}; the other 2 are intact`);
    expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(3);
  }
});

test('removed records leave the file when most of it consists of them', async () => {
  let { history } = await load();
  for (let n = 0; n < 300; n++) {
    await history.append(record(n));
    if (n >= 10) history.remove(id(n - 10));
  }
  await history.close();
  expect((await readFile(file, 'utf8')).split('\n').length).toBeLessThan(100);
  let loaded = await load();
  expect(loaded.seqs.slice(-10)).toEqual(Array.from({ length: 10 }, (_, n) => 290 + n));
  ({ history } = loaded);
  await history.append(record(300));
  await history.close();
  loaded = await load();
  expect(loaded.seqs.at(-1)).toBe(300);
});
