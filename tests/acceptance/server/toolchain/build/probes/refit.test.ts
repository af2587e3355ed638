import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { loadCatalogue } from '../../../../../../server/boards/catalogue/index.ts';
import { silentLogger } from '../../../../../../server/log.ts';
import { createToolchain } from '../../../../../../server/toolchain/index.ts';
import { forkWithStoredRuns } from '../../../../../support/toolchain/stored-runs.ts';

/** A kiloword of memory: 8 of the 16 block RAMs of an iCEstick, of which the base SoC uses 5. */
const DESIGN = `
module store(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr,
             input [31:0] wb_dat_w, output [31:0] wb_dat_r, output wb_ack);
  reg [31:0] memory [0:1023];
  reg [31:0] word;
  (* keep, probe *) reg done;
  always @(posedge clk) begin
    done <= wb_cyc & wb_stb & ~done & ~rst;
    if (wb_cyc & wb_stb & wb_we) memory[wb_adr[9:0]] <= wb_dat_w;
    word <= memory[wb_adr[9:0]];
  end
  assign wb_dat_r = word;
  assign wb_ack = done;
endmodule
`;

test('a design that leaves little block RAM gets a shallower capture core, as the log reports', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'wishbench-refit-'));
  const toolchain = createToolchain({ dataDir, logger: silentLogger, forkTools: forkWithStoredRuns });
  const lines: string[] = [];
  const context = { log: (_: string, line: string) => lines.push(line), progress() {}, async started() {} };
  const board = loadCatalogue().get('icestick')!;
  const request = { source: Buffer.from(DESIGN), filename: 'store.v', board };
  try {
    const { report } = await toolchain.build({ ...request, options: { probes: 'word[14:0]' } }, context);
    expect(report.capture_core).toMatchObject({ bits: 16, depth: 512, block_rams: 2 });
    expect(report.capture_core?.probes.map(({ name }) => name)).toEqual(['word[14:0]', 'done']);
    expect(report.utilisation.find(({ resource }) => resource === 'BRAM')).toMatchObject({
      used: 15,
      available: 16,
    });
    expect(lines.join('\n')).toMatch(/leaves block RAM for 512 samples, not 2048/);
    expect(lines.join('\n')).toMatch(/capture core: 16 bits × 512 samples, \d+ LUT, \d+ FF, 2 block RAM/);
  } finally {
    await toolchain.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
