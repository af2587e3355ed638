import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptureRequest, CaptureView } from '../../../../server/contract/signals/signals.ts';
import { EventClient } from '../../../support/api/event-client.ts';
import { exampleSource } from '../../../support/capture/support.ts';
import { FlowBench } from '../../../support/flow/flow-bench.ts';

/** The whole way over HTTP: the real toolchain's names, a virtual board's values. */
const NODE = { fpga_id: 3 };
let bench: FlowBench;

beforeAll(async () => {
  bench = await FlowBench.start(['timer.v']);
  const { file, source } = exampleSource('timer.v');
  const job = await bench.submit(3, file, source);
  if (job.status !== 'complete') throw new Error(job.log);
});

afterAll(() => bench?.stop());

const write = (address: number, data: number[]) => bench.run(3, { op: 1, address, data });
const start = (body: CaptureRequest) => bench.client.startCapture({ ...NODE, body });

async function ended({ capture_id }: CaptureView): Promise<CaptureView> {
  for (;;) {
    const capture = await bench.client.getCapture({ ...NODE, capture_id, wait: 30 });
    if (capture.state !== 'running') return capture;
  }
}

async function samplesOf({ capture_id }: CaptureView): Promise<Map<string, (sample: number) => number>> {
  const bytes = await bench.client.exportCapture({ ...NODE, capture_id, format: 'json' });
  const { signals } = JSON.parse(new TextDecoder().decode(bytes)) as {
    signals: { name: string; changes: [number, number][] }[];
  };
  return new Map(
    signals.map(({ name, changes }) => [
      name,
      (sample: number) => changes.filter(([at]) => at <= sample).at(-1)![1],
    ]),
  );
}

test('lists signals with their line, and reads them by name, all in the same clock', async () => {
  const list = await bench.client.listSignals({ ...NODE, match: 'COUNT' });
  expect(list.signals).toMatchObject([
    { name: 'count', width: 32, kind: 'register', lost: 0, file: 'timer.v' },
  ]);
  await write(4, [0x1234_5678]);
  const now = await bench.client.readSignals({
    ...NODE,
    names: ['reload', 'reload[15:8]', 'count'],
  });
  expect(now.signals).toEqual([
    { name: 'reload', width: 32, value: 0x1234_5678 },
    { name: 'reload[15:8]', width: 8, value: 0x56 },
    { name: 'count', width: 32, value: 0 },
  ]);
  expect(now.clock).toBeGreaterThan(0);
});

test('rejects unknown names with the nearest match', async () => {
  const read = bench.client.readSignals({ ...NODE, names: ['reload', 'uptme', 'count[32]'] });
  await expect(read).rejects.toMatchObject({ code: 'signal_unknown' });
  await expect(read).rejects.toThrow(/uptme, count\[32\].*Did you mean uptime, count\?/);
  await expect(start({ signals: ['nothing'] })).rejects.toMatchObject({ code: 'signal_unknown' });
});

test('triggers at the start of a bus access, with the samples before it', async () => {
  await write(4, [0]);
  const capture = await start({
    signals: ['bus.cyc', 'bus.we', 'bus.adr', 'reload', 'uptime'],
    trigger: { kind: 'access', address: 4, direction: 'write' },
    depth: 100,
    position: 40,
  });
  await write(0, [7]);
  await write(4, [0xcafe]);
  const done = await ended(capture);
  expect(done).toMatchObject({ state: 'complete', samples: 100, trigger_sample: 40, failure: null });
  const at = await samplesOf(done);
  expect([39, 40].map(at.get('bus.cyc')!)).toEqual([0, 1]);
  expect([at.get('bus.we')!(40), at.get('bus.adr')!(40)]).toEqual([1, 1]);
  expect([at.get('reload')!(40), at.get('reload')!(99)]).toEqual([0, 0xcafe]);
  for (let sample = 1; sample < 100; sample++)
    expect(at.get('uptime')!(sample)).toBe(at.get('uptime')!(sample - 1) + 1);
  const vcd = await bench.client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'vcd' });
  expect(new TextDecoder().decode(vcd)).toMatch(/\$var wire 32 \S+ uptime \$end/);
  const raw = await bench.client.exportCapture({ ...NODE, capture_id: done.capture_id, format: 'bin' });
  expect(raw.length).toBe(100 * 4 * done.words);
});

test('a trigger that never fires ends at its deadline with the samples so far, or is cancelled', async () => {
  const never: CaptureRequest = {
    signals: ['uptime'],
    trigger: { kind: 'value', signal: 'ended', value: 0xffff_ffff },
    depth: 64,
  };
  const late = await ended(await start({ ...never, deadline_seconds: 2 }));
  expect(late).toMatchObject({ state: 'timed_out', trigger_sample: null, samples: 64 });
  expect(late.failure?.error).toBe('capture_timed_out');

  const { capture_id } = await start(never);
  await expect(start(never)).rejects.toMatchObject({ code: 'capture_running' });
  await expect(bench.client.exportCapture({ ...NODE, capture_id, format: 'vcd' })).rejects.toMatchObject({
    code: 'capture_not_ended',
  });
  await bench.client.cancelCapture({ ...NODE, capture_id });
  expect(await bench.client.getCapture({ ...NODE, capture_id })).toMatchObject({ state: 'cancelled' });
});

test('long polls are answered when the capture ends; events report start, end and removal', async () => {
  const events = await EventClient.open(bench.client.options.base ?? '');
  const { capture_id } = await start({
    signals: ['reload'],
    trigger: { kind: 'access', address: 4 },
    depth: 8,
  });
  const short = await bench.client.getCapture({ ...NODE, capture_id, wait: 0.05 });
  expect(short.state).toBe('running');
  const waiting = [1, 2, 3].map(() => bench.client.getCapture({ ...NODE, capture_id, wait: 60 }));
  await write(4, [1]);
  for (const one of await Promise.all(waiting)) expect(one).toMatchObject({ state: 'complete', samples: 8 });
  // At once, since there is nothing to wait for.
  expect((await bench.client.getCapture({ ...NODE, capture_id, wait: 60 })).state).toBe('complete');
  await bench.client.cancelCapture({ ...NODE, capture_id });
  await expect(bench.client.getCapture({ ...NODE, capture_id, wait: 1 })).rejects.toMatchObject({
    code: 'capture_not_found',
  });
  await events.until('capture', (event) => event.state === 'forgotten');
  const told = events.events.flatMap(({ data }) =>
    data.type === 'capture' && data.capture_id === capture_id && !(data.triggered && data.state === 'running')
      ? [[data.fpga_id, data.state, data.samples]]
      : [],
  );
  expect(told).toEqual([
    [3, 'running', 0],
    [3, 'complete', 8],
    [3, 'forgotten', 8],
  ]);
  const long = await start({
    signals: ['reload'],
    trigger: { kind: 'access', address: 4 },
    depth: 65_536,
    every: 1_000_000,
  });
  await write(4, [2]);
  await events.until('capture', (one) => one.capture_id === long.capture_id && one.triggered);
  expect(await bench.client.getCapture({ ...NODE, capture_id: long.capture_id })).toMatchObject({
    ...{ state: 'running', triggered: true },
  });
  await bench.client.cancelCapture({ ...NODE, capture_id: long.capture_id });
  events.close();
});

test('the list of watched signals is saved with the design; rejects an invalid list', async () => {
  const { design } = await bench.client.getNodeDetails(NODE);
  const design_id = design?.design_id ?? '';
  expect(await bench.client.getDesignWaves({ design_id })).toBeUndefined();
  const rows = [
    { kind: 'group' as const, title: 'Timer', folded: true },
    { kind: 'signal' as const, name: 'count', format: 'names' as const, names: { '0': 'ended' } },
  ];
  expect(await bench.client.putDesignWaves({ design_id, body: { rows } })).toEqual({ rows });
  const wrong = { rows: [{ kind: 'signal' as const, name: 'count', names: { zero: 'ended' } }] };
  await expect(bench.client.putDesignWaves({ design_id, body: wrong })).rejects.toMatchObject({
    code: 'validation_error',
  });
  expect(await bench.client.getDesignWaves({ design_id })).toEqual({ rows });
  await bench.client.deleteDesignWaves({ design_id });
  expect(await bench.client.getDesignWaves({ design_id })).toBeUndefined();
});

test('a capture is saved with its design under a name, and outlives the node’s captures', async () => {
  const { design } = await bench.client.getNodeDetails(NODE);
  const kept = { design_id: design?.design_id ?? '' };
  const capture = await ended(await start({ signals: ['count', 'reload'], depth: 300 }));
  const { capture_id } = capture;
  const saved = await bench.client.saveCapture({ ...kept, body: { name: 'First', ...NODE, capture_id } });
  expect(saved).toMatchObject({ name: 'First', capture: { capture_id, samples: 300 } });
  const renamed = await bench.client.saveCapture({ ...kept, body: { name: 'Good', ...NODE, capture_id } });
  const before = await bench.client.exportCapture({ ...NODE, capture_id, format: 'bin' });
  await bench.client.cancelCapture({ ...NODE, capture_id });
  expect(await bench.client.listDesignCaptures(kept)).toEqual([renamed]);
  expect((await bench.client.getDesign(kept)).documents).toContain('captures');
  const after = await bench.client.exportDesignCapture({ ...kept, capture_id, format: 'bin' });
  expect(Buffer.from(after).equals(Buffer.from(before))).toBe(true);
  await expect(
    bench.client.saveCapture({ ...kept, body: { name: 'Gone', ...NODE, capture_id } }),
  ).rejects.toMatchObject({ code: 'capture_not_found' });
  await bench.client.deleteDesignCapture({ ...kept, capture_id });
  expect(await bench.client.listDesignCaptures(kept)).toEqual([]);
  await expect(
    bench.client.exportDesignCapture({ ...kept, capture_id, format: 'bin' }),
  ).rejects.toMatchObject({ code: 'saved_capture_not_found' });
});

test('a capture restarts itself as often as requested, and the earlier ones remain', async () => {
  for (const { capture_id } of await bench.client.listCaptures(NODE))
    await bench.client.cancelCapture({ ...NODE, capture_id });
  const first = await ended(await start({ signals: ['count'], depth: 4, rearm: 2 }));
  await expect
    .poll(async () => (await bench.client.listCaptures(NODE)).map(({ rearm }) => rearm))
    .toEqual([0, 1, 2]);
  const all = await bench.client.listCaptures(NODE);
  expect(all.at(-1)?.capture_id).toBe(first.capture_id);
  await ended(all[0]!);
  await bench.client.exportCapture({ ...NODE, capture_id: first.capture_id, format: 'bin' });
  await bench.client.cancelCapture({ ...NODE, capture_id: all[1]!.capture_id });
  expect(await bench.client.listCaptures(NODE)).toHaveLength(2);
  // A cancel of one that has ended stops them, and it stays.
  const newest = async () => (await bench.client.listCaptures(NODE))[0];
  await expect
    .poll(async () => {
      const last = await newest();
      if (last?.state === 'running') return null;
      if (!last?.rearm) {
        // None yet, or the next one began before the cancel, which ended that one: once more.
        await start({ signals: ['count'], depth: 4, rearm: 1000 });
        return null;
      }
      await bench.client.cancelCapture({ ...NODE, capture_id: last.capture_id });
      const stopped = await newest();
      return [stopped?.capture_id === last.capture_id, stopped?.state, stopped?.rearm];
    })
    .toEqual([true, 'complete', 0]);
  for (const { capture_id } of await bench.client.listCaptures(NODE))
    await bench.client.cancelCapture({ ...NODE, capture_id });
});

test('a multi-step trigger fires when its last step completes; rejects an invalid one', async () => {
  const trigger: CaptureRequest['trigger'] = {
    kind: 'sequence',
    steps: [
      { kind: 'access', address: 4, direction: 'write', count: 2 },
      { kind: 'range', signal: 'reload', min: 0x100, max: 0x1ff, within: 1_000_000 },
      { kind: 'change', signal: 'reload' },
    ],
  };
  const capture = await start({ signals: ['reload'], depth: 8, position: 2, trigger });
  await write(4, [0x150]);
  await write(4, [0x160]);
  await write(4, [0x777]);
  const samples = await samplesOf(await ended(capture));
  const { trigger_sample: at } = await bench.client.getCapture({ ...NODE, capture_id: capture.capture_id });
  expect([samples.get('reload')!(at! - 1), samples.get('reload')!(at!)]).toEqual([0x160, 0x777]);
  const first = {
    kind: 'sequence' as const,
    steps: [{ kind: 'rising' as const, signal: 'bus.cyc', within: 5 }],
  };
  await expect(start({ signals: ['reload'], trigger: first })).rejects.toMatchObject({
    code: 'capture_trigger',
  });
});

test('rejects too many bits, an edge of a bus, and a value that is too wide', async () => {
  const signals = [
    'uptime',
    'count',
    'reload',
    'ended',
    'bus.adr',
    'bus.dat_w',
    'o_wb_data',
    'i_wb_data',
    'bus.dat_r',
  ];
  await expect(start({ signals })).rejects.toMatchObject({ code: 'capture_too_wide' });
  const edge = { kind: 'rising', signal: 'count' } as const;
  await expect(start({ signals: ['count'], trigger: edge })).rejects.toMatchObject({
    code: 'capture_trigger',
  });
  const wide = { kind: 'value', signal: 'bus.cyc', value: 2 } as const;
  await expect(start({ signals: ['count'], trigger: wide })).rejects.toMatchObject({
    code: 'capture_trigger',
  });
});

test('a paused board steps, rejects transactions, and resumes', async () => {
  const paused = await bench.client.setBoardClock({ ...NODE, body: { action: 'pause' } });
  expect(paused.paused).toBe(true);
  const uptime = async () => {
    const { clock, signals } = await bench.client.readSignals({ ...NODE, names: ['uptime'] });
    return { clock, uptime: signals[0]!.value as number };
  };
  const before = await uptime();
  expect(await uptime()).toEqual(before);
  await bench.client.setBoardClock({ ...NODE, body: { action: 'step', clocks: 25_000 } });
  expect(await uptime()).toEqual({ clock: before.clock + 25_000, uptime: before.uptime + 25_000 });
  await expect(
    bench.client.runTransaction({ ...NODE, body: { op: 2, address: 0, count: 1 } }),
  ).rejects.toMatchObject({ code: 'board_paused' });
  const going = await bench.client.setBoardClock({ ...NODE, body: { action: 'run' } });
  expect(going.paused).toBe(false);
  await expect(bench.client.setBoardClock({ ...NODE, body: { action: 'step' } })).rejects.toMatchObject({
    code: 'board_not_paused',
  });
  expect((await bench.run(3, { op: 2, address: 4, count: 1 })).ok).toBe(true);
});

test('runs until the trigger: the clock pauses there, and the transaction that fired it ends with that reason', async () => {
  const capture = await start({
    signals: ['bus.cyc', 'reload'],
    trigger: { kind: 'access', address: 4, direction: 'write' },
    depth: 16,
    position: 15,
    pause: true,
  });
  const { job_id } = await bench.client.runTransaction({ ...NODE, body: { op: 1, address: 4, data: [5] } });
  const done = await ended(capture);
  expect(done).toMatchObject({ state: 'complete', trigger_sample: 15, samples: 16 });
  const { clock, paused } = await bench.client.getBoardClock(NODE);
  expect({ clock, paused }).toEqual({ clock: done.clock, paused: true });
  const job = await bench.ended(3, job_id);
  expect(job).toMatchObject({ status: 'failed', failure: { error: 'board_paused' } });
  expect(await bench.state(3)).toBe('reserved');
  await bench.client.setBoardClock({ ...NODE, body: { action: 'run' } });
  expect((await write(4, [9])).ok).toBe(true);
  const { signals } = await bench.client.readSignals({ ...NODE, names: ['reload'] });
  expect(signals[0]?.value).toBe(9);
});

test('a capture ends with the session', async () => {
  const capture = await start({
    signals: ['count'],
    trigger: { kind: 'value', signal: 'count', value: 12345 },
  });
  await bench.release(3);
  const done = await ended(capture);
  expect(done).toMatchObject({ state: 'ended', samples: 0, failure: { error: 'capture_ended' } });
  await expect(
    bench.client.exportCapture({ ...NODE, capture_id: capture.capture_id, format: 'json' }),
  ).rejects.toMatchObject({ code: 'no_samples' });
  await expect(start({ signals: ['count'] })).rejects.toMatchObject({ code: 'fpga_not_reserved' });
});
