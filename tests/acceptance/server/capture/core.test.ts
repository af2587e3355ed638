import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../server/boards/catalogue/index.ts';
import { Recorder } from '../../../../server/boards/virtual/runtime/recorder.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
import type { CaptureRequest, CaptureView } from '../../../../server/contract/signals/signals.ts';
import { silentLogger } from '../../../../server/log.ts';
import { type DesignSymbols, SymbolTable } from '../../../../server/symbols/symbols.ts';
import { createToolchain } from '../../../../server/toolchain/index.ts';
import {
  armCore,
  type CoreTrigger,
  readSamples,
  readStatus,
} from '../../../../server/wishbone/capture-core.ts';
import { keepBuilt } from '../../../support/built.ts';
import { MachineLine } from '../../../support/capture/machine-line.ts';
import { exampleSource, machineOf } from '../../../support/capture/support.ts';
import { FlowBench } from '../../../support/flow/flow-bench.ts';

/** 46 bits: of the bus, and of registers of the design. */
const PROBES = 'bus.cyc,bus.we,bus.adr[3:0],bus.dat_w[15:0],reload[7:0],uptime[15:0]';
const { file, source } = exampleSource('timer.v');
const NODE = { fpga_id: 3 };
const data = mkdtempSync(path.join(os.tmpdir(), 'wishbench-core-'));
let bench: FlowBench;
let bitstream: Uint8Array;
let report: BuildReport;
let symbols: DesignSymbols;

beforeAll(async () => {
  await keepBuilt(data, [{ filename: file, source, options: { probes: PROBES } }, 'timer.v']);
  const toolchain = createToolchain({ dataDir: data, logger: silentLogger });
  try {
    const board = loadCatalogue().get(VIRTUAL_BOARD)!;
    const request = { source: Buffer.from(source), filename: file, board, options: { probes: PROBES } };
    const built = await toolchain.build(request, { started: async () => {}, log() {}, progress() {} });
    ({ bitstream, report } = built);
    symbols = (await toolchain.symbols(built.buildId))!;
  } finally {
    await toolchain.close();
  }
  bench = await FlowBench.start([], data);
  const job = await bench.submit(3, file, source, { probes: PROBES });
  if (job.status !== 'complete') throw new Error(job.log);
});

afterAll(async () => {
  await bench?.stop();
  rmSync(data, { recursive: true, force: true });
});

test('the report says what the core holds and what it costs', () => {
  const { capture_core: core } = report;
  expect(core).toMatchObject({ bits: 46, depth: 512, block_rams: 6 });
  expect(core?.probes.map(({ name, at, width }) => [name, at, width])).toEqual([
    ['bus.cyc', 0, 1],
    ['bus.we', 1, 1],
    ['bus.adr[3:0]', 2, 4],
    ['bus.dat_w[15:0]', 6, 16],
    ['reload[7:0]', 22, 8],
    ['uptime[15:0]', 30, 16],
  ]);
  expect(core?.probes[4]).toMatchObject({ signal: 'reload', signal_width: 32, from: 0, file: 'timer.v' });
  // Of a sample each bit has a register, and of the trigger two.
  expect(core?.flip_flops).toBeGreaterThan(3 * 46);
  expect(core?.luts).toBeLessThan(400);
});

describe('the core against the symbols’ own recording of the same run', () => {
  /** Bits of a sample, from the recording of the fabric. */
  function recorded(recorder: Recorder, width: number): bigint[] {
    const { samples, words, count } = recorder.result();
    return Array.from({ length: count }, (_, clock) => {
      let bits = 0n;
      for (let bit = width - 1; bit >= 0; bit--)
        bits = (bits << 1n) | BigInt((samples[clock * words + (bit >> 5)]! >>> (bit & 31)) & 1);
      return bits;
    });
  }

  /** A write to word 1. */
  const WRITE: CoreTrigger = { value: 0b0001_11n, mask: 0b1111_11n, onlyEdge: true, after: 400, every: 1 };
  /** The low ten bits of `uptime`. */
  const UPTIME: CoreTrigger = {
    value: 0x3f0n << 30n,
    mask: 0x3ffn << 30n,
    onlyEdge: false,
    after: 100,
    every: 1,
  };

  test.each([
    ['an access', WRITE],
    ['a value', UPTIME],
    ['a value, and every seventh clock', { ...UPTIME, every: 7 }],
  ])('%s: bit by bit and clock by clock', async (_, trigger) => {
    const core = report.capture_core!;
    const table = new SymbolTable(symbols);
    const places = core.probes.flatMap(({ name }) => table.find(name)!.places);
    expect(places.filter((place) => place !== null)).toHaveLength(core.bits);
    const machine = machineOf(bitstream);
    const recorder = new Recorder(machine, {
      places: places.map((place) => place ?? '0'),
      kept: places.length,
      depth: 60_000,
      position: 0,
      every: 1,
      trigger: null,
      pause: false,
    });
    const line = new MachineLine(machine, recorder);
    line.wait(300);
    await line.write(4, Uint32Array.of(0x1234));
    const before = line.clock;
    await armCore(line, core, trigger);
    await line.write(0, Uint32Array.of(7));
    await line.write(4, Uint32Array.of(0xcafe));
    await line.read(4, 1);
    line.wait(3000);
    const status = await readStatus(line, core);
    expect(status?.after).toBe(trigger.after);
    const { samples: there, lag } = status!;
    const { samples, words } = await readSamples(line, core, there);
    const got = Array.from({ length: there }, (_, at) =>
      [...samples.subarray(at * words, (at + 1) * words)].reduceRight(
        (sum, word) => (sum << 32n) | BigInt(word),
        0n,
      ),
    );
    const earlier = there - trigger.after;
    expect(earlier).toBeGreaterThan(0);

    const all = recorded(recorder, places.length);
    // No two clocks are the same: `uptime` counts them.
    const clock = all.findIndex((bits, at) => at > before && bits === got[earlier]);
    const first = clock - lag - (earlier - 1) * trigger.every;
    const clocks = [
      ...Array.from({ length: earlier }, (_, k) => first + k * trigger.every),
      ...Array.from({ length: trigger.after }, (_, k) => clock + k * trigger.every),
    ];
    expect(got.map((bits) => bits.toString(16))).toEqual(clocks.map((at) => all[at]?.toString(16)));
    // It is the first clock of the trigger.
    const fits = (at: number) => ((all[at]! ^ trigger.value) & trigger.mask) === 0n;
    const fires = all.map((_, at) => fits(at) && !(trigger.onlyEdge && fits(at - 1)));
    expect(fires.indexOf(true, first + 1)).toBe(clock);
  });
});

describe('over HTTP', () => {
  const start = (body: CaptureRequest) => bench.client.startCapture({ ...NODE, body });
  const write = (address: number, words: number[]) => bench.run(3, { op: 1, address, data: words });

  async function ended({ capture_id }: CaptureView): Promise<CaptureView> {
    for (;;) {
      const capture = await bench.client.getCapture({ ...NODE, capture_id });
      if (capture.state !== 'running') return capture;
      await new Promise((resolve) => setTimeout(resolve, 20));
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

  test('a capture by the core is like one of the inside, which is what a virtual board takes by itself', async () => {
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
    // Of a signal that is probed in part the rest is as lost.
    const part = await start({ using: 'core', signals: ['reload'] });
    expect(part.signals[0]).toMatchObject({ width: 32, lost: '0xffffff00' });
    expect(await ended(part)).toMatchObject({ depth: 512, samples: 512, trigger_sample: 0, clock: null });
  });

  test('a trigger that never comes ends at its deadline with what there is, or is cancelled', async () => {
    const never: CaptureRequest = {
      using: 'core',
      signals: ['uptime[15:0]'],
      trigger: { kind: 'value', signal: 'reload[7:0]', value: 0xee },
      depth: 64,
      every: 10,
    };
    const late = await ended(await start({ ...never, deadline_seconds: 0.3 }));
    expect(late).toMatchObject({ state: 'timed_out', trigger_sample: null, samples: 64 });
    expect(late.failure?.error).toBe('capture_timed_out');
    const at = (await valuesOf(late)).get('uptime[15:0]')!;
    for (let sample = 1; sample < 64; sample++) expect((at(sample) - at(sample - 1)) & 0xffff).toBe(10);

    const { capture_id } = await start(never);
    await expect(start(never)).rejects.toMatchObject({ code: 'capture_running' });
    // The bus is nobody's but the user's meanwhile.
    expect((await write(8, [1, 2])).ok).toBe(true);
    await bench.client.cancelCapture({ ...NODE, capture_id });
    expect(await bench.client.getCapture({ ...NODE, capture_id })).toMatchObject({ state: 'cancelled' });
    expect(await ended(await start({ using: 'core', signals: ['bus.cyc'] }))).toMatchObject({
      state: 'complete',
      failure: null,
    });
  });

  test('what the core cannot do is refused, and says what it can', async () => {
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
    await expect(deep).rejects.toThrow(/holds 512 samples/);
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

  test('names are told to be probed; a build without probes has no core', async () => {
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

  test('probes that there are not, or too many, fail the build with the nearest names', async () => {
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
      message: expect.stringMatching(/65 bits together .*at most 64/),
    });
    await expect(bench.submit(5, file, source, { probes: 'a; exec' })).rejects.toMatchObject({ status: 422 });
    expect(await bench.state(5)).toBe('idle');
  });

  test('a capture ends with a reset, and with the session', async () => {
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
});
