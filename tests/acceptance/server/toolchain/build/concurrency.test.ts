import { afterEach, expect, test } from 'vitest';
import type { BenchError } from '../../../../../server/errors/bench-error.ts';
import { jobsError } from '../../../../../server/errors/jobs.ts';
import type { BuildContext } from '../../../../../server/toolchain/build-request.ts';
import {
  example,
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';

let dispose: () => Promise<void> = async () => {};
afterEach(() => dispose());

function fresh(slots: number) {
  const made = freshToolchain({ slots });
  dispose = made.dispose;
  return made.toolchain;
}

/** Other tests build it too: once for all. */
const design = () => requestOf(example('echo.v'), 'echo.v');

/** A build that ends as synthesis begins: tests of the queue need no bitstreams. */
const short = (n: number) =>
  requestOf(
    slave(
      `  reg [7:0] m [0:8191];\n  always @(posedge clk) if (wb_we) m[wb_adr[12:0]] <= wb_dat_w ^ ${n};\n  assign wb_dat_r = m[wb_adr[12:0]];`,
    ),
    `d${n}.v`,
  );
const SHORT_ENDS = 'build_too_large';
/** A build that fails without waiting in the queue. */
const wrong = (n: number) =>
  requestOf(`module d${n}(input clk, output q); assign q = clk; endmodule`, `d${n}.v`);

/** Holds the builds that have begun until it is opened. */
function gate(): { closed: Promise<void>; open(): void } {
  let open = () => {};
  const closed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { closed, open: () => open() };
}

/** Any error for the jobs to reject with. */
const refused = () => jobsError('service_stopping');

test('builds beyond the slots queue in order of arrival', async () => {
  const toolchain = fresh(2);
  const order: number[] = [];
  const { closed, open } = gate();
  const contexts = [0, 1, 2, 3].map((n) => {
    const context = record();
    context.started = () => {
      order.push(n);
      return closed;
    };
    return context;
  });
  const builds = contexts.map((context, n) => refusal(toolchain.build(short(n), context)));
  await expect.poll(() => toolchain.slots).toMatchObject({ busy: 2, total: 2, waiting: 2 });
  open();
  for (const build of builds) expect((await build).code).toBe(SHORT_ENDS);
  expect(order).toEqual([0, 1, 2, 3]);
  expect(new Set(contexts.map((context) => /build ([0-9a-f]{64})/.exec(context.text())?.[1])).size).toBe(4);
  expect(contexts[3]!.lines[0]).toEqual({
    stage: 'queue',
    line: 'waiting for a build slot: place 2 in line, 2 builds running',
  });
  expect(contexts[3]!.text()).toContain('waiting for a build slot: place 1 in line');
  expect(contexts[0]!.lines[0]?.stage).toBe('scan');
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

test('rejects an invalid design while it waits; scans a valid one once', async () => {
  const toolchain = fresh(1);
  const { closed, open } = gate();
  const first = refusal(toolchain.build(short(1), { ...record(), started: () => closed }));
  const [waiting, told] = [record(), record()];
  const second = refusal(toolchain.build(short(2), waiting));
  const third = refusal(toolchain.build(wrong(3), told));
  // The only slot is busy, and stays so.
  expect((await third).code).toBe('design_no_slave');
  expect(toolchain.slots).toMatchObject({ busy: 1, waiting: 1 });
  expect(told.starts).toBe(1);
  expect(told.text()).toMatch(/build [0-9a-f]{64}\n[\s\S]*What was found:\nmodule d3: it has no strobe/);
  const begun = told.lines.findIndex(({ stage }) => stage !== 'queue');
  expect(told.lines.slice(begun).every(({ stage }) => stage === 'scan')).toBe(true);
  open();
  expect((await first).code).toBe(SHORT_ENDS);
  expect((await second).code).toBe(SHORT_ENDS);
  expect(waiting.text().match(/Wishbone slave: module design/g)).toHaveLength(1);
});

test('a build aborted in the queue never starts and blocks no other build', async () => {
  const toolchain = fresh(1);
  const { closed, open } = gate();
  const first = refusal(toolchain.build(short(1), { ...record(), started: () => closed }));
  const stop = new AbortController();
  const waiting = record(stop.signal);
  const second = refusal(toolchain.build(short(2), waiting));
  const third = refusal(toolchain.build(short(3), record()));
  await expect.poll(() => toolchain.slots.waiting).toBe(2);
  stop.abort();
  expect((await second).code).toBe('build_aborted');
  expect(waiting.starts).toBe(0);
  expect(waiting.lines.every(({ stage }) => stage === 'queue')).toBe(true);
  open();
  expect([(await first).code, (await third).code]).toEqual([SHORT_ENDS, SHORT_ENDS]);
});

test('when the first of two identical builds is aborted, the second runs the build itself', async () => {
  const toolchain = fresh(2);
  const stop = new AbortController();
  const second = record();
  const never = { ...record(stop.signal), started: () => new Promise<void>(() => {}) };
  const first = refusal(toolchain.build(short(8), never));
  const same = refusal(toolchain.build(short(8), second));
  await expect.poll(() => toolchain.slots.busy).toBe(1);
  stop.abort();
  expect((await first).code).toBe('build_aborted');
  expect((await same).code).toBe(SHORT_ENDS);
  expect(second.starts).toBe(1);
});

test('builds a design submitted twice at once only once; each job starts once, before its first stage', async () => {
  const toolchain = fresh(1);
  const order = () => {
    const events: string[] = [];
    const lines: string[] = [];
    const context: BuildContext = {
      log: (stage, line) => {
        events.push(stage);
        lines.push(line);
      },
      progress: (stage) => events.push(stage),
      async started() {
        events.push('wait');
        await new Promise(setImmediate);
        events.push('begun');
      },
    };
    return { context, events, lines };
  };
  const [built, awaited, behind, cached] = [order(), order(), order(), order()];
  const results = await Promise.all([
    toolchain.build(design(), built.context),
    toolchain.build(design(), awaited.context),
    refusal(toolchain.build(short(12), behind.context)),
  ]);
  expect(results.slice(0, 2)).toMatchObject([{ cached: false }, { cached: true }]);
  expect(Buffer.from(results[0].bitstream).equals(Buffer.from(results[1].bitstream))).toBe(true);
  expect(awaited.lines.join('\n')).toContain('the same design is being built for another job');
  await toolchain.build(design(), cached.context);
  for (const { events } of [built, awaited, behind, cached]) {
    const begins = events.indexOf('begun');
    expect(events.filter((event) => event === 'begun')).toHaveLength(1);
    expect(events[begins - 1]).toBe('wait');
    expect(events.slice(0, begins - 1).every((event) => event === 'queue')).toBe(true);
    expect(events.slice(begins + 1)).not.toContain('queue');
    expect(events.length).toBeGreaterThan(begins + 1);
  }
  // A job that must not begin does not get what lies in the cache either.
  const reason = refused();
  const context = { ...record(), started: () => Promise.reject(reason) };
  expect(await refusal(toolchain.build(design(), context))).toBe(reason);
  expect(context.lines).toEqual([]);
});

test('a job that must not start ends its build, and frees its slot and queue place', async () => {
  const toolchain = fresh(1);
  const reason = refused();
  const context = { ...record(), started: () => Promise.reject(reason) };
  const first = refusal(toolchain.build(short(13), context));
  const same = refusal(toolchain.build(short(13), record()));
  const next = refusal(toolchain.build(short(14), record()));
  expect(await first).toBe(reason);
  expect(context.lines.every(({ stage }) => stage === 'queue')).toBe(true);
  expect(context.progressed).toEqual([]);
  expect([(await same).code, (await next).code]).toEqual([SHORT_ENDS, SHORT_ENDS]);
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

test('a job that never confirms its start does not keep an aborted build’s slot', async () => {
  const toolchain = fresh(1);
  const stop = new AbortController();
  let build: Promise<BenchError> | undefined;
  await new Promise<void>((asked) => {
    const started = () => {
      asked();
      return new Promise<void>(() => {});
    };
    build = refusal(toolchain.build(short(16), { ...record(stop.signal), started }));
  });
  expect(toolchain.slots.busy).toBe(1);
  stop.abort();
  expect((await build)?.code).toBe('build_aborted');
  expect(toolchain.slots.busy).toBe(0);
});

test('closing aborts running and waiting builds', async () => {
  const toolchain = fresh(1);
  // The first one has begun and does not go on. That a tool ends too, build.test.ts and the engines' tests show.
  const never = () => new Promise<void>(() => {});
  const builds = [1, 2].map((n) => refusal(toolchain.build(short(n), { ...record(), started: never })));
  await expect.poll(() => toolchain.slots).toMatchObject({ busy: 1, waiting: 1 });
  await toolchain.close();
  for (const build of builds) expect((await build).code).toBe('build_aborted');
});
