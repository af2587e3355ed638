import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockFolder } from '../../../../server/store/lock.ts';
import { processState } from '../../../../server/store/process-state.ts';
import { temporaryFolder } from '../../../support/temporary.ts';
import { until } from '../../../support/test-pool.ts';

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
