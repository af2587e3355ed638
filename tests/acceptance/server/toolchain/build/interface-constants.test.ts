import { afterAll, expect, test } from 'vitest';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
  synthesised,
} from '../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

/** A slave whose registers have the bus as an interface. @param more is added to the module of the registers */
const slave = (more = '') => `interface wb_if;
  logic [31:0] adr, dat_w, dat_r;
  logic we, stb, cyc, ack;
endinterface
module regs (wb_if bus, input logic clk);
  logic [31:0] kept;
  always_ff @(posedge clk) if (bus.cyc && bus.stb && bus.we && bus.adr[4]) kept <= bus.dat_w;
  assign bus.dat_r = kept;
  assign bus.ack = bus.cyc & bus.stb;
${more}endmodule
module top (input logic clk, rst, input logic [4:0] wb_adr_i, input logic [31:0] wb_dat_i, output logic [31:0] wb_dat_o,
            input logic wb_we_i, wb_stb_i, wb_cyc_i, output logic wb_ack_o);
  wb_if bus ();
  assign bus.adr = {27'd0, wb_adr_i};
  assign bus.dat_w = wb_dat_i;
  assign bus.we = wb_we_i;
  assign bus.stb = wb_stb_i;
  assign bus.cyc = wb_cyc_i;
  assign wb_dat_o = bus.dat_r;
  assign wb_ack_o = bus.ack;
  regs r (.bus(bus), .clk(clk));
endmodule
`;

test('allows constant bits of an interface that is a module’s port', async () => {
  const context = await synthesised(toolchain, requestOf(slave(), 'design.sv'));
  expect(context.text()).not.toContain('Driver-driver conflict');
});

test('still reports an interface signal with two drivers', async () => {
  const error = await refusal(
    toolchain.build(requestOf(slave('  assign bus.we = kept[0];\n'), 'design.sv'), record()),
  );
  expect(error).toMatchObject({ code: 'design_invalid' });
  expect(error.message).toMatch(
    /^design\.sv:7: top\.bus\.we is driven by an assignment and the block at design\.sv:7:/,
  );
});
