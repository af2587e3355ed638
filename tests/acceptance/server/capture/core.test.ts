import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../server/boards/catalogue/index.ts';
import { Recorder } from '../../../../server/boards/virtual/runtime/recorder.ts';
import type { BuildReport } from '../../../../server/contract/designs/uploads.ts';
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
import { forkWithStoredRuns } from '../../../support/toolchain/stored-runs.ts';

/** 46 bits: of the bus, and of registers of the design. */
const PROBES = 'bus.cyc,bus.we,bus.adr[3:0],bus.dat_w[15:0],reload[7:0],uptime[15:0]';
const { file, source } = exampleSource('timer.v');
const data = mkdtempSync(path.join(os.tmpdir(), 'wishbench-core-'));
let bitstream: Uint8Array;
let report: BuildReport;
let symbols: DesignSymbols;

beforeAll(async () => {
  await keepBuilt(data, [{ filename: file, source, options: { probes: PROBES } }]);
  const toolchain = createToolchain({ dataDir: data, logger: silentLogger, forkTools: forkWithStoredRuns });
  try {
    const board = loadCatalogue().get(VIRTUAL_BOARD)!;
    const request = { source: Buffer.from(source), filename: file, board, options: { probes: PROBES } };
    const built = await toolchain.build(request, { started: async () => {}, log() {}, progress() {} });
    ({ bitstream, report } = built);
    symbols = (await toolchain.symbols(built.buildId))!;
  } finally {
    await toolchain.close();
  }
});

afterAll(() => rmSync(data, { recursive: true, force: true }));

test('the report lists the core’s probes and its cost', () => {
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
  // Each bit of a sample has a register, and each of the trigger two.
  expect(core?.flip_flops).toBeGreaterThan(3 * 46);
  expect(core?.luts).toBeLessThan(400);
});

describe('the core against the symbols’ own capture of the same run', () => {
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
