import { afterEach, expect, test, vi } from 'vitest';
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

test('closing ends what is under way and what waits', async () => {
  const toolchain = fresh(1);
  const builds = [1, 2].map((n) => refusal(toolchain.build(design(n), record())));
  await vi.waitFor(() => expect(toolchain.slots).toMatchObject({ busy: 1, waiting: 1 }), 10_000);
  const began = performance.now();
  await toolchain.close();
  for (const build of builds) expect((await build).code).toBe('build_aborted');
  expect(performance.now() - began).toBeLessThan(2000);
});
