import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../server/boards/catalogue/index.ts';
import { loadChipTable } from '../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../server/boards/virtual/configuration/command-reader.ts';
import { extractNetlist } from '../../../server/boards/virtual/netlist/extract.ts';
import { Machine } from '../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../server/boards/virtual/runtime/machine-plan.ts';
import { silentLogger } from '../../../server/log.ts';
import { resourcePath } from '../../../server/paths.ts';
import type { DesignSymbols } from '../../../server/symbols/symbols.ts';
import { gatewareParameters, gatewareSources } from '../../../server/toolchain/build/gateware.ts';
import { wrapDesign } from '../../../server/toolchain/build/wrap/wrap.ts';
import type { BuildResult } from '../../../server/toolchain/build-request.ts';
import { createToolchain } from '../../../server/toolchain/index.ts';
import { forkWithStoredRuns } from '../toolchain/stored-runs.ts';

const BOARD = loadCatalogue().get(VIRTUAL_BOARD)!;
const table = loadChipTable(resourcePath('fabric', 'ice40-8k.table.br'));

export const hasIcarus = spawnSync('iverilog', ['-V']).status === 0;

/** An example with its source, built by the real tools. */
export interface BuiltExample {
  file: string;
  source: string;
  built: BuildResult;
  symbols: DesignSymbols;
}

/**
 * Builds sources one after the other.
 * @param dataDir a data folder, in whose cache some may lie already; it is removed
 */
export async function buildAll(
  sources: { file: string; source: string }[],
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'wishbench-capture-')),
): Promise<BuiltExample[]> {
  const toolchain = createToolchain({ dataDir, logger: silentLogger, forkTools: forkWithStoredRuns });
  try {
    const done: BuiltExample[] = [];
    for (const { file, source } of sources) {
      const built = await toolchain.build(
        { source: new TextEncoder().encode(source), filename: file, board: BOARD, options: {} },
        { started: async () => {}, log: () => {}, progress: () => {} },
      );
      const symbols = await toolchain.symbols(built.buildId);
      if (!symbols) throw new Error(`${file} has no symbols`);
      done.push({ file, source, built, symbols });
    }
    return done;
  } finally {
    await toolchain.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

export const exampleSource = (file: string) => ({
  file,
  source: readFileSync(resourcePath('examples', file), 'utf8'),
});

/** The machine that a bitstream configures, after power-up, with the receive line high. */
export function machineOf(bitstream: Uint8Array): Machine {
  const reader = new CommandReader();
  reader.push(bitstream);
  const { fpga, clock, serial } = BOARD;
  const netlist = extractNetlist(table, reader.memory, {
    package: fpga.package,
    clock: clock.pin,
    inputs: [serial.rx],
    outputs: [serial.tx],
  });
  return new Machine(compile(netlist), [], Math.ceil(3e-6 * clock.hz));
}

/** Levels of the receive line, one a clock: consecutive bytes, 8N1, with high before and after. */
export function lineOf(bytes: readonly number[], { before = 300, after = 400 } = {}): (0 | 1)[] {
  const bit = Math.round(BOARD.clock.hz / BOARD.serial.baud);
  const line: (0 | 1)[] = new Array(before).fill(1);
  for (const byte of bytes)
    for (let k = 0, frame = (byte << 1) | 0x200; k < 10; k++, frame >>= 1)
      for (let n = 0; n < bit; n++) line.push((frame & 1) as 0 | 1);
  for (let n = 0; n < after; n++) line.push(1);
  return line;
}

const EXPRESSION = /^[A-Za-z_][\w$]*(\.[A-Za-z_][\w$]*)*(\[\d+\])?$/;
/** Names that can be written as they are in a test bench. */
export const isPlain = (name: string): boolean => EXPRESSION.test(name);

/**
 * Simulates the base SoC with a design in Icarus, from the sources.
 * @param names expressions inside wishbench_top
 * @returns for each clock the digits of each expression, highest bit first
 */
export async function simulateSources(
  { file, source, built }: BuiltExample,
  line: readonly (0 | 1)[],
  names: readonly string[],
): Promise<string[][]> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'wishbench-capture-sim-'));
  const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text);
  try {
    const gateware = await gatewareSources();
    for (const [name, text] of Object.entries(gateware)) put(name, text);
    put('wishbench_parameters.vh', gatewareParameters(BOARD, built.buildId, built.report.design.pins));
    put('wishbench_user.v', wrapDesign(built.report.design));
    put(file, source);
    put('stimulus.txt', line.join('\n'));
    put(
      'testbench.v',
      `\`timescale 1ns/1ns
module testbench;
  reg clk = 0, rx = 1;
  reg [0:0] stimulus[0:${line.length - 1}];
  wishbench_top dut (.clk(clk), .rx(rx));
  integer i;
  initial begin
    $readmemb("stimulus.txt", stimulus);
    for (i = 0; i < ${line.length}; i = i + 1) begin
      rx = stimulus[i];
      #1 clk = 1;
      #1 clk = 0;
      #1 $display("${names.map(() => '%b').join(' ')}"${names.map((name) => `, dut.${name}`).join('')});
    end
    $finish;
  end
endmodule
`,
    );
    const files = Object.keys(gateware).filter((name) => name.endsWith('.v'));
    const options = { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, stdio: 'pipe' } as const;
    execFileSync(
      'iverilog',
      ['-g2001', '-s', 'testbench', '-o', 'sim', 'testbench.v', 'wishbench_user.v', file, ...files],
      options,
    );
    const output = execFileSync('vvp', ['-n', 'sim'], options);
    return output
      .split('\n')
      .filter((text) => /^[01xz ]+$/.test(text))
      .map((text) => text.trim().split(' '));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
