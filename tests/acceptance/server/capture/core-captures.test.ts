import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaptureRequest, CaptureView } from '../../../../server/contract/signals/signals.ts';
import { keepBuilt } from '../../../support/built.ts';
import { exampleSource } from '../../../support/capture/support.ts';
import { FlowBench } from '../../../support/flow/flow-bench.ts';

/** Captures by the core of a build, over HTTP. */

const PROBES = 'bus.cyc,bus.we,bus.adr[3:0],bus.dat_w[15:0],reload[7:0],uptime[15:0]';
const { file, source } = exampleSource('timer.v');
const NODE = { fpga_id: 3 };
const data = mkdtempSync(path.join(os.tmpdir(), 'wishbench-core-'));
let bench: FlowBench;

beforeAll(async () => {
  await keepBuilt(data, [{ filename: file, source, options: { probes: PROBES } }, 'timer.v']);
  bench = await FlowBench.start([], data);
  const job = await bench.submit(3, file, source, { probes: PROBES });
  if (job.status !== 'complete') throw new Error(job.log);
});

afterAll(async () => {
  await bench?.stop();
  rmSync(data, { recursive: true, force: true });
});

const start = (body: CaptureRequest) => bench.client.startCapture({ ...NODE, body });
const write = (address: number, words: number[]) => bench.run(3, { op: 1, address, data: words });

async function ended({ capture_id }: CaptureView): Promise<CaptureView> {
  for (;;) {
    const capture = await bench.client.getCapture({ ...NODE, capture_id, wait: 30 });
    if (capture.state !== 'running') return capture;
  }
}

async function valuesOf({ capture_id }: CaptureView): Promise<Map<string, (sample: number) => number>> {
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

test('a core capture equals an internal one, which is a virtual board’s default', async () => {
  await write(4, [0x11]);
  const request: CaptureRequest = {
    signals: ['uptime[7:0]', 'reload', 'bus.we'],
    trigger: { kind: 'access', address: 4, direction: 'write' },
    depth: 100,
    position: 40,
  };
  for (const using of ['core', 'inside'] as const) {
    const capture = await start({ ...request, ...(using === 'core' ? { using } : {}) });
    expect(capture).toMatchObject({ using, state: 'running' });
    await write(0, [7]);
    await write(4, [using === 'core' ? 0x22 : 0x33]);
    const done = await ended(capture);
    expect(done).toMatchObject({
      state: 'complete',
      samples: 100,
      trigger_sample: 40,
      failure: null,
      lag: 1,
    });
    const at = await valuesOf(done);
    expect([39, 40].map(at.get('bus.we')!)).toEqual([1, 1]);
    const bytes = [40, 99].map((sample) => at.get('reload')!(sample) & 255);
    expect(bytes).toEqual(using === 'core' ? [0x11, 0x22] : [0x22, 0x33]);
    for (let sample = 1; sample < 100; sample++)
      expect(at.get('uptime[7:0]')!(sample)).toBe((at.get('uptime[7:0]')!(sample - 1) + 1) & 255);
  }
  // The unprobed rest of a signal counts as lost.
  const part = await start({ using: 'core', signals: ['reload'] });
  expect(part.signals[0]).toMatchObject({ width: 32, lost: '0xffffff00' });
  expect(await ended(part)).toMatchObject({ depth: 512, samples: 512, trigger_sample: 0, clock: null });
});

test('a trigger that never fires ends at its deadline with the samples so far, or is cancelled', async () => {
  const never: CaptureRequest = {
    using: 'core',
    signals: ['uptime[15:0]'],
    trigger: { kind: 'value', signal: 'reload[7:0]', value: 0xee },
    depth: 64,
    every: 10,
  };
  const late = await ended(await start({ ...never, deadline_seconds: 2 }));
  expect(late).toMatchObject({ state: 'timed_out', trigger_sample: null, samples: 64 });
  expect(late.failure?.error).toBe('capture_timed_out');
  const at = (await valuesOf(late)).get('uptime[15:0]')!;
  for (let sample = 1; sample < 64; sample++) expect((at(sample) - at(sample - 1)) & 0xffff).toBe(10);

  const { capture_id } = await start(never);
  await expect(start(never)).rejects.toMatchObject({ code: 'capture_running' });
  // Only the user uses the bus meanwhile.
  expect((await write(8, [1, 2])).ok).toBe(true);
  await bench.client.cancelCapture({ ...NODE, capture_id });
  expect(await bench.client.getCapture({ ...NODE, capture_id })).toMatchObject({ state: 'cancelled' });
  expect(await ended(await start({ using: 'core', signals: ['bus.cyc'] }))).toMatchObject({
    state: 'complete',
    failure: null,
  });
});

test('rejects captures beyond the core’s abilities, and reports its limits', async () => {
  const core = { using: 'core' } as const;
  const count = start({ ...core, signals: ['count'] });
  await expect(count).rejects.toMatchObject({ code: 'signal_not_probed' });
  await expect(count).rejects.toThrow(/count is not among the probes of this build: bus\.cyc, /);
  const signals = ['bus.cyc'];
  const high = { kind: 'access', address: 0x100 } as const;
  await expect(start({ ...core, signals, trigger: high })).rejects.toMatchObject({
    code: 'signal_not_probed',
  });
  const wide = { kind: 'value', signal: 'reload', value: 1 } as const;
  await expect(start({ ...core, signals, trigger: wide })).rejects.toMatchObject({
    code: 'signal_not_probed',
  });
  const masked = await start({ ...core, signals, trigger: { ...wide, mask: 1 }, deadline_seconds: 0.2 });
  await ended(masked);
  const deep = start({ ...core, signals, depth: 513 });
  await expect(deep).rejects.toMatchObject({ code: 'capture_beyond_core' });
  await expect(deep).rejects.toThrow(/stores 512 samples/);
  await expect(start({ ...core, signals, every: 65_537 })).rejects.toMatchObject({
    code: 'capture_beyond_core',
  });
  await expect(start({ ...core, signals, pause: true })).rejects.toMatchObject({
    code: 'capture_beyond_core',
  });
  await bench.client.setBoardClock({ ...NODE, body: { action: 'pause' } });
  await expect(start({ ...core, signals })).rejects.toMatchObject({ code: 'board_paused' });
  await bench.client.setBoardClock({ ...NODE, body: { action: 'run' } });
});

test('reports the probed bits of a name; a build without probes has no core', async () => {
  const { signals } = await bench.client.listSignals({ ...NODE, match: 'uptime' });
  expect(signals).toMatchObject([{ name: 'uptime', width: 32, probed: 16 }]);
  const job = await bench.submit(4, file, source);
  expect(job.status).toBe('complete');
  const report = await bench.client.getBuildReport({ fpga_id: 4, job_id: job.job_id });
  expect(report.capture_core).toBeUndefined();
  const body: CaptureRequest = { using: 'core', signals: ['count'] };
  await expect(bench.client.startCapture({ fpga_id: 4, body })).rejects.toMatchObject({
    code: 'no_probes',
  });
});

test('unknown or excessive probes fail the build; unknown ones with the nearest names', async () => {
  const failed = async (probes: string) => {
    const { status, failure } = await bench.submit(5, file, source, { probes });
    return { status, error: failure?.error, message: failure?.message };
  };
  expect(await failed('uptme, reload, count[32]')).toMatchObject({
    status: 'failed',
    error: 'probe_unknown',
    message: expect.stringMatching(/no signal uptme, count\[32\].*Did you mean uptime, count\?/),
  });
  expect(await failed('uptime, reload, bus.cyc')).toMatchObject({
    error: 'probes_too_large',
    message: expect.stringMatching(/65 bits in total .*at most 64/),
  });
  await expect(bench.submit(5, file, source, { probes: 'a; exec' })).rejects.toMatchObject({ status: 422 });
  expect(await bench.state(5)).toBe('idle');
});

test('a capture ends with a reset and with the session', async () => {
  const never: CaptureRequest = {
    using: 'core',
    signals: ['bus.cyc'],
    trigger: { kind: 'value', signal: 'reload[7:0]', value: 0xee },
  };
  const capture = await start(never);
  await bench.release(3);
  expect(await ended(capture)).toMatchObject({ state: 'ended', failure: { error: 'capture_ended' } });
  await bench.submit(3, file, source, { probes: PROBES });
  const second = await start(never);
  expect((await bench.reset(3)).status).toBe('complete');
  expect(await ended(second)).toMatchObject({ state: 'ended', failure: { error: 'capture_ended' } });
  await expect(start(never)).rejects.toMatchObject({ code: 'fpga_not_reserved' });
});
