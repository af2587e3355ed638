import { expect, test } from 'vitest';
import { withoutInside } from '../../../../server/toolchain/scan/rewrites/inside.ts';
import { provesSame } from '../same-circuit.ts';

test.each<[what: string, text: string, read: string]>([
  ['a name', 'assign q = a inside {1, B};', 'assign q = (a == 1 || a == B);'],
  [
    'over lines',
    "if (a.b[2] inside {\n8'h0f,\n[p::LOW:7]}) q <= 1;",
    "if ((a.b[2] == 8'h0f || (a.b[2] >= p::LOW && a.b[2] <= 7))\n\n) q <= 1;",
  ],
  ['what is in brackets', 'q <= (a + b) inside {1, 2};', 'q <= ((a + b) == 1 || (a + b) == 2);'],
  ['one of several conditions', 'c && a inside {1} ? x : y', 'c && (a == 1) ? x : y'],
])('%s is compared', (_, text, read) => {
  expect(withoutInside(text)).toBe(read);
});

test.each([
  ['bits that do not matter', "q = a inside {4'b1??0};"],
  ['what has no end', 'q = a inside {[4:$]};'],
  ['a sum without brackets', 'q = b + a inside {1};'],
  ['what is negated', 'q = !a inside {1};'],
  ['bits that are joined', 'q = & a inside {1};'],
  ['what is compared before', 'q = (b <= a inside {1});'],
  ['what a function returns', 'q = f(a) inside {1};'],
  ['a case', 'case (a) inside 1: q = 1; endcase'],
])('%s stays', (_, text) => {
  expect(withoutInside(text)).toBe(text);
});

test('what is compared is what was meant, for all values', async () => {
  await provesSame(
    `module made(input [5:0] a, input [3:0] b, output q, r, output logic s);
  localparam LOW = 9;
  assign q = a inside {1, 6'h22, [LOW:20]};
  assign r = b[0] && (a ^ 3) inside {[0:3], b} || a[5:4] inside {2};
  always_comb begin s = 0; if (!(b inside {[4:7]})) s = b == 1; end
endmodule
`,
    `module meant(input [5:0] a, input [3:0] b, output q, r, s);
  assign q = a == 1 || a == 34 || (a > 8 && a < 21);
  wire [31:0] x = a ^ 3;
  assign r = (b[0] && (x < 4 || x == b)) || (a[5] && !a[4]);
  assign s = b == 1;
endmodule
`,
  );
});
