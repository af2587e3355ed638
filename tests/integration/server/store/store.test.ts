import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../../../server/log.ts';
import { openStore, type Store } from '../../../../server/store/index.ts';
import { FailingFiles } from '../../../support/failing-files.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/test-pool.ts';

let folder: string;
let clock: FakeClock;
const open: Store[] = [];
beforeEach(async () => {
  folder = temporaryFolder('store');
  clock = new FakeClock();
});
afterEach(async () => {
  for (const store of open.splice(0)) await store.close();
  await rm(folder, { recursive: true, force: true });
});

async function opened(where = folder, files = new FailingFiles().files): Promise<Store> {
  const store = await openStore(where, { logger: silentLogger, files, clock });
  open.push(store);
  return store;
}

async function reopened(store: Store): Promise<Store> {
  await store.close();
  open.splice(open.indexOf(store), 1);
  return await opened(store.folder);
}

const isText = (value: unknown): value is string => typeof value === 'string';

describe('the data directory', () => {
  test('is created if it does not exist, for this user only', async () => {
    const store = await opened(path.join(folder, 'a', 'b'));
    expect((await readdir(store.folder)).sort()).toEqual([
      'bench.json',
      'bitstreams',
      'history',
      'jobs',
      'lock',
    ]);
    if (process.platform !== 'win32') {
      expect((await stat(store.folder)).mode & 0o077).toBe(0);
      expect((await stat(path.join(store.folder, 'bench.json'))).mode & 0o077).toBe(0);
    }
  });

  test('that cannot be written is refused in one sentence', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    await expect(opened(path.join(file, 'data'))).rejects.toMatchObject({
      code: 'store_unwritable',
      message: expect.stringMatching(/^The data directory .*data cannot be written: not a directory\.$/),
    });
  });

  // Root may write everywhere, and folders of Windows have no such mode.
  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'without write permission is refused',
    async () => {
      const where = path.join(folder, 'readonly');
      await mkdir(where);
      await chmod(where, 0o500);
      await expect(opened(where)).rejects.toMatchObject({ code: 'store_unwritable' });
    },
  );

  test('on a full disk is refused in one sentence', async () => {
    const disk = new FailingFiles();
    disk.failing = 'write';
    await expect(opened(folder, disk.files)).rejects.toMatchObject({
      code: 'store_full',
      message: expect.stringContaining('cannot be written: no space left on device.'),
      remedy: expect.stringContaining('Free space'),
    });
    // The lock is released.
    await opened(folder);
  });

  test('of a later version is refused and not changed', async () => {
    const file = path.join(folder, 'bench.json');
    await writeFile(file, '{"schema":99}');
    await expect(opened()).rejects.toMatchObject({ code: 'store_too_new' });
    expect(await readFile(file, 'utf8')).toBe('{"schema":99}');
  });
});

describe('the lock', () => {
  test('excludes a second instance in the same process until the first is closed', async () => {
    const first = await opened();
    await expect(opened()).rejects.toMatchObject({
      code: 'store_locked',
      message: `The data directory ${folder} is in use by another instance (process ${process.pid}).`,
    });
    await reopened(first);
  });

  test('of a living process holds, that of a dead one is taken over', async () => {
    const holder = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    await once(holder, 'spawn');
    const lock = { instance: 'x', pid: holder.pid, born: null, host: os.hostname() };
    await writeFile(path.join(folder, 'lock'), JSON.stringify(lock));
    await expect(opened()).rejects.toMatchObject({ code: 'store_locked' });
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    await opened();
  });

  test.runIf(process.platform === 'linux')('of a process whose number was reused is taken over', async () => {
    const lock = { instance: 'x', pid: 1, born: 'long ago', host: os.hostname() };
    await writeFile(path.join(folder, 'lock'), JSON.stringify(lock));
    await opened();
  });

  test('of a container that previously had this process number is taken over', async () => {
    const lock = { instance: 'x', pid: process.pid, born: null, host: os.hostname() };
    await writeFile(path.join(folder, 'lock'), JSON.stringify(lock));
    await opened();
  });

  test('on another host holds while it is renewed', async () => {
    const file = path.join(folder, 'lock');
    await writeFile(file, JSON.stringify({ instance: 'x', pid: 1, born: null, host: 'elsewhere' }));
    await expect(opened()).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining('on elsewhere'),
    });
    const { utimes } = await import('node:fs/promises');
    const old = new Date(Date.now() - 120_000);
    await utimes(file, old, old);
    await opened();
  });

  test('that is damaged is taken over', async () => {
    const file = path.join(folder, 'lock');
    await writeFile(file, '{"inst');
    const { utimes } = await import('node:fs/promises');
    const old = new Date(Date.now() - 10_000);
    await utimes(file, old, old);
    await opened();
  });

  test('of a dead process goes to exactly one of many simultaneous starts', async () => {
    const dead = spawnSync(process.execPath, ['-e', '']).pid;
    const lock = { instance: 'x', pid: dead, born: null, host: os.hostname() };
    await writeFile(path.join(folder, 'lock'), JSON.stringify(lock));
    const children = Array.from({ length: 4 }, () =>
      spawn(
        process.execPath,
        ['tests/support/run-typescript.mjs', 'tests/support/store/lock-child.ts', folder],
        {
          stdio: ['pipe', 'pipe', 'inherit'],
        },
      ),
    );
    const said = await Promise.all(
      children.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()),
    );
    const exits = children.map((child) => once(child, 'exit'));
    for (const { stdin } of children) stdin.end();
    await Promise.all(exits);
    expect(said.sort()).toEqual(['locked', ...Array(3).fill('store_locked')]);
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('documents', () => {
  test('persist, each in its own human-readable file', async () => {
    let store = await opened();
    const settings = await store.document('settings', 'initial', isText);
    expect(settings.value).toBe('initial');
    await settings.write('changed');
    expect(await readFile(path.join(folder, 'settings.json'), 'utf8')).toBe('"changed"\n');
    store = await reopened(store);
    expect((await store.document('settings', 'initial', isText)).value).toBe('changed');
  });

  test('that are damaged or invalid are set aside and start afresh', async () => {
    let store = await opened();
    await writeFile(path.join(folder, 'settings.json'), '{"a": ');
    await writeFile(path.join(folder, 'keys.json'), '17');
    expect((await store.document('settings', 'initial', isText)).value).toBe('initial');
    expect((await store.document('keys', 'none', isText)).value).toBe('none');
    expect(store.notices.map(({ file }) => file)).toEqual(['settings.json', 'keys.json']);
    for (const { kept } of store.notices) expect(await readdir(folder)).toContain(kept);
    store = await reopened(store);
    expect(store.notices).toEqual([]);
  });

  test('retain their value when a write fails', async () => {
    const disk = new FailingFiles();
    const store = await opened(folder, disk.files);
    const settings = await store.document('settings', 'initial', isText);
    disk.failing = 'sync';
    const writing = settings.write('changed');
    expect(settings.value).toBe('changed');
    await expect(writing).rejects.toMatchObject({ code: 'store_unavailable', status: 503 });
    expect(settings.value).toBe('initial');
    expect(store.healthy).toBe(false);
    disk.failing = null;
    await settings.write('again');
    expect(store.healthy).toBe(true);
  });

  test('with delayed writes reach the disk when the store closes', async () => {
    let store = await opened();
    (await store.document('used', 'never', isText)).writeSoon('now');
    store = await reopened(store);
    expect((await store.document('used', 'never', isText)).value).toBe('now');
  });
});

describe('commits', () => {
  test('share a write when simultaneous', async () => {
    const store = await opened();
    const before = store.commits;
    await Promise.all(Array.from({ length: 500 }, () => store.commit()));
    expect(store.commits - before).toBe(1);
    const chain = Array.from({ length: 50 }, async () => {
      await store.commit();
      await store.commit();
    });
    await Promise.all(chain);
    expect(store.commits - before).toBe(3);
  });

  for (const failing of ['open', 'write', 'sync', 'rename', 'sync folder'] as const) {
    test(`that fail at "${failing}" are undone in reverse order, and never reach the disk later`, async () => {
      const disk = new FailingFiles();
      let store = await opened(folder, disk.files);
      const { bench } = store;
      const step = (seq: number) => {
        const before = bench.seq;
        bench.seq = seq;
        return store.commit(() => {
          expect(bench.seq).toBe(seq);
          bench.seq = before;
        });
      };
      await step(1);
      disk.failing = failing;
      const both = await Promise.allSettled([step(2), step(3)]);
      expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(bench.seq).toBe(1);
      expect(store.healthy).toBe(false);
      expect(await store.check()).toBe(false);
      disk.failing = null;
      // The store notices by itself.
      clock.advance(1000);
      await until(() => store.healthy, 'health');
      store = await reopened(store);
      expect(store.bench.seq).toBe(1);
    });
  }

  test('health changes are reported once', async () => {
    const disk = new FailingFiles();
    const store = await opened(folder, disk.files);
    const told: boolean[] = [];
    store.onHealth((healthy) => told.push(healthy));
    disk.failing = 'write';
    await store.commit().catch(() => {});
    await store.commit().catch(() => {});
    disk.failing = null;
    await store.commit();
    expect(told).toEqual([false, true]);
  });

  // Windows does not remove a folder with an open file.
  test.skipIf(process.platform === 'win32')(
    'a vanished data directory is detected by the health check',
    async () => {
      const store = await opened(path.join(folder, 'data'));
      await rm(store.folder, { recursive: true });
      expect(await store.check()).toBe(true); // a write of before counts for 2 s
      clock.advance(2100);
      expect(await store.check()).toBe(false);
      await expect(store.commit()).rejects.toMatchObject({ code: 'store_unavailable' });
      await mkdir(store.folder);
      clock.advance(1000);
      await until(() => store.healthy, 'health');
    },
  );
});
