import { expect, test } from 'vitest';
import { namePlaces } from '../../../server/toolchain/slave/name-places.ts';

const TOP = `module top (
  input clk, we,
  input wire [3:0] a,
  output reg [3:0] q
);
  wire [3:0] n;
  reg [7:0] memory [0:15];
  part #(.WIDTH(4)) first (.d(a), .q(n));
  assign we = 1'b1;
  wire [3:0] both;
  assign both = a;
  always @(posedge clk) q <= n;
endmodule
`;
const PART = `module part (input [3:0] d, output [3:0] q);
  wire [3:0] n = ~d;
  assign q = n;
endmodule
`;
const placeOf = namePlaces({
  files: {
    'project/rtl/top.v': TOP,
    'project/part.v': PART,
    'made.v': 'module made; wire hidden; endmodule',
  },
  uploaded: ['rtl/top.v', 'part.v', 'design.vhd'],
});

test.each([
  ['memory', 'rtl/top.v', 7, 'where it is declared'],
  ['top.n', 'rtl/top.v', 6, 'in the module that is named'],
  ['part.n', 'part.v', 2, 'in the module that is named'],
  ['part.q', 'part.v', 3, 'what is assigned to it comes first'],
  ['n[3]', 'rtl/top.v', 6, 'a bit of it'],
  ['top.we', 'rtl/top.v', 9, 'what is assigned to an input'],
  ['top.a', 'rtl/top.v', 11, 'what an input is assigned to, for nothing is assigned to it'],
  ['d', 'part.v', 1, 'an input that is used alone'],
  ['top.first.q', 'rtl/top.v', 8, 'the instance that it is a port of'],
  ['first.n', 'rtl/top.v', 8, 'the instance that it is in'],
])('%s: %s:%i, %s', (name, file, line) => {
  expect(placeOf(name)).toEqual({ file, line });
});

test('what is nowhere, and what is in no file of the user’s, has no place', () => {
  for (const name of ['nothing', 'top.d', 'wishbench_user.clk', 'hidden', 'made.hidden', ''])
    expect(placeOf(name), name).toBeNull();
});
