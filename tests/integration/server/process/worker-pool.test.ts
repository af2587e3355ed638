import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../../server/clock.ts';
import { WorkerPool } from '../../../../server/process/worker-pool.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-threads-'));
const script = path.join(folder, 'echo.mjs');

beforeAll(() =>
  writeFileSync(
    script,
    `import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (text) => { if (text === 'die') process.exit(1); parentPort.postMessage(text + threadId); });`,
  ),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Requested ends of rests; the test makes them due. */
function resting() {
  const due = new Set<() => void>();
  const clock = {
    ...systemClock,
    after(_ms: number, then: () => void) {
      due.add(then);
      return () => due.delete(then);
    },
  };
  return { due, threads: new WorkerPool(script, 32, clock) };
}

const answer = (worker: Worker, text: string) =>
  new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage(text);
  });
const end = (worker: Worker) => new Promise((resolve) => worker.once('exit', resolve));

test('a returned thread does the next work, and two simultaneous ones differ', async () => {
  const { threads, due } = resting();
  const [first, second] = [threads.take(), threads.take()];
  expect(await answer(first, 'a')).toBe(`a${first.threadId}`);
  expect(await answer(second, 'b')).toBe(`b${second.threadId}`);
  expect(second).not.toBe(first);
  threads.giveBack(first);
  expect(due.size).toBe(1);
  expect(threads.take()).toBe(first);
  expect(due.size).toBe(0);
  expect(await answer(first, 'c')).toBe(`c${first.threadId}`);
  await Promise.all([first.terminate(), second.terminate()]);
});

test('a prepared thread does the next work; an idle thread is not prepared twice', async () => {
  const { threads, due } = resting();
  threads.prepare();
  threads.prepare();
  expect(due.size).toBe(1);
  const prepared = threads.take();
  expect(due.size).toBe(0);
  expect(await answer(prepared, 'a')).toBe(`a${prepared.threadId}`);
  threads.giveBack(prepared);
  threads.prepare();
  expect(due.size).toBe(1);
  expect(threads.take()).toBe(prepared);
  await prepared.terminate();
});

test('threads end after their idle time, and at once beyond the two that stay', async () => {
  const { threads, due } = resting();
  const taken = [threads.take(), threads.take(), threads.take()] as const;
  await Promise.all(taken.map((worker) => answer(worker, 'a')));
  threads.giveBack(taken[0]);
  threads.giveBack(taken[1]);
  expect(due.size).toBe(2);
  threads.giveBack(taken[2]);
  await end(taken[2]);
  const ended = Promise.all([end(taken[0]), end(taken[1])]);
  for (const rested of [...due]) rested();
  await ended;
  const next = threads.take();
  expect(taken).not.toContain(next);
  await next.terminate();
});

test('a thread that died while idle is not reused', async () => {
  const { threads, due } = resting();
  const worker = threads.take();
  await answer(worker, 'a');
  threads.giveBack(worker);
  const ended = end(worker);
  worker.postMessage('die');
  await ended;
  expect(due.size).toBe(0);
  const next = threads.take();
  expect(next).not.toBe(worker);
  expect(await answer(next, 'b')).toBe(`b${next.threadId}`);
  await next.terminate();
});
