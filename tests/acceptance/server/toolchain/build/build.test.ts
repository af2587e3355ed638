import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shortBuildId } from '../../../../../server/toolchain/build/gateware.ts';
import type { BuildResult } from '../../../../../server/toolchain/build-request.ts';
import { forkWithNode } from '../../../../../server/toolchain/engines/embedded/fork-tools.ts';
import { runningTime } from '../../../../support/running-time.ts';
import {
  example,
  freshToolchain,
  type Recording,
  record,
  refusal,
  requestOf,
  slave,
} from '../../../../support/toolchain/build/support.ts';

/** Builds with the embedded tools: the whole way from a source file to a bitstream. */
const { toolchain, dispose } = freshToolchain();
afterAll(dispose);
const build = (source: string, filename = 'design.v', context = record(), options = {}) =>
  toolchain.build(requestOf(source, filename, options), context);

describe('the echo example', () => {
  // Order of the log, progress and seconds need tools that run.
  const running = freshToolchain({ forkTools: forkWithNode });
  afterAll(running.dispose);
  let context: Recording;
  let result: BuildResult;
  beforeAll(async () => {
    context = record();
    result = await running.toolchain.build(requestOf(example('echo.v'), 'echo.v'), context);
  });

  test('becomes a bitstream of the part', () => {
    expect(result.cached).toBe(false);
    expect(result.buildId).toMatch(/^[0-9a-f]{64}$/);
    expect(result.bitstream.length).toBe(135_100);
    // The comment ends with 00 FF; then comes the preamble of every iCE40 bitstream.
    expect(Buffer.from(result.bitstream).indexOf(Buffer.from([0x7e, 0xaa, 0x99, 0x7e]))).toBeGreaterThan(-1);
  });

  test('has an estimate of its utilisation and its clock after synthesis', () => {
    const [{ estimate, lines } = { estimate: null, lines: 0 }, ...more] = context.estimates;
    expect(more).toEqual([]);
    const { utilisation, timing } = result.report;
    const counted = ({ resource, used, available }: (typeof utilisation)[number]) => ({
      resource,
      used,
      available,
    });
    const decided = utilisation.filter(({ resource }) => ['LUT', 'FF', 'carry', 'BRAM'].includes(resource));
    expect(estimate).toMatchObject({ target_mhz: 12, utilisation: decided.map(counted) });
    // The estimate of a design of this size is not off by a third.
    expect(estimate!.fmax_mhz! / timing.fmax_mhz!).toBeGreaterThan(2 / 3);
    expect(estimate!.fmax_mhz! / timing.fmax_mhz!).toBeLessThan(3 / 2);
    expect(context.lines[lines - 1]).toEqual({
      stage: 'place',
      line: expect.stringMatching(/^estimate: \d+ of 7680 LUT .*; Fmax about [\d.]+ MHz, target 12 MHz$/),
    });
    const routed = context.lines.findIndex(({ stage }) => stage === 'route');
    expect(lines).toBeLessThan(routed);
  });

  test('has a report with board, part, engine, design and utilisation', () => {
    const { report } = result;
    expect(report).toMatchObject({
      build_id: result.buildId,
      board: 'virtual-hx8k',
      part: 'hx8k-ct256',
      engine: 'embedded',
      cached: false,
      bitstream_size: result.bitstream.length,
      design: { module: 'echo' },
      diagnostics: [],
    });
    const rows = Object.fromEntries(report.utilisation.map((row) => [row.resource, row]));
    for (const resource of ['LUT', 'FF', 'carry', 'logic cell', 'BRAM', 'IO', 'global buffer'])
      expect(rows[resource]?.used).toBeGreaterThan(0);
    expect(rows['LUT']?.available).toBe(7680);
    expect(rows['FF']?.available).toBe(7680);
    expect(rows['BRAM']).toMatchObject({ used: expect.any(Number), available: 32 });
    expect(rows['LUT']!.used).toBeLessThanOrEqual(rows['logic cell']!.used);
    expect(report.timing.fmax_mhz).toBeGreaterThan(12);
    expect(report.timing).toMatchObject({ target_mhz: 12, met: true });
    const path = report.timing.critical_path;
    expect(path[0]?.type).toBe('clk-to-q');
    expect(path.at(-1)?.type).toBe('setup');
    const delay = path.reduce((sum, { delay_ns }) => sum + delay_ns, 0);
    expect(1000 / delay).toBeCloseTo(report.timing.fmax_mhz!, 0);
    for (const { from, to } of path) expect(`${from} ${to}`).not.toMatch(/SB_|\$/);
    for (const stage of ['scan', 'synthesis', 'place', 'route', 'pack'] as const)
      expect(report.seconds[stage]).toBeGreaterThan(0);
    expect(Object.keys(report.versions)).toEqual(['yosys', 'nextpnr-ice40', 'packer']);
    expect(report.peak_memory_bytes).toBeGreaterThan(50 * 2 ** 20);
    expect(report.peak_memory_bytes).toBeLessThan(600 * 2 ** 20);
  });

  test('has a log with the stages in order, the tools’ own output and the result', () => {
    const order = ['scan', 'synthesis', 'place', 'route', 'pack'];
    const stages = context.lines.map(({ stage }) => order.indexOf(stage));
    expect(stages).toEqual([...stages].sort((a, b) => a - b));
    expect(new Set(stages).size).toBe(order.length);
    const text = context.text();
    expect(text).toContain(result.buildId);
    expect(text).toMatch(/Wishbone slave: module echo/);
    expect(text).toMatch(/Executing FLATTEN pass/);
    expect(text).toMatch(/HeAP Placer Time/);
    expect(text).toMatch(/Routing complete/);
    expect(text).toMatch(/used: \d+ of 7680 LUT \(\d+ %\)/);
    expect(text).toMatch(/timing: Fmax [\d.]+ MHz, target 12 MHz/);
    expect(text).not.toMatch(/^(error|warning): /m);
    expect(context.starts).toBe(1);
  });

  test('reports progress that grows within each stage to its end', () => {
    const reached: Record<string, number> = {};
    for (const { stage, fraction } of context.progressed) {
      expect(fraction).toBeGreaterThanOrEqual(reached[stage] ?? 0);
      expect(fraction).toBeLessThanOrEqual(1);
      reached[stage] = fraction;
    }
    expect(Object.keys(reached)).toEqual(['scan', 'synthesis', 'place', 'route', 'pack']);
    for (const stage of ['scan', 'synthesis', 'route', 'pack']) expect(reached[stage]).toBe(1);
  });

  test('comes from the cache the second time, as its log confirms', async () => {
    const again = record();
    const second = await running.toolchain.build(requestOf(example('echo.v'), 'echo.v'), again);
    expect(second.cached).toBe(true);
    expect(second.report).toEqual({ ...result.report, cached: true });
    expect(Buffer.from(second.bitstream).equals(Buffer.from(result.bitstream))).toBe(true);
    expect(again.text()).toContain(`build ${result.buildId} found in the cache`);
    expect(again.lines.length).toBeLessThan(6);
    expect(again.starts).toBe(1);
  });

  test('is a new build with another option; a missed timing target is a warning', async () => {
    const context = record();
    const other = await build(example('echo.v'), 'echo.v', context, { timing_target_mhz: 400 });
    expect(other.cached).toBe(false);
    expect(other.buildId).not.toBe(result.buildId);
    expect(shortBuildId(other.buildId)).not.toBe(shortBuildId(result.buildId));
    expect(other.report.timing).toMatchObject({ target_mhz: 400, met: false });
    expect(context.text()).toMatch(/warning: timing: Fmax [\d.]+ MHz, target 400 MHz: target not met;/);
    // About the end of the critical path.
    expect(other.report.diagnostics).toContainEqual({
      severity: 'warning',
      code: 'nextpnr_warning',
      message: expect.stringMatching(/Fmax [\d.]+ MHz, target 400 MHz: target not met;/),
      net: other.report.timing.critical_path.at(-1)?.to,
    });
  });
});

test('a design with latches builds, with a warning at each latch’s line', async () => {
  const context = record();
  const source = slave(
    '  reg [3:0] kept;\n  always @* if (wb_we) kept = wb_dat_w;\n  assign wb_dat_r = kept;',
  );
  const { report } = await build(source, 'latch.v', context);
  expect(report.diagnostics).toContainEqual({
    severity: 'warning',
    code: 'yosys_warning',
    file: 'latch.v',
    line: 6,
    message: expect.stringContaining('latch inferred for design.kept'),
    net: 'design.kept',
  });
  expect(context.text()).toContain('trying again with loops allowed');
  const last = context.lines.findLast(({ line }) => line.startsWith('warning: latch.v:6: latch inferred'));
  expect(last?.stage).toBe('place');
});

test.each([
  ['of more words than there may be', 'reg [15:0] big[0:8191]'],
  ['of more bits than the part has flip-flops', 'reg [31:0] big[0:511]'],
])('rejects a memory that cannot become block RAM early, by name: %s', async (_which, declaration) => {
  const source = slave(
    `  ${declaration};\n  always @(posedge clk) if (wb_we) big[wb_adr] <= wb_dat_w;\n  assign wb_dat_r = big[wb_adr];`,
  );
  const context = record();
  const error = await refusal(build(source, 'design.v', context));
  expect(error.code).toBe('build_too_large');
  expect(error.message).toContain('the memory big cannot be mapped to block RAM');
  expect(error.remedy).toContain('Read it synchronously');
  expect(error.diagnostics).toEqual([
    {
      severity: 'error',
      code: 'build_too_large',
      message: 'the memory big cannot be mapped to block RAM and is too large for registers',
      file: 'design.v',
      line: 5,
      column: expect.any(Number),
      net: 'big',
    },
  ]);
  expect(context.text()).not.toMatch(/error: .*\$mem/);
  // The stages that would take minutes come after that.
  expect(context.text().match(/Executing MEMORY_MAP/g)).toHaveLength(1); // that of arrays of a few words
});

test('aborts a build at once in any stage, without effect on the next one', async () => {
  const ranFor = await runningTime();
  for (const stage of ['scan', 'synthesis', 'place', 'route'] as const) {
    const stop = new AbortController();
    const context = record(stop.signal);
    let at = 0;
    context.progress = (reached) => {
      if (reached !== stage || at > 0) return;
      at = ranFor();
      stop.abort();
    };
    const error = await refusal(
      build(slave(`  assign wb_dat_r = 32'd${stage.length};`), `${stage}.v`, context),
    );
    expect(error.code).toBe('build_aborted');
    expect(ranFor() - at).toBeLessThan(8000);
  }
  expect(toolchain.slots).toMatchObject({ busy: 0, waiting: 0 });
});

test('lists the available tools', async () => {
  const engines = await toolchain.engines();
  expect(engines.filter(({ name }) => name === 'embedded').map(({ tool }) => tool)).toEqual([
    'yosys',
    'nextpnr-ice40',
    'icepack',
  ]);
  for (const tool of ['nextpnr-ecp5', 'ecppack', 'gowin_pack', 'ghdl', 'python3', 'bwrap'])
    expect(engines.find((engine) => engine.tool === tool)).toBeDefined();
  for (const { version, path } of engines) expect(path === null || version !== null).toBe(true);
});
