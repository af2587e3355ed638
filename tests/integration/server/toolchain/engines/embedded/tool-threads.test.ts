import { afterEach, expect, test } from 'vitest';
import { systemClock } from '../../../../../../server/clock.ts';
import { silentLogger } from '../../../../../../server/log.ts';
import { LoadedTools } from '../../../../../../server/toolchain/engines/embedded/loaded-tools.ts';
import type { FromWorker, LoadTool } from '../../../../../../server/toolchain/engines/embedded/messages.ts';
import { createThreadEngine } from '../../../../../../server/toolchain/engines/embedded/thread-engine.ts';
import type { ToolThread } from '../../../../../../server/toolchain/engines/embedded/tool-thread.ts';
import { ToolThreads } from '../../../../../../server/toolchain/engines/embedded/tool-threads.ts';
import { FakeClock } from '../../../../../support/fake-clock.ts';

const LOAD: LoadTool = { kind: 'load', tool: 'icepack', memoryLimit: 64 * 2 ** 20, code: null };

const taken = new Set<ToolThread>();
afterEach(async () => {
  for (const thread of taken) await thread.terminate();
  taken.clear();
});

function take(threads: ToolThreads): ToolThread {
  const thread = threads.take();
  taken.add(thread);
  return thread;
}

/** The messages of a thread until it waits again, or ends. */
const done = (thread: ToolThread): Promise<FromWorker['kind'][]> =>
  new Promise((resolve, reject) => {
    const said: FromWorker['kind'][] = [];
    thread.begin(LOAD, {
      message(message) {
        said.push(message.kind);
        if (message.kind === 'waiting') resolve(said);
      },
      error: reject,
      exit: (code) => reject(new Error(`it ended with ${code}`)),
    });
  });

test('a thread performs its requests in order, even those sent before it has started', async () => {
  const threads = new ToolThreads(systemClock);
  const first = take(threads);
  expect(await done(first)).toEqual(['loaded', 'waiting']);
  threads.giveBack(first);
  const again = take(threads);
  expect(again).toBe(first);
  expect(await done(again)).toEqual(['loaded', 'waiting']);
});

test('a file for a finished run is ignored', async () => {
  const thread = take(new ToolThreads(systemClock));
  await thread.started;
  thread.send({ kind: 'file', path: 'a.v', contents: new Uint8Array(3) });
  expect(await done(thread)).toEqual(['loaded', 'waiting']);
});

test('a tool that rejects its input leaves the thread usable', async () => {
  const threads = new ToolThreads(systemClock);
  const thread = take(threads);
  await thread.started;
  threads.giveBack(thread);
  const { memoryLimit } = LOAD;
  const tools = new LoadedTools(threads, null);
  const engine = createThreadEngine({ logger: silentLogger, clock: systemClock, memoryLimit, tools });
  const run = () =>
    engine.run({
      tool: 'icepack',
      args: ['nothing.asc', 'a.bin'],
      ...{ files: {}, outputs: [], deadline: 60, onLine() {} },
    });
  for (let i = 0; i < 2; i++) await expect(run()).rejects.toMatchObject({ code: 'tool_failed' });
  expect(thread.ended).toBe(false);
  await engine.close();
});

test('a terminating thread is not reused', async () => {
  const threads = new ToolThreads(systemClock);
  const thread = take(threads);
  const ended = threads.end(thread);
  threads.giveBack(thread);
  expect(take(threads)).not.toBe(thread);
  await ended;
});

test('a run whose thread does not accept it is ended, and the next one gets another thread', async () => {
  const threads = new ToolThreads(systemClock);
  const clock = new FakeClock();
  const { memoryLimit } = LOAD;
  const tools = new LoadedTools(threads, null);
  const engine = createThreadEngine({ logger: silentLogger, clock, memoryLimit, tools });
  await tools.load('icepack', memoryLimit);
  const deaf = take(threads);
  await deaf.started;
  const sent = new Promise<void>((resolve) => {
    deaf.send = () => resolve();
  });
  threads.giveBack(deaf);
  const run = () =>
    engine.run({
      tool: 'icepack',
      args: ['nothing.asc', 'a.bin'],
      ...{ files: {}, outputs: [], deadline: 60, onLine() {} },
    });
  const first = expect(run()).rejects.toMatchObject({
    code: 'tool_crashed',
    message: 'icepack did not start: its thread does not respond.',
  });
  await sent;
  clock.advance(61_000);
  await first;
  expect(deaf.ended).toBe(true);
  await expect(run()).rejects.toMatchObject({ code: 'tool_failed' });
  await engine.close();
});

test('ending a thread that does not terminate resolves after two minutes', async () => {
  const clock = new FakeClock();
  const threads = new ToolThreads(clock);
  const thread = take(threads);
  const { terminate } = thread;
  thread.terminate = () => new Promise(() => {});
  const ended = threads.end(thread);
  clock.advance(120_000);
  await ended;
  thread.terminate = terminate;
});

test('simultaneous threads are distinct, and at most four stay idle', async () => {
  const threads = new ToolThreads(systemClock);
  const five = Array.from({ length: 5 }, () => take(threads));
  expect(new Set(five).size).toBe(5);
  await Promise.all(five.map((thread) => thread.started));
  for (const thread of five) threads.giveBack(thread);
  expect(five.map((thread) => thread.ended)).toEqual([false, false, false, false, true]);
});

test('two threads stay after resting', async () => {
  const threads = new ToolThreads(systemClock);
  const four = Array.from({ length: 4 }, () => take(threads));
  await Promise.all(four.map((thread) => thread.started));
  for (const thread of four) threads.giveBack(thread);
  threads.rest();
  expect(four.map((thread) => thread.ended)).toEqual([true, true, false, false]);
  threads.rest();
  expect(four.map((thread) => thread.ended)).toEqual([true, true, false, false]);
});

test('prestarted threads are used first', async () => {
  const threads = new ToolThreads(systemClock);
  await threads.ready();
  const [one, two, three] = [take(threads), take(threads), take(threads)];
  // The thread that was started ahead is used first; the third starts now.
  const ahead = [one, two].map((thread) => thread.started.then(() => 'ahead'));
  const started = await Promise.race([...ahead, three.started.then(() => 'now')]);
  expect(started).toBe('ahead');
  expect(new Set([one, two, three]).size).toBe(3);
});
