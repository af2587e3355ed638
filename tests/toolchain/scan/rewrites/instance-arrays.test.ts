import { expect, test } from 'vitest';
import { withInstanceRanges } from '../../../../server/toolchain/scan/rewrites/instance-arrays.ts';
import { provesSame } from '../same-circuit.ts';

test.each<[what: string, text: string, read: string]>([
  ['with a number', 'sub u[2] (.a(b));', 'sub u[0:(2)-1] (.a(b));'],
  ['with parameters', 'sub #(.W(8)) u [\nN + 1 ](a);', 'sub #(.W(8)) u [0:(\nN + 1)-1 ](a);'],
  ['of several', 'sub u[2](a), v[N](b);', 'sub u[0:(2)-1](a), v[0:(N)-1](b);'],
])('an array of instances %s has a range', (_, text, read) => {
  expect(withInstanceRanges(text)).toBe(read);
});

test.each([
  ['one with a range', 'sub u[1:0] (a);'],
  ['an array of words', 'logic [7:0] a[2]; assign b = a[1] + (c);'],
  ['a bit in a condition', 'always_comb if (a[1]) (* full_case *) case (b[2]) endcase'],
  ['the range of a type', 'input logic [2] (a)'],
  ['what has no end', 'sub u[2'],
])('%s stays', (_, text) => {
  expect(withInstanceRanges(text)).toBe(text);
});

test('each of them is there, the first at the high bits', async () => {
  await provesSame(
    `module sub #(parameter D = 1) (input [3:0] x, y, output [3:0] q); assign q = (x ^ y) + D; endmodule
module made(input [7:0] a, input [3:0] b, output [7:0] q);
  sub #(3) u[2] (.x(a), .y(b), .q(q));
endmodule
`,
    `module meant(input [7:0] a, input [3:0] b, output [7:0] q);
  wire [3:0] high = (a[7:4] ^ b) + 3, low = (a[3:0] ^ b) + 3;
  assign q = {high, low};
endmodule
`,
  );
});
