import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Clocks that a simulator is timed for. */
const ICARUS_CLOCKS = 20_000;
const VERILATOR_CLOCKS = 2_000_000;

/** How fast a simulator runs a source. */
interface Simulated {
  simulator: string;
  /** Million clocks a second of each of three runs. */
  speeds: number[];
}

const installed = (command: string, argument: string): boolean => spawnSync(command, [argument]).status === 0;

/**
 * The speed of Icarus Verilog and Verilator, if installed, on a free-running design with ports clk, rx and tx. Time
 * before the first clock does not count.
 */
export function simulatedSpeeds(source: string, top: string): Simulated[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-bench-'));
  try {
    writeFileSync(path.join(folder, 'design.v'), source);
    const speeds: Simulated[] = [];
    if (installed('iverilog', '-V'))
      speeds.push({ simulator: 'Icarus Verilog', speeds: icarus(folder, top) });
    if (installed('verilator', '--version') && installed('make', '--version'))
      speeds.push({ simulator: 'Verilator', speeds: verilator(folder, top) });
    return speeds;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** From how long a program takes for some clocks and for twice as many. */
function speedsOf(run: (clocks: number) => void, clocks: number): number[] {
  return [0, 1, 2].map(() => {
    const times = [clocks, 2 * clocks].map((count) => {
      const start = performance.now();
      run(count);
      return performance.now() - start;
    });
    return clocks / ((times[1] ?? 0) - (times[0] ?? 0)) / 1000;
  });
}

function icarus(folder: string, top: string): number[] {
  const bench = `\`timescale 1ns/1ns
module bench;
  reg clk = 0; wire tx; ${top} dut(.clk(clk), .rx(1'b1), .tx(tx));
  integer clocks, k;
  initial begin
    if (!$value$plusargs("clocks=%d", clocks)) $finish;
    for (k = 0; k < clocks; k = k + 1) begin #1 clk = 1; #1 clk = 0; end
    $finish;
  end
endmodule
`;
  writeFileSync(path.join(folder, 'bench.v'), bench);
  const sim = path.join(folder, 'sim');
  execFileSync('iverilog', ['-g2012', '-o', sim, 'bench.v', 'design.v'], { cwd: folder });
  return speedsOf((clocks) => execFileSync('vvp', ['-n', sim, `+clocks=${clocks}`]), ICARUS_CLOCKS);
}

function verilator(folder: string, top: string): number[] {
  const main = `#include "V${top}.h"
#include <cstdlib>
int main(int, char **arguments) {
  V${top} design;
  design.rx = 1;
  for (long left = std::atol(arguments[1]); left > 0; left--) {
    design.clk = 1; design.eval();
    design.clk = 0; design.eval();
  }
  return design.tx & 0;
}
`;
  writeFileSync(path.join(folder, 'main.cpp'), main);
  const options = ['--cc', '--exe', '--build', '-O3', '-Wno-fatal', '-CFLAGS', '-O2', '--top-module', top];
  execFileSync('verilator', [...options, 'main.cpp', 'design.v'], { cwd: folder, stdio: 'ignore' });
  const program = path.join(folder, 'obj_dir', `V${top}`);
  return speedsOf((clocks) => execFileSync(program, [String(clocks)]), VERILATOR_CLOCKS);
}
