import { afterAll, expect, test } from 'vitest';
import { loadCatalogue } from '../../../server/boards/catalogue/index.ts';
import { loadChipTable } from '../../../server/boards/virtual/chip/chip-table.ts';
import { CommandReader } from '../../../server/boards/virtual/configuration/command-reader.ts';
import { extractNetlist } from '../../../server/boards/virtual/netlist/extract.ts';
import { Machine } from '../../../server/boards/virtual/runtime/machine.ts';
import { compile } from '../../../server/boards/virtual/runtime/machine-plan.ts';
import { resourcePath } from '../../../server/paths.ts';
import { packProject, projectOfFiles } from '../../../server/toolchain/intake/project.ts';
import { freshToolchain, record, requestOf } from '../../support/toolchain/build/support.ts';

/**
 * A .pcf next to the design, with the profile of a real board. The bitstream runs with wires at the package pins that
 * the file names, so the test covers the placed result and not only the constraints.
 */
const BOARD = loadCatalogue().get('ice40-hx8k-breakout')!;

const SOURCE = `
module top(input clk, input rst, input wb_cyc, input wb_stb, input wb_we, input [29:0] wb_adr, input [31:0] wb_dat_w,
           output [31:0] wb_dat_r, output reg wb_ack, input [1:0] btn, output [2:0] lamp, inout sda, output [1:0] inner);
  reg [1:0] seen;
  always @(posedge clk) begin
    wb_ack <= wb_cyc & wb_stb & ~wb_ack & ~rst;
    seen <= btn;
  end
  assign lamp = {^seen, ~seen[0], seen[1]};
  assign sda = seen == 2'd3 ? 1'b0 : 1'bz;
  assign inner = seen;
  assign wb_dat_r = {30'd0, seen};
endmodule
`;
const PCF = `# Buttons on a row of their own, one lamp of the board, two pins beside it.
set_io --warn-no-port -pullup yes btn[0] R1
set_io btn[1] P1
set_io lamp[0] B5   # the board's first LED
set_io lamp[1] P2
set_io lamp[2] N3
set_io sda R3
`;

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

test('a .pcf in the upload binds the design’s ports to the pins of a real board', async () => {
  const files = { 'top.v': SOURCE, 'board/pins.pcf': PCF };
  const source = await packProject(
    await projectOfFiles(
      Object.entries(files).map(([path, text]) => ({ path, contents: Buffer.from(text) })),
      2 ** 20,
    ),
  );
  const context = record();
  const request = requestOf(source, 'top.zip', {}, BOARD.id);
  const { bitstream, report } = await toolchain.build(request, context);
  expect(context.text()).toContain('pins.pcf binds btn, lamp, sda to pins of the board');
  expect(report.design.pins?.map(({ name, bound }) => [name, bound?.join(' ')])).toEqual([
    ['btn', 'R1 P1'],
    ['lamp', 'B5 P2 N3'],
    ['inner', undefined],
    ['sda', 'R3'],
  ]);

  const reader = new CommandReader();
  reader.push(bitstream);
  const { fpga, clock, serial } = BOARD;
  const netlist = extractNetlist(loadChipTable(resourcePath('fabric', 'ice40-8k.table.br')), reader.memory, {
    package: fpga.package,
    clock: clock.pin,
    inputs: [serial.rx, 'R1', 'P1'],
    outputs: [serial.tx, 'B5', 'P2', 'N3', 'R3'],
  });
  const machine = new Machine(compile(netlist), [], Math.ceil(3e-6 * clock.hz));
  machine.setInput(0, 1);
  const lamps = (btn: number) => {
    machine.setInput(1, btn & 1);
    machine.setInput(2, btn >> 1);
    machine.run(200);
    return [1, 2, 3, 4].map((output) => machine.output(output));
  };
  // lamp[0] = btn[1], lamp[1] = not btn[0], lamp[2] = their parity; both pull sda low, otherwise it floats.
  expect([0, 1, 2, 3].map(lamps)).toEqual([
    [0, 1, 0, 1],
    [0, 0, 1, 1],
    [1, 1, 1, 1],
    [1, 0, 0, 0],
  ]);
});
