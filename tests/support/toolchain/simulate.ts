import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BusStep, wordsOf } from '../../../server/contract/jobs/scripts.ts';
import { hasResult, readResult, resultName, writeResult } from '../stored-results.ts';
import { temporaryFolder } from '../temporary.ts';

const icarus = spawnSync('iverilog', ['-V'], { encoding: 'utf8' });
/**
 * Whether Icarus Verilog is installed: `.ci/run` installs it. Without it, tests that need it are skipped with a
 * message.
 */
export const hasIcarus = icarus.status === 0;
export const hasGhdl = spawnSync('ghdl', ['--version']).status === 0;

export interface Answer {
  ok: boolean;
  /** The slave did not answer until the master gave up. */
  silent: boolean;
  word: number | null;
}

/**
 * A bus-functional master in the manner of the base SoC's: holds cyc, stb, we, address and data until ack or
 * err, leaves one idle clock between words and `gap` clocks between steps, and gives up after `watchdog`.
 */
function testbench(steps: BusStep[], gap: number, watchdog: number, idle: number): string {
  const words = steps.flatMap((step) => {
    const { address, fixed_address } = step;
    const data = step.op === 'write' ? step.data : [];
    const addresses = Array.from({ length: step.op === 'write' ? data.length : wordsOf(step) }, (_, at) =>
      fixed_address ? address : address + 4 * at,
    );
    return [
      ...addresses.map(
        (one, at) =>
          `    transfer(1'b${step.op === 'write' ? 1 : 0}, 30'd${Math.floor(one / 4)}, 32'd${data[at] ?? 0});`,
      ),
      `    repeat (${gap}) @(posedge clk);`,
    ];
  });
  return `
\`timescale 1ns/1ps
module testbench;
  reg clk = 0, rst = 1, cyc = 0, we = 0;
  reg [29:0] adr = 0;
  reg [31:0] dat = 0;
  wire [31:0] q;
  wire ack, err;
  always #5 clk = ~clk;
  wishbench_user dut (.clk(clk), .rst(rst), .wb_cyc(cyc), .wb_stb(cyc), .wb_we(we), .wb_adr(adr), .wb_dat_w(dat),
                      .wb_sel(4'b1111), .wb_dat_r(q), .wb_ack(ack), .wb_err(err));
  integer waited;
  reg done;
  // Everything is driven after the rising edge and sampled before it, as registers do.
  task transfer(input write, input [29:0] address, input [31:0] value);
    begin
      cyc <= 1; we <= write; adr <= address; dat <= value; done = 0; waited = 0;
      while (!done) begin
        @(posedge clk);
        if (cyc & (ack !== 1'b0 | err !== 1'b0)) begin
          $display("A %b %b %h", ack, err, q);
          done = 1;
        end else begin
          waited = waited + 1;
          if (waited > ${watchdog}) begin $display("A 0 1 timeout"); done = 1; end
        end
      end
      cyc <= 0;
      repeat (${idle}) @(posedge clk);
    end
  endtask
  initial begin
    repeat (16) @(posedge clk);
    rst <= 0;
    repeat (2) @(posedge clk);
${words.join('\n')}
    $finish;
  end
endmodule
`;
}

/**
 * Simulates a design in its wrapper and returns an answer for every word of every step. The answers are stored by the
 * sources.
 * @param sources file name → Verilog
 */
export function simulate(
  sources: Record<string, string>,
  steps: BusStep[],
  { gap = 300, watchdog = 2000, idle = 1 } = {},
): Answer[] {
  const all = { ...sources, 'testbench.sv': testbench(steps, gap, watchdog, idle) };
  const name = resultName(icarus.stdout, JSON.stringify(all));
  if (!hasResult(name)) writeResult(name, answersOf(runIcarus(all)));
  return readResult(name) as Answer[];
}

/** What a testbench prints in Icarus Verilog. @param sources file name → text */
export function runIcarus(sources: Record<string, string | Uint8Array>): string {
  const folder = temporaryFolder('sim');
  for (const [name, text] of Object.entries(sources)) writeFileSync(path.join(folder, name), text);
  const options = { cwd: folder, encoding: 'utf8', timeout: 60_000, stdio: 'pipe' } as const;
  // Verilog 2005 for .v files and SystemVerilog for .sv files, as Icarus chooses by the name.
  execFileSync('iverilog', ['-g2005-sv', '-s', 'testbench', '-o', 'sim', ...Object.keys(sources)], options);
  return execFileSync('vvp', ['-n', 'sim'], options);
}

const answersOf = (output: string): Answer[] =>
  [...output.matchAll(/^A ([01xz]) ([01xz]) (\S+)$/gm)].map(([, ack, err, word]) => ({
    ok: ack === '1' && err === '0',
    silent: word === 'timeout',
    word: /^[0-9a-f]{8}$/.test(word!) ? Number.parseInt(word!, 16) : null,
  }));
