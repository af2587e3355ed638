import { expect, test } from 'vitest';
import { scanText } from '../support.ts';

const INTERFACE = `interface wb_if (input logic clk, rst);
  logic cyc, stb, we, ack; logic [1:0] adr; logic [31:0] dat_w, dat_r;
  modport slave (input cyc, stb, we, adr, dat_w, output ack, dat_r);
  modport master (output cyc, stb, we, adr, dat_w, input ack, dat_r);
endinterface
`;
const REGISTERS = `module regs (wb_if.slave bus);
  logic [31:0] r;
  always_ff @(posedge bus.clk) if (bus.cyc && bus.stb && bus.we) r <= bus.dat_w;
  assign bus.dat_r = r, bus.ack = bus.stb && bus.cyc;
endmodule
`;

const first = async (text: string) => (await scanText(text, 'design.sv')).diagnostics[0];

test('a slave with an interface for its bus is told what it lacks', async () => {
  expect(await first(INTERFACE + REGISTERS)).toMatchObject({
    severity: 'error',
    code: 'design_no_slave',
    file: 'design.sv',
    line: 6,
    message:
      'module regs: its bus is the interface wb_if (port bus), and the bench connects plain ports: put regs and an instance of wb_if into a top module that has the ports of the contract which the log prints',
  });
});

test('a master, or an interface of another kind, is none', async () => {
  for (const text of [
    INTERFACE + REGISTERS.replace('.slave', '.master'),
    (INTERFACE + REGISTERS).replace(/\back\b/g, 'ready'),
  ])
    expect((await first(text))?.message).not.toContain('its bus is the interface');
});
