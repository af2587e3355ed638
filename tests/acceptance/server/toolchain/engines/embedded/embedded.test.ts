import { afterAll, expect, test } from 'vitest';
import { BenchError } from '../../../../../../server/errors/bench-error.ts';
import { createThreadEngine } from '../../../../../../server/toolchain/engines/embedded/thread-engine.ts';
import { hostFiles } from '../../../../../../server/toolchain/engines/embedded/tool-packages.ts';
import type { ToolRun } from '../../../../../../server/toolchain/tool-engine.ts';
import { SOAK } from '../../../../../support/soak.ts';
import { engineOptions } from '../../../../../support/toolchain/support.ts';

const MB = 2 ** 20;
/** Rounds of failures, and of runs that end well, after which memory is measured: more in `npm run soak`. */
const [FAILURES, RUNS] = SOAK ? [8, 3] : [1, 1];
const engine = createThreadEngine({ ...engineOptions, memoryLimit: 160 * MB });
afterAll(() => engine.close());

const lines: string[] = [];
const yosys = (source: string, script: string, more: Partial<ToolRun> = {}) =>
  engine.run({
    tool: 'yosys',
    args: ['-p', script],
    files: { 'a.v': source },
    outputs: [],
    deadline: 60,
    onLine: (line) => lines.push(line),
    ...more,
  });

const rejection = async (promise: Promise<unknown>): Promise<BenchError> => {
  const error = await promise.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(BenchError);
  return error as BenchError;
};

const RECURSION = `module m(output [31:0] b);
function automatic integer f; input integer x; f = f(x + 1) + 1; endfunction
localparam P = f(0); assign b = P; endmodule`;

/** Multiplier of a million partial products: works for seconds. */
const ENORMOUS = `module m(input [1023:0] a, b, output [2047:0] q); assign q = a * b; endmodule`;

/** A wide inverter. Cleaning it takes about 300 bytes a bit. */
const wide = (bits: number) =>
  `module m(input [${bits - 1}:0] a, output [${bits - 1}:0] b); assign b = ~a; endmodule`;
const CLEAN = 'read_verilog a.v; opt_clean';
/** Exceeds the memory limit quickly. */
const hoard = () => rejection(yosys(wide(1_000_000), CLEAN));

test('a trap, a deadline and the memory limit end only their run, and leave no memory behind', async () => {
  const fail = async () => {
    const { code, message, details } = await hoard();
    expect([code, message]).toEqual(['tool_memory', expect.stringContaining('160 MiB')]);
    expect(details?.['memory']).toBeGreaterThan(120 * MB);
    expect(details?.['memory']).toBeLessThanOrEqual(160 * MB);
    const late = await rejection(yosys(ENORMOUS, 'read_verilog a.v; synth_ice40', { deadline: 0.7 }));
    expect(late.code).toBe('tool_deadline');
    const trap = await rejection(yosys(RECURSION, 'read_verilog a.v'));
    expect([trap.code, trap.message]).toEqual(['tool_crashed', expect.stringContaining('stack overflow')]);
    await yosys('module m; endmodule', 'read_verilog a.v');
  };
  const resident = async () => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return process.memoryUsage().rss;
  };
  await fail(); // code is compiled, allocators are warm
  const before = await resident();
  for (let i = 0; i < FAILURES; i++) await fail();
  // The memory of two tools at their limit would be more than 240 MB.
  await expect.poll(async () => (await resident()) - before).toBeLessThan(150 * MB);
}, 600_000);

test('frees memory after successful runs', async () => {
  const resident = () => process.memoryUsage().rss;
  /** Some 100 MB each, two at a time. */
  const pair = () => Promise.all([1, 2].map(() => yosys(wide(300_000), CLEAN)));
  const { peakMemory } = (await pair())[0]!;
  expect(peakMemory).toBeGreaterThan(60 * MB);
  const before = resident();
  for (let i = 0; i < RUNS; i++) await pair();
  // The memory of two tools would be more than 120 MB.
  await expect.poll(() => resident() - before).toBeLessThan(60 * MB);
});

test('truncates the endless output of a tool, with a note in the log', async () => {
  lines.length = 0;
  const script = `log ${'x'.repeat(15_000)}\n`.repeat(700);
  await engine.run({
    tool: 'yosys',
    args: ['-s', 'flood.ys'],
    files: { 'flood.ys': script },
    outputs: [],
    deadline: 60,
    onLine: (line) => lines.push(line),
  });
  const bytes = lines.reduce((sum, line) => sum + line.length + 1, 0);
  expect(bytes).toBeGreaterThan(7 * MB);
  expect(bytes).toBeLessThan(9 * MB);
  expect(lines.at(-1)).toMatch(/^note: the program prints more than the log can hold/);
});

test('reads only the chip database of the part', () => {
  expect(Object.keys(hostFiles('nextpnr-ice40', ['--hx8k', '--package', 'ct256']))).toEqual([
    'share/ice40/chipdb-8k.bin',
  ]);
  expect(Object.keys(hostFiles('nextpnr-ice40', ['--up5k']))).toEqual(['share/ice40/chipdb-5k.bin']);
  expect(hostFiles('nextpnr-ice40', ['--version'])).toEqual({});
  expect(hostFiles('yosys', ['--hx8k'])).toEqual({});
});

test('the same run gives the same bytes', async () => {
  const counter =
    'module m(input clk, output reg [7:0] q = 0); always @(posedge clk) q <= q * 3 + 1; endmodule';
  const run = () =>
    yosys(counter, 'read_verilog a.v; proc; alumacc; techmap; opt; write_json o.json', {
      outputs: ['o.json'],
    });
  const [first, second] = await Promise.all([run(), run()]);
  expect(Buffer.from(second.files['o.json']!).equals(Buffer.from(first.files['o.json']!))).toBe(true);
});

test('a closed engine ends its runs and starts no more', async () => {
  // With the same limit, so that nothing is compiled again.
  const other = createThreadEngine({ ...engineOptions, memoryLimit: 160 * MB });
  const run = other.run({
    tool: 'yosys',
    args: ['-p', 'read_verilog a.v; synth_ice40'],
    files: { 'a.v': ENORMOUS },
    outputs: [],
    deadline: 60,
    onLine() {},
  });
  const ended = rejection(run);
  await new Promise((resolve) => setTimeout(resolve, 700));
  await other.close();
  expect((await ended).code).toMatch(/^(tool_crashed|build_aborted)$/);
  const late = other.run({ tool: 'yosys', args: [], files: {}, outputs: [], deadline: 1, onLine() {} });
  expect((await rejection(late)).code).toBe('build_aborted');
});
