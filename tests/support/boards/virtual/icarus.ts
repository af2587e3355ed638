import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { resultName, storedResult } from '../../stored-results.ts';
import { CYCLES } from './random-design.ts';

const run = promisify(execFile);

const icarus = spawnSync('iverilog', ['-V'], { encoding: 'utf8' });
/** True when Icarus Verilog is on the PATH. */
const hasIcarus = icarus.status === 0;

/** Prints once that a test is skipped, and why. */
export function noticeWithoutIcarus(): boolean {
  if (!hasIcarus) process.stderr.write('skipped: Icarus Verilog (iverilog) is not installed\n');
  return !hasIcarus;
}

/** Puts out what is seen after every `every`th cycle. */
const testBench = (cycles: number, every: number) => `\`timescale 1ns/1ns
module tb;
  reg clk = 0; reg [15:0] in = 0; wire [31:0] out; top dut(clk, in, out);
  integer i; reg [31:0] s = 1;
  initial begin
    for (i = 0; i < ${cycles}; i = i + 1) begin
      s = s ^ (s << 13); s = s ^ (s >> 17); s = s ^ (s << 5);
      in = i == 0 ? 16'h8000 : s[27:12] & (i[4] ? 16'hffff : 16'h8f0f);
      #1 clk = 1; #1 clk = 0; #1 if (i % ${every} == ${every - 1}) $display("%h", out);
    end
    $finish;
  end
endmodule
`;

/**
 * Simulates a design (see random-design.ts) in Icarus Verilog. The outputs are stored by the design.
 * @returns the outputs after each cycle, or after every `every`th one, as hexadecimal digits.
 * @throws Error with Icarus' own words when it does not take the design.
 */
export async function simulateInIcarus(verilog: string, cycles = CYCLES, every = 1): Promise<string[]> {
  const bench = testBench(cycles, every);
  return await storedResult(resultName(icarus.stdout, verilog, bench), () => simulate(verilog, bench));
}

async function simulate(verilog: string, bench: string): Promise<string[]> {
  const folder = await mkdtemp(path.join(tmpdir(), 'wishbench-icarus-'));
  const at = (name: string) => path.join(folder, name);
  try {
    await writeFile(at('design.v'), verilog);
    await writeFile(at('bench.v'), bench);
    await run('iverilog', ['-g2012', '-o', at('sim'), at('bench.v'), at('design.v')]);
    const { stdout } = await run('vvp', ['-n', at('sim')], { maxBuffer: 1 << 26 });
    return stdout.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}
