import { expect, test } from 'vitest';
import { withoutArrayValues } from '../../../../server/toolchain/scan/rewrites/array-values.ts';
import { provesSame } from '../same-circuit.ts';

const plain = (text: string | undefined) => (text ?? '').replace(/\s+/g, ' ').trim();
const within = (body: string) => `module m; ${body} endmodule`;

test.each<[what: string, body: string, written: string]>([
  [
    'one value for all',
    "logic [7:0] a [4]; always_ff @(posedge c) if (r) a <= '{default: '0}; else a[0] <= 1;",
    "logic [7:0] a [4]; always_ff @(posedge c) if (r) for (int a__0 = 0; a__0 <= 3; a__0++) a[a__0] <= '0 ; else a[0] <= 1;",
  ],
  [
    'one value for all of two dimensions, of sizes that are parameters',
    "word_t a [N][M-1:0], b; always_comb a = '{default: x ? 1 : 2};",
    'word_t a [N][M-1:0], b; always_comb for (int a__0 = 0; a__0 <= (N)-1; a__0++) for (int a__1 = 0; a__1 <= M-1; a__1++) a[a__0][a__1] = x ? 1 : 2 ;',
  ],
  [
    'a value so many times',
    "logic a [2:3]; always_ff @(posedge c) a <= '{2{b}};",
    'logic a [2:3]; always_ff @(posedge c) for (int a__0 = 2; a__0 <= 3; a__0++) a[a__0] <= b ;',
  ],
  [
    'each its value',
    "logic a [1:0][2]; always_ff @(posedge c) a <= '{'{1, 2},\n'{3, 4}};",
    'logic a [1:0][2]; always_ff @(posedge c) begin a[1][0] <= 1; a[1][1] <= 2; a[0][0] <= 3; a[0][1] <= 4 ; end',
  ],
  [
    'values where it is declared',
    "int a [2] = '{1, 2}; bit b [N] = '{default: 1};",
    'int a [2]; initial begin a[0] = 1; a[1] = 2 ; end bit b [N]; initial for (int b__0 = 0; b__0 <= (N)-1; b__0++) b[b__0] = 1 ;',
  ],
])('an array is given %s', (_, body, written) => {
  const text = withoutArrayValues(within(body));
  expect(plain(text)).toBe(plain(within(written)));
  expect(text.split('\n')).toHaveLength(within(body).split('\n').length);
});

test.each([
  ['of its own words', "int a [2]; always_comb a = '{a[1], a[0]};"],
  ['with another number of values', "int a [3]; always_comb a = '{1, 2};"],
  ['at places that are named', "int a [2]; always_comb a = '{1: 1, 0: 2};"],
  [
    'where two are declared with its name',
    "int a [2]; function f(input int a [3]); a = '{default: 0}; endfunction",
  ],
  [
    'where a vector has its name as well',
    "int a [2]; function f(input word_t a); a = '{default: 0}; endfunction",
  ],
  ['by an `assign`', "int a [2]; assign a = '{1, 2};"],
  ['of which a word is meant', "word_t a [2]; always_comb a[0] = '{1, 2};"],
  ['with bounds that may count down', "int a [N:M]; always_comb a = '{default: 0};"],
  ['in the middle of a text', "int a [2] = '{1, 2"],
])('values %s stay', (_, body) => {
  expect(withoutArrayValues(within(body))).toBe(within(body));
});

test('a register file with a reset does what loops over its words do', async () => {
  await provesSame(
    `module made(input [7:0] d, input [1:0] a, b, input s, output [7:0] q);
  logic [7:0] r [0:3];
  always_comb begin
    r = '{default: 8'h5a};
    if (s) r = '{1, 8'd2 + d, 3, 4};
    r[a] = d;
  end
  assign q = r[b];
endmodule
`,
    `module meant(input [7:0] d, input [1:0] a, b, input s, output [7:0] q);
  wire [7:0] other = !s ? 8'h5a : b == 1 ? d + 2 : b + 1;
  assign q = a == b ? d : other;
endmodule
`,
  );
});
