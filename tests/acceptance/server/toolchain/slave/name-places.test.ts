import { expect, test } from 'vitest';
import { namePlaces } from '../../../../../server/toolchain/slave/name-places.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

const SOURCE = `module top (
  input clk, wb_cyc, wb_stb, wb_we,
  input [3:0] wb_dat_w,
  output [3:0] wb_dat_r, output wb_ack
);
  wire [3:0] n;
  reg [7:0] memory [0:15];
  part #(.WIDTH(4)) first (.d(wb_dat_w), .q(n));
  assign wb_dat_r = memory[n], wb_ack = wb_stb;
  always @(posedge clk) if (wb_we) memory[n] <= wb_dat_w;
endmodule
module part #(parameter WIDTH = 2) (input [WIDTH-1:0] d, output [WIDTH-1:0] q);
  wire [WIDTH-1:0] n = ~d;
  assign q = n;
endmodule
`;
const placeOf = namePlaces((await scanText(SOURCE)).source);

test.each([
  ['memory', 7, 'where it is declared'],
  ['top.n', 6, 'in the module that is named'],
  ['part.n', 13, 'in the module that is named'],
  ['part.n[3]', 13, 'a bit of it'],
  ['d', 12, 'a port'],
  ['part.q', 14, 'what is assigned to it comes first'],
  ['first.n', 8, 'the instance that it is in'],
])('%s: line %i, %s', (name, line) => {
  expect(placeOf(name)).toEqual({ file: 'design.v', line });
});

test('an unknown name has no place', () => {
  for (const name of ['nothing', 'nothing.n', 'wishbench_user.nothing', ''])
    expect(placeOf(name), name).toBeNull();
});
