import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../server/store/lock.ts';
import { processState } from '../../server/store/process-state.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { temporaryFolder, until } from '../support/test-pool.ts';

let folder: string;
let file: string;
const children: ChildProcess[] = [];

beforeEach(async () => {
  folder = await temporaryFolder();
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

/** A service's process that holds the directory and whose parent never asks for its exit code. */
async function holderOfCarelessParent(): Promise<number> {
  // The shell starts the holder and becomes `sleep`, which knows nothing of children.
  const script = '"$0" tests/support/run-typescript.mjs tests/store/lock-child.ts "$1" <&3 & exec sleep 600';
  const parent = spawn('sh', ['-c', script, process.execPath, folder], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  children.push(parent);
  const [said] = await once(parent.stdout!, 'data');
  expect(String(said).trim()).toBe('locked');
  return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
}

const stateLetter = (pid: number) => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1];

describe.runIf(process.platform === 'linux')(
  'a process that was killed and that nobody has taken note of',
  () => {
    test('holds the directory no longer', async () => {
      const pid = await holderOfCarelessParent();
      await expect(lockFolder(folder)).rejects.toMatchObject({
        code: 'store_locked',
        message: expect.stringContaining(`(process ${pid})`),
      });
      process.kill(pid, 'SIGKILL');
      await until(() => stateLetter(pid) === 'Z', 'the zombie');
      // It is in the process table still, and a signal can be sent to it.
      expect(process.kill(pid, 0)).toBe(true);

      const unlock = await lockFolder(folder);
      expect((JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid).toBe(process.pid);
      expect(stateLetter(pid)).toBe('Z');
      await unlock();
      expect(await readdir(folder)).toEqual([]);
    });

    test('may be restarted at once: the threads that end meanwhile are waited for', async () => {
      const pid = await holderOfCarelessParent();
      process.kill(pid, 'SIGKILL');
      await until(() => processState(pid, null) !== 'living', 'the end');
      await (await lockFolder(folder))();
    });
  },
);

describe('the lock', () => {
  test('is renewed every 15 seconds while it is held', async () => {
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

  test('of another host counts for a minute after it was renewed', async () => {
    const clock = new FakeClock();
    await writeFile(file, JSON.stringify({ instance: 'x', pid: 1, born: null, host: 'elsewhere' }));
    const renewed = new Date(clock.now());
    await utimes(file, renewed, renewed);
    clock.advance(59_000);
    await expect(lockFolder(folder, { clock })).rejects.toMatchObject({ code: 'store_locked' });
    clock.advance(1_000);
    await (await lockFolder(folder, { clock }))();
  });

  test('is taken over although another died while it did so', async () => {
    const clock = new FakeClock();
    const long = new Date(clock.now() - 2_000);
    await writeFile(
      file,
      JSON.stringify({ instance: 'x', pid: process.pid, born: null, host: os.hostname() }),
    );
    await mkdir(`${file}.takeover`);
    await utimes(`${file}.takeover`, long, long);
    await (await lockFolder(folder, { clock }))();
    expect(await readdir(folder)).toEqual([]);
  });
});
