import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import pino from 'pino';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { checkOf } from '../../../../server/contract/check.ts';
import { silentLogger } from '../../../../server/log.ts';
import { emptyBench, formatBench } from '../../../../server/store/bench-data.ts';
import { DataSize } from '../../../../server/store/data-size.ts';
import { StoreHealth } from '../../../../server/store/health.ts';
import { openStore, type Store, type StoreOptions } from '../../../../server/store/index.ts';
import { DiskSpace } from '../../../../server/store/space.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { MemoryDisk } from '../../../support/memory-disk.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

const FOLDER = path.resolve('/bench');
const JOB = '00000000-0000-4000-8000-000000000001';

const open = (disk: MemoryDisk, more: Partial<StoreOptions> = {}): Promise<Store> =>
  openStore(FOLDER, {
    logger: silentLogger,
    files: disk.files,
    clock: new FakeClock(),
    lock: async () => async () => {},
    ...more,
  });

async function write(disk: MemoryDisk, name: string, text: string): Promise<void> {
  const file = path.join(FOLDER, name);
  await disk.files.mkdir(path.dirname(file), { recursive: true });
  const handle = await disk.files.create(file, 0o600);
  disk.files.writeSync(handle, Buffer.from(text), 0, text.length);
  disk.files.closeSync(handle);
}

const notes = ({ notices }: Store) => notices.map(({ message }) => message);

test('a directory that cannot be locked is refused in one sentence', async () => {
  const lock = async () => {
    throw Object.assign(new Error('EROFS: read-only file system, open'), { code: 'EROFS' });
  };
  await expect(open(new MemoryDisk(), { lock })).rejects.toMatchObject({
    code: 'store_unwritable',
    message: `The data directory ${FOLDER} cannot be written: read-only file system.`,
  });
});

test('a bench whose first line alone is broken loses nothing else', async () => {
  const disk = new MemoryDisk();
  await write(disk, 'bench.json', formatBench({ ...emptyBench(), seq: 7 }).replace('{"schema"', '{schema'));
  const store = await open(disk);
  expect(notes(store)[0]).toContain(
    'bench.json holds records that cannot be read (its first line); the bench starts without them',
  );
  await store.close();
});

const isNumbers = checkOf(Type.Array(Type.Number()));
const salvage = (text: string) => {
  const value = [...text.matchAll(/\d+/g)].map(Number);
  return value.length > 0 ? { value, lost: 'all but numbers' } : null;
};

test.each([
  ['7, x, 8', '[1]', [7, 8], 'holds records that cannot be read (all but numbers); the others are intact'],
  ['x', '[1]', [1], 'cannot be read; its previous generation is used'],
  ['x', '{}', [0], 'cannot be read; the bench starts without it'],
  [null, '[1]', [1], 'is missing; its previous generation is used'],
])('of a document %j, with %j before it, what can be read is used', async (text, before, value, what) => {
  const disk = new MemoryDisk();
  await write(disk, 'numbers.previous.json', before);
  if (text !== null) await write(disk, 'numbers.json', text);
  const store = await open(disk);
  const document = await store.document('numbers', [0], isNumbers, { salvage });
  expect([document.value, document.damaged]).toEqual([value, true]);
  expect(notes(store)).toEqual([expect.stringContaining(`numbers.json ${what}`)]);
  await store.close();
});

test('a document is opened once', async () => {
  const store = await open(new MemoryDisk());
  await store.document('numbers', [0], isNumbers);
  await expect(store.document('numbers', [0], isNumbers)).rejects.toThrow('open already');
  await store.close();
});

test('a failed write takes back its own value, and not the later one', async () => {
  const disk = new MemoryDisk();
  const store = await open(disk);
  const document = await store.document('numbers', [0], isNumbers);
  disk.faults.set(disk.steps, 'fails');
  const failing = document.write([1]);
  document.writeSoon([2]);
  await expect(failing).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(document.value).toEqual([2]);
  disk.faults.set(disk.steps, 'fails');
  await expect(document.write([3])).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(document.value).toEqual([2]);
  await store.close();
});

test('a job without a source is placed without one', async () => {
  const store = await open(new MemoryDisk());
  await store.jobFiles.place(2, JOB);
  expect(await store.jobFiles.read(2, JOB, 'source')).toBeNull();
  await store.jobFiles.write(null, JOB, 'source', Buffer.from('module a;'));
  await store.jobFiles.place(2, JOB);
  expect((await store.jobFiles.read(2, JOB, 'source'))?.toString()).toBe('module a;');
  await store.close();
});

test('a removal that is not durable yet is made so later', async () => {
  const disk = new MemoryDisk();
  const { jobFiles, close } = await open(disk);
  await jobFiles.write(2, JOB, 'source', Buffer.from('module a;'));
  await jobFiles.removeJob(2, JOB);
  disk.faults.set(disk.steps, 'fails');
  await expect(jobFiles.syncRemovals(2)).rejects.toMatchObject({ code: 'ENOSPC' });
  await jobFiles.syncRemovals(2);
  const { steps } = disk;
  await jobFiles.syncRemovals(2);
  expect(disk.steps).toBe(steps);
  await disk.files.rm(path.join(FOLDER, 'jobs', '3'), { force: true });
  await jobFiles.removeJob(3, JOB);
  await jobFiles.syncRemovals(3);
  await close();
});

test('the size of a directory is unknown until it is measured; links in it are not followed', async () => {
  const [folder, outside] = [temporaryFolder('store'), temporaryFolder('store')];
  for (const [name, bytes] of [
    ['a', 10],
    ['designs/b', 200],
    ['jobs/c', 3000],
  ] as const) {
    await mkdir(path.join(folder, path.dirname(name)), { recursive: true });
    await writeFile(path.join(folder, name), Buffer.alloc(bytes));
  }
  await writeFile(path.join(outside, 'd'), Buffer.alloc(40_000));
  await symlink(outside, path.join(folder, 'link'), 'junction');
  const size = new DataSize({ folder, jobs: () => 7, clock: new FakeClock() });
  expect(size.bytes).toBeNull();
  await size.measure();
  expect(size.bytes).toBe(217);
  size.close();
});

test('a disk of unknown size refuses nothing', async () => {
  const { files } = new MemoryDisk();
  const answers = [{ blocks: 0, bavail: 0, bsize: 4096 }, new Error('ENOSYS')];
  const statfs = async () => {
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer;
    return answer;
  };
  const space = new DiskSpace({
    files: { ...files, statfs },
    folder: FOLDER,
    clock: new FakeClock(),
    logger: silentLogger,
  });
  for (let time = 0; time < 2; time++) {
    await space.look();
    expect([space.now, space.level]).toEqual([null, 'ok']);
    space.demand();
  }
  space.close();
});

test('a part that fails is logged once for each reason, and the store is healthy when all parts are', () => {
  const lines: string[] = [];
  const health = new StoreHealth(
    pino({ level: 'info' }, { write: (line) => lines.push(JSON.parse(line).msg) }),
  );
  const [one, other] = [health.part('one'), health.part('other')];
  const seen: boolean[] = [];
  const end = health.onChange((healthy) => seen.push(healthy));
  for (const error of [new Error('full'), 'full', 'broken']) one(error);
  other('full');
  one(null);
  other(null);
  end();
  one('full');
  expect(seen).toEqual([false, true]);
  expect(lines).toEqual([
    ...Array(3).fill('The store could not write.'),
    'The store can write again.',
    'The store could not write.',
  ]);
});
