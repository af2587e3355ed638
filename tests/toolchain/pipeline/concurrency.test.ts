import { afterEach, expect, test, vi } from 'vitest';
import type { BenchError } from '../../../server/errors/bench-error.ts';
import { jobsError } from '../../../server/errors/jobs.ts';
import type { BuildContext } from '../../../server/toolchain/toolchain.ts';
import { freshToolchain, record, refusal, requestOf, slave } from './support.ts';

let dispose: () => Promise<void> = async () => {};
afterEach(() => dispose());

function fresh(slots: number) {
  const made = freshToolchain({ slots });
  dispose = made.dispose;
  return made.toolchain;
}

const design = (n: number) => requestOf(slave(`  assign wb_dat_r = wb_adr ^ 32'd${n};`), `d${n}.v`);

test('builds beyond the slots wait in line, in the order in which they came', async () => {
  const toolchain = fresh(2);
  const order: number[] = [];
  const contexts = [0, 1, 2, 3].map((n) => {
    const context = record();
    context.started = async () => {
      order.push(n);
    };
    return context;
  });
  const builds = contexts.map((context, n) => toolchain.build(design(n), context));
  await vi.waitFor(() => expect(toolchain.slots).toMatchObject({ busy: 2, total: 2, waiting: 2 }), 10_000);
  const results = await Promise.all(builds);
  expect(order).toEqual([0, 1, 2, 3]);
  expect(new Set(results.map(({ buildId }) => buildId)).size).toBe(4);
  expect(contexts[3]!.lines[0]).toEqual({
    stage: 'queue',
    line: 'waiting for a build slot: 2 in line, 2 builds running',
  });
  expect(contexts[3]!.text()).toContain('waiting for a build slot: 1 in line');
  expect(contexts[0]!.lines[0]?.stage).toBe('scan');
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

test('a build that is aborted while it waits never starts, and holds up nobody', async () => {
  const toolchain = fresh(1);
  const first = toolchain.build(design(1), record());
  const stop = new AbortController();
  const waiting = record(stop.signal);
  const second = refusal(toolchain.build(design(2), waiting));
  const third = toolchain.build(design(3), record());
  await vi.waitFor(() => expect(toolchain.slots.waiting).toBe(2), 10_000);
  stop.abort();
  expect((await second).code).toBe('build_aborted');
  expect(waiting.starts).toBe(0);
  expect(waiting.lines.every(({ stage }) => stage === 'queue')).toBe(true);
  await Promise.all([first, third]);
});

test('the same design submitted twice at once is built once', async () => {
  const toolchain = fresh(2);
  const contexts = [record(), record()];
  const results = await Promise.all(contexts.map((context) => toolchain.build(design(7), context)));
  expect(results.map(({ cached }) => cached).sort()).toEqual([false, true]);
  expect(Buffer.from(results[0]!.bitstream).equals(Buffer.from(results[1]!.bitstream))).toBe(true);
  const second = contexts[results.findIndex(({ cached }) => cached)]!;
  expect(second.text()).toContain('the same design is being built for another job');
});

test('when the first of two is aborted, the second builds it itself', async () => {
  const toolchain = fresh(2);
  const stop = new AbortController();
  const first = refusal(toolchain.build(design(8), record(stop.signal)));
  const second = toolchain.build(design(8), record());
  await vi.waitFor(() => expect(toolchain.slots.busy).toBe(1), 10_000);
  stop.abort();
  expect((await first).code).toBe('build_aborted');
  expect((await second).cached).toBe(false);
});

test('every way to a result begins once, before anything is told of a stage', async () => {
  const toolchain = fresh(1);
  const order = () => {
    const events: string[] = [];
    const context: BuildContext = {
      log: (stage) => events.push(stage),
      progress: (stage) => events.push(stage),
      async started() {
        events.push('wait');
        await new Promise(setImmediate);
        events.push('begun');
      },
    };
    return { context, events };
  };
  const [built, awaited, behind, cached] = [order(), order(), order(), order()];
  await Promise.all([
    toolchain.build(design(11), built.context),
    toolchain.build(design(11), awaited.context),
    toolchain.build(design(12), behind.context),
  ]);
  await toolchain.build(design(11), cached.context);
  for (const { events } of [built, awaited, behind, cached]) {
    const begins = events.indexOf('begun');
    expect(events.filter((event) => event === 'begun')).toHaveLength(1);
    expect(events[begins - 1]).toBe('wait');
    expect(events.slice(0, begins - 1).every((event) => event === 'queue')).toBe(true);
    expect(events.slice(begins + 1)).not.toContain('queue');
    expect(events.length).toBeGreaterThan(begins + 1);
  }
});

/** What the jobs would reject with: any error will do. */
const refused = () => jobsError('service_stopping');

test('a job that must not begin ends its build, and slot and line are free for the next', async () => {
  const toolchain = fresh(1);
  const reason = refused();
  const context = { ...record(), started: () => Promise.reject(reason) };
  const first = refusal(toolchain.build(design(13), context));
  const same = toolchain.build(design(13), record());
  const next = toolchain.build(design(14), record());
  expect(await first).toBe(reason);
  expect(context.lines.every(({ stage }) => stage === 'queue')).toBe(true);
  expect(context.progressed).toEqual([]);
  expect((await same).cached).toBe(false);
  await next;
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

test('a job that must not begin does not get what lies in the cache either', async () => {
  const toolchain = fresh(1);
  await toolchain.build(design(15), record());
  const reason = refused();
  const context = { ...record(), started: () => Promise.reject(reason) };
  expect(await refusal(toolchain.build(design(15), context))).toBe(reason);
  expect(context.lines).toEqual([]);
});

test('a job that never answers does not keep the slot of an aborted build', async () => {
  const toolchain = fresh(1);
  const stop = new AbortController();
  let build: Promise<BenchError> | undefined;
  await new Promise<void>((asked) => {
    const started = () => {
      asked();
      return new Promise<void>(() => {});
    };
    build = refusal(toolchain.build(design(16), { ...record(stop.signal), started }));
  });
  expect(toolchain.slots.busy).toBe(1);
  stop.abort();
  expect((await build)?.code).toBe('build_aborted');
  expect(toolchain.slots.busy).toBe(0);
});

test('closing ends what is under way and what waits', async () => {
  const toolchain = fresh(1);
  const builds = [1, 2].map((n) => refusal(toolchain.build(design(n), record())));
  await vi.waitFor(() => expect(toolchain.slots).toMatchObject({ busy: 1, waiting: 1 }), 10_000);
  const began = performance.now();
  await toolchain.close();
  for (const build of builds) expect((await build).code).toBe('build_aborted');
  expect(performance.now() - began).toBeLessThan(2000);
});
