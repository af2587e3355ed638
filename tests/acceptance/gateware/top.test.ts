import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import { type BoardDefinition, userClock } from '../../../server/boards/definition.ts';
import {
  GATEWARE_PARAMETERS,
  gatewareParameters,
  gatewareSources,
} from '../../../server/toolchain/build/gateware.ts';
import { haveIcarus } from '../../support/gateware/simulate.ts';
import { SOAK } from '../../support/soak.ts';

/** At every board's clock block RAM has been awake for a while by then. */
const MIN_RESET_NS = 15_000;

/** Runs the base SoC at the clock of the pin; a host begins to read a word of the design at the first edge. */
const BENCH = `\`timescale 1ns/1ps
\`include "${GATEWARE_PARAMETERS}"
module wishbench_user (
    input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
    input [31:0] wb_dat_w, input [3:0] wb_sel, output [31:0] wb_dat_r, output wb_ack, output wb_err
);
  assign wb_dat_r = 32'h57424348;
  assign wb_ack = wb_cyc;
  assign wb_err = 0;
  realtime edge_before = 0;
  always @(posedge clk) begin
    if (!rst) $display("period %f", $realtime - edge_before);
    edge_before = $realtime;
  end
  always @(negedge rst) $display("released %f", $realtime);
  always @(wb_cyc) if (wb_cyc & rst) $display("access in reset");
endmodule
module bench;
  reg  clk = 0, rx = 1;
  wire tx;
\`ifdef WISHBENCH_LEDS
  wire [\`WISHBENCH_LEDS-1:0] leds;
\`endif
\`ifdef WISHBENCH_HIGH
  wire [\`WISHBENCH_HIGH-1:0] high;
  initial #1 $display("high %b", high);
\`endif
  wishbench_top top (
\`ifdef WISHBENCH_LEDS
      .leds(leds),
\`endif
\`ifdef WISHBENCH_HIGH
      .high(high),
\`endif
      .clk(clk), .rx(rx), .tx(tx)
  );
  real half, bit_ns;
  initial half = 5.0e8 / PIN_HZ;
  always begin #(half) clk = ~clk; end
  integer k, b;
  reg [47:0] frame = 48'h0201_00000000; // read one word of the design
  reg [7:0] value;
  initial begin
    bit_ns = 1.0e9 / \`WISHBENCH_BAUD;
    for (k = 5; k >= 0; k = k - 1) begin
      value = frame[8*k +: 8];
      rx = 0; #(bit_ns);
      for (b = 0; b < 8; b = b + 1) begin rx = value[b]; #(bit_ns); end
      rx = 1; #(bit_ns);
    end
  end
  reg [7:0] got;
  integer n, i;
  initial for (n = 0; n < 4; n = n + 1) begin
    @(negedge tx);
    #(1.5 * bit_ns);
    for (i = 0; i < 8; i = i + 1) begin got[i] = tx; #(bit_ns); end
    $display("answer %h", got);
    if (n == 3) $finish;
  end
  initial #5000000 $finish;
endmodule
`;

/** The base SoC's activity after power-up, as BENCH prints it. */
async function powerUp(board: BoardDefinition): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'wishbench-top-'));
  try {
    const sources = await gatewareSources();
    const bench = BENCH.replace('PIN_HZ', `${board.clock.hz}.0`);
    const files = { ...sources, [GATEWARE_PARAMETERS]: gatewareParameters(board, '0'), 'bench.v': bench };
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const verilog = ['bench.v', ...Object.keys(sources)];
    execFileSync('iverilog', ['-g2001', '-s', 'bench', '-o', 'bench.vvp', ...verilog], { cwd: folder });
    return execFileSync('vvp', ['-n', 'bench.vvp'], { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 26 })
      .trim()
      .split('\n');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const figures = (lines: string[], word: string) =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.slice(word.length + 1));

describe.skipIf(!haveIcarus)('after power-up', () => {
  // The four ULX3S differ only in the size of the part, which no simulation sees.
  test.each(loadCatalogue().boards.filter(({ id }) => SOAK || !/^ulx3s-[124]/.test(id)))(
    '$id: reset lasts at least 15 µs, the clock is the user clock, and an early host gets an answer',
    async (board) => {
      const lines = await powerUp(board);
      const [released, ...again] = figures(lines, 'released').map(Number);
      expect(released).toBeGreaterThanOrEqual(MIN_RESET_NS);
      expect(released).toBeLessThan(4 * MIN_RESET_NS);
      expect(again).toEqual([]);
      const periods = figures(lines, 'period').map(Number);
      expect(periods.length).toBeGreaterThan(10);
      for (const period of periods) expect(period).toBeCloseTo(1e9 / userClock(board).hz, 2);
      expect(lines).not.toContain('access in reset');
      expect(figures(lines, 'answer')).toEqual(['57', '42', '43', '48']);
      expect(figures(lines, 'high')).toEqual(board.driveHigh ? ['1'.repeat(board.driveHigh.length)] : []);
    },
  );
});
