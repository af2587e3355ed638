import { existsSync, rmSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../../../server/store/lock.ts';
import { takeOsLock } from '../../../../server/store/os-lock.ts';
import { processBirth, processState } from '../../../../server/store/process-state.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';

/** As on a file system without locks: by the contents and the date of the file only. */
const alone = { osLock: () => ({ kind: 'unsupported' }) as const, pause: async () => {} };

let folder: string;
let file: string;
beforeEach(() => {
  folder = temporaryFolder('store');
  file = path.join(folder, 'lock');
});

describe('the lock', () => {
  test('is renewed every 15 seconds', async () => {
    const clock = new FakeClock();
    const unlock = await lockFolder(folder, { clock });
    const renewed = async () => (await stat(file)).mtimeMs;
    for (let time = 0; time < 2; time++) {
      clock.advance(15_000);
      await expect.poll(renewed).toBe(clock.now());
    }
    await unlock();
    expect(clock.pending).toBe(0);
  });

  test('of another host counts for a minute after its last renewal', async () => {
    const clock = new FakeClock();
    await writeFile(file, JSON.stringify({ instance: 'x', pid: 1, born: null, host: 'elsewhere' }));
    const renewed = new Date(clock.now());
    await utimes(file, renewed, renewed);
    clock.advance(59_000);
    await expect(lockFolder(folder, { clock })).rejects.toMatchObject({ code: 'store_locked' });
    clock.advance(1_000);
    await (await lockFolder(folder, { clock }))();
  });

  test('is taken over even if another process died during a takeover', async () => {
    const clock = new FakeClock();
    const long = new Date(clock.now() - 2_000);
    await writeFile(
      file,
      JSON.stringify({ instance: 'x', pid: process.pid, born: null, host: os.hostname() }),
    );
    await mkdir(`${file}.takeover`);
    await utimes(`${file}.takeover`, long, long);
    await (await lockFolder(folder, { ...alone, clock }))();
    expect(await readdir(folder)).toEqual([]);
  });
});

const here = { pid: 1, host: os.hostname(), instance: 'x' };

describe('the system’s own lock', () => {
  test('distinguishes a container with the same host name and process number from a live holder', async () => {
    // Both count their processes from one, and neither sees the other’s.
    const holder = { ...here, born: null, boot: 'this', processes: 'pid:[1]', kernel: true };
    await writeFile(file, JSON.stringify(holder));
    const clock = new FakeClock();
    clock.boot = 'this';
    const lock = takeOsLock(file);
    expect(lock.kind).toBe('taken');
    await expect(lockFolder(folder, { clock, pause: async () => {} })).rejects.toMatchObject({
      code: 'store_locked',
    });
    if (lock.kind === 'taken') lock.close();
    await (await lockFolder(folder, { clock }))();
  });

  test('vanishes with its process at once, whatever the file’s contents and date', async () => {
    const clock = new FakeClock();
    const ahead = new Date(clock.now() + 3_600_000);
    for (const contents of [
      '',
      '{"inst',
      'null',
      '{"pid":1}',
      JSON.stringify({ ...here, born: null, boot: 'before the last start', kernel: true }),
      JSON.stringify({ ...here, host: 'elsewhere', born: null, boot: clock.boot, kernel: true }),
    ]) {
      await writeFile(file, contents);
      await utimes(file, ahead, ahead);
      await (
        await lockFolder(folder, { clock, pause: () => Promise.reject(new Error('nothing to wait for')) })
      )();
    }
    expect(await readdir(folder)).toEqual([]);
  });
});

describe('without the system’s own lock', () => {
  test('one dated in the future is observed: whoever renews it holds it', async () => {
    const clock = new FakeClock();
    const foreign = JSON.stringify({ ...here, host: 'elsewhere', born: null });
    for (const contents of [foreign, '']) {
      await writeFile(file, contents);
      let ahead = new Date(clock.now() + 3_600_000);
      await utimes(file, ahead, ahead);
      const renewed = async () => {
        ahead = new Date(ahead.getTime() + 15_000);
        await utimes(file, ahead, ahead);
      };
      await expect(lockFolder(folder, { ...alone, clock, pause: renewed })).rejects.toMatchObject({
        code: 'store_locked',
      });
      await (await lockFolder(folder, { ...alone, clock }))();
    }
  });

  test('a process number reused by another process does not hold it forever', async () => {
    const clock = new FakeClock();
    // As Windows and macOS write it: without the start time of the process. The number is a living process.
    await writeFile(file, JSON.stringify({ ...here, pid: process.ppid, born: null }));
    const renewed = new Date(clock.now());
    await utimes(file, renewed, renewed);
    clock.advance(59_000);
    await expect(lockFolder(folder, { ...alone, clock })).rejects.toMatchObject({ code: 'store_locked' });
    clock.advance(1_000);
    await (await lockFolder(folder, { ...alone, clock }))();
  });

  test('one from another process namespace with the same host name counts while it is renewed', async () => {
    const clock = new FakeClock();
    await writeFile(
      file,
      JSON.stringify({ ...here, born: 'long ago', boot: clock.boot, processes: 'pid:[1]' }),
    );
    const renewed = new Date(clock.now());
    await utimes(file, renewed, renewed);
    await expect(lockFolder(folder, { ...alone, clock })).rejects.toMatchObject({ code: 'store_locked' });
    clock.advance(60_000);
    await (await lockFolder(folder, { ...alone, clock }))();
  });

  test('a killed process holds it until its last thread has ended', async () => {
    for (const osLock of [alone.osLock, takeOsLock]) {
      await writeFile(file, JSON.stringify({ ...here, born: '1' }));
      const states = ['dying', 'dying', 'dead', 'dead'] as const;
      let asked = 0;
      let pauses = 0;
      const pause = async () => void pauses++;
      await (await lockFolder(folder, { osLock, pause, stateOf: () => states[asked++] ?? 'living' }))();
      expect(pauses).toBe(2);

      await writeFile(file, JSON.stringify({ ...here, born: '1' }));
      const never = lockFolder(folder, { ...alone, osLock, stateOf: () => 'dying' });
      await expect(never).rejects.toMatchObject({ code: 'store_locked' });
    }
  });

  test('one that another process takes over at the same moment stays', async () => {
    await writeFile(file, JSON.stringify({ ...here, born: '1' }));
    const states = ['dead', 'living', 'living'] as const;
    let asked = 0;
    const lock = lockFolder(folder, { ...alone, stateOf: () => states[asked++] ?? 'living' });
    await expect(lock).rejects.toMatchObject({ message: expect.stringContaining('(process 1)') });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject(here);
    expect(await readdir(folder)).toEqual(['lock']);
  });

  test('another process that is taking it over is waited for', async () => {
    const clock = new FakeClock();
    await writeFile(file, JSON.stringify({ ...here, pid: process.pid, born: null }));
    await mkdir(`${file}.takeover`);
    const now = new Date(clock.now());
    await utimes(`${file}.takeover`, now, now);
    const pause = async () => {
      await rm(file);
      await rmdir(`${file}.takeover`);
    };
    await (await lockFolder(folder, { ...alone, clock, pause }))();
    expect(await readdir(folder)).toEqual([]);
  });

  test('one dated in the future that is released meanwhile is free', async () => {
    const clock = new FakeClock();
    await writeFile(file, JSON.stringify({ ...here, host: 'elsewhere', born: null }));
    const ahead = new Date(clock.now() + 3_600_000);
    await utimes(file, ahead, ahead);
    await (await lockFolder(folder, { ...alone, clock, pause: () => rm(file) }))();
  });

  test('a clock without a computer has no name of its boot', async () => {
    const clock = { now: () => 0, monotonic: () => 0, after: () => () => {} };
    const unlock = await lockFolder(folder, { ...alone, clock });
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ boot: null });
    await unlock();
  });
});

describe('the lock of the system on a file', () => {
  const refusing = (code: string) => ({
    tryLock: () => {
      throw Object.assign(new Error(code), { code });
    },
  });

  test.each([
    ['has no binary for it', null, 'unsupported'],
    ['does not know such locks', refusing('ENOTSUP'), 'unsupported'],
    ['says that the range is busy', refusing('EBUSY'), 'held'],
    ['says that access is denied', refusing('EACCES'), 'held'],
    ['says to try again', refusing('EAGAIN'), 'held'],
    ['says that another process has it', { tryLock: () => false }, 'held'],
    ['gives it', { tryLock: () => true }, 'taken'],
  ])('where the system %s', (_what, locks, kind) => {
    const lock = takeOsLock(file, locks);
    expect(lock.kind).toBe(kind);
    if (lock.kind === 'taken') lock.close();
  });

  test('is taken again where the last holder has removed the file in between', () => {
    // Windows removes no file that is open.
    const removes = process.platform === 'win32' ? 0 : 1;
    let tries = 0;
    const tryLock = () => {
      if (tries++ < removes) rmSync(file);
      return true;
    };
    const lock = takeOsLock(file, { tryLock });
    expect([lock.kind, tries, existsSync(file)]).toEqual(['taken', removes + 1, true]);
    if (lock.kind === 'taken') lock.close();
  });
});

describe('a process', () => {
  const signalled = (code: string | null) => (): void => {
    if (code !== null) throw Object.assign(new Error(code), { code });
  };
  const stat = (state: string, threads = 1) => ({ state, threads, born: '7' });

  test.each([
    ['that does not exist', '7', 'ESRCH', null, 'dead'],
    ['of another user', '7', 'EPERM', stat('S'), 'living'],
    ['where only its number is known', null, null, stat('R'), 'living'],
    ['on a system without its birth', null, 'EPERM', null, 'living'],
    ['that has just gone', '7', null, null, 'dead'],
    ['with the number of an earlier one', '6', null, stat('S'), 'dead'],
    ['that its parent has not read', '7', null, stat('Z'), 'dead'],
    ['that is being removed', '7', null, stat('X'), 'dead'],
    ['whose threads still end', '7', null, stat('Z', 2), 'dying'],
  ] as const)('%s', (_what, born, code, found, state) => {
    expect(processState(1234, born, { signal: signalled(code), stat: () => found })).toBe(state);
  });

  test('that runs is alive, with a birth only where the system says so', () => {
    const born = processBirth(process.pid);
    expect(processState(process.pid, born)).toBe('living');
    if (process.platform === 'linux') expect(born).toMatch(/^\d+$/);
    expect(processBirth(2 ** 30)).toBeNull();
  });
});
