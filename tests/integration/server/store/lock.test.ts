import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../../../server/store/lock.ts';
import { takeOsLock } from '../../../../server/store/os-lock.ts';
import { processState } from '../../../../server/store/process-state.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/test-pool.ts';

/** As on a file system without locks: by the contents and the date of the file only. */
const alone = { osLock: () => ({ kind: 'unsupported' }) as const, pause: async () => {} };

let folder: string;
let file: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = temporaryFolder('store');
  file = path.join(folder, 'lock');
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await rm(folder, { recursive: true, force: true });
});

/** A service's process that holds the directory and whose parent never reads its exit code. */
async function holderOfCarelessParent(): Promise<number> {
  // The shell starts the holder and becomes `sleep`, which has no children of its own.
  const script =
    '"$0" tests/support/run-typescript.mjs tests/support/store/lock-child.ts "$1" <&3 & exec sleep 600';
  const parent = spawn('sh', ['-c', script, process.execPath, folder], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  children.push(parent);
  const [said] = await once(parent.stdout!, 'data');
  expect(String(said).trim()).toBe('locked');
  return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
}

const stateLetter = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];

describe.runIf(process.platform === 'linux')('a killed process that its parent has not reaped', () => {
  test('no longer holds the directory', async () => {
    const pid = await holderOfCarelessParent();
    await expect(lockFolder(folder)).rejects.toMatchObject({
      code: 'store_locked',
      message: expect.stringContaining(`(process ${pid})`),
    });
    process.kill(pid, 'SIGKILL');
    await until(() => stateLetter(pid) === 'Z', 'the zombie');
    // It is still in the process table, and accepts a signal.
    expect(process.kill(pid, 0)).toBe(true);

    const unlock = await lockFolder(folder);
    expect((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid).toBe(process.pid);
    expect(stateLetter(pid)).toBe('Z');
    await unlock();
    expect(await readdir(folder)).toEqual([]);
  });

  test('allows an immediate restart, which waits for its ending threads', async () => {
    const pid = await holderOfCarelessParent();
    process.kill(pid, 'SIGKILL');
    await until(() => processState(pid, null) !== 'living', 'the end');
    await (await lockFolder(folder))();
  });
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
});
