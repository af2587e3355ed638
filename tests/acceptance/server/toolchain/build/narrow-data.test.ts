import { afterAll, expect, test } from 'vitest';
import { loadCatalogue, VIRTUAL_BOARD } from '../../../../../server/boards/catalogue/index.ts';
import { createVirtualBoard } from '../../../../../server/boards/virtual/virtual-board.ts';
import { systemClock } from '../../../../../server/clock.ts';
import { silentLogger } from '../../../../../server/log.ts';
import { freshToolchain, record, requestOf } from '../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

/** Four registers of two bits, and an input of one bit in place of the usual word. */
const DESIGN = `module crumbs (input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [1:0] wb_adr,
  input [1:0] wb_dat_w, output reg [1:0] wb_dat_r, output reg wb_ack);
  reg [1:0] registers [0:3];
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    if (wb_cyc & wb_stb & wb_we) registers[wb_adr] <= wb_dat_w;
    wb_dat_r <= registers[wb_adr];
  end
endmodule
`;

test('a design with data ports of two bits builds and runs', async () => {
  const context = record();
  const { bitstream, report } = await toolchain.build(requestOf(DESIGN, 'crumbs.v'), context);
  expect(report.design).toMatchObject({ module: 'crumbs', dataWidth: 2, addressing: 'word' });
  expect(context.text()).toContain('read data has 2 bits: zero-extended to 32');
  const definition = loadCatalogue().get(VIRTUAL_BOARD) ?? expect.unreachable();
  const board = createVirtualBoard(0, definition, { logger: silentLogger, clock: systemClock });
  try {
    await board.program(bitstream, { log() {}, progress() {} });
    const link = await board.openLink();
    expect(await link.write(0, Uint32Array.of(0xffff_fffe, 1, 0x8000_0002, 7))).toMatchObject({ ok: true });
    expect(await link.read(0, 4)).toEqual({ ok: true, data: Uint32Array.of(2, 1, 2, 3) });
    await link.close();
  } finally {
    await board.close();
  }
});
