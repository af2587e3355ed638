import { expect, test } from 'vitest';
import { freshToolchain, record, requestOf } from '../../../../../support/toolchain/build/support.ts';

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
  const { toolchain, dispose } = freshToolchain();
  const context = record();
  try {
    const request = requestOf(DESIGN, 'store.v', { probes: 'word[14:0]' }, 'icestick');
    const { report } = await toolchain.build(request, context);
    expect(report.capture_core).toMatchObject({ bits: 16, depth: 512, block_rams: 2 });
    expect(report.capture_core?.probes.map(({ name }) => name)).toEqual(['word[14:0]', 'done']);
    expect(report.utilisation.find(({ resource }) => resource === 'BRAM')).toMatchObject({
      used: 15,
      available: 16,
    });
    expect(context.text()).toMatch(/leaves block RAM for 512 samples, not 2048/);
    expect(context.text()).toMatch(/capture core: 16 bits × 512 samples, \d+ LUT, \d+ FF, 2 block RAM/);
  } finally {
    await dispose();
  }
});
