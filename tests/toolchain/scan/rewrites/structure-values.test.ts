import { expect, test } from 'vitest';
import { withoutStructureValues } from '../../../../server/toolchain/scan/rewrites/structure-values.ts';
import { scanText, withoutSlang } from '../../support.ts';
import { provesSame } from '../same-circuit.ts';

const plain = (text: string | undefined) =>
  (text ?? '')
    .replace(/\s+/g, ' ')
    .replace(/ (?=;)/g, '')
    .trim();
const T = 'typedef struct packed { logic [3:0] a; logic b, c; } t;';
const within = (body: string) => `module m; ${T} ${body} endmodule`;

test.each<[what: string, body: string, written: string]>([
  [
    'by their names in a process',
    "t x; always_ff @(posedge k) if (r) x <= '{a: 1,\n b: x.b, default: '0}; else x.a <= 2;",
    "t x; always_ff @(posedge k) if (r) begin x.a <= 1; x.b <= x.b; x.c <= '0 ; end else x.a <= 2;",
  ],
  [
    'in their order, of several variables',
    "t y, x; assign x = t'{1, 2, 3};",
    't y, x; assign x.a = 1, x.b = 2, x.c = 3 ;',
  ],
  [
    'of one value for several',
    "t x; always_comb begin x = '{a: 5, default: s}; end",
    't x; always_comb begin begin x.a = 5; x.b = s; x.c = s ; end end',
  ],
  ['where a variable is declared', "t x = '{1, 2, 3};", 't x; initial begin x.a = 1; x.b = 2; x.c = 3 ; end'],
  [
    'of a constant',
    "localparam t X = '{c: 1, a: 2, b: 0};",
    'localparam logic X__c = 1; localparam logic[3:0] X__a = 2; localparam logic X__b = 0; localparam t X = {X__a, X__b, X__c};',
  ],
])('members of a structure are given values %s', (_, body, written) => {
  const [text] = withoutStructureValues([within(body)]);
  expect(plain(text)).toBe(plain(within(written)));
  expect(text?.split('\n')).toHaveLength(within(body).split('\n').length);
});

test.each([
  ['of its own members', "t x; always_comb x = '{a: x.a, default: 0};"],
  ['of which one is left out', "t x; always_comb x = '{a: 1, b: 2};"],
  ['of which there is no such member', "t x; always_comb x = '{a: 1, b: 2, d: 3};"],
  ['of which one is a structure', "t x; always_comb x = '{'{1}, 2, 3};"],
  ['in the middle of an expression', "t x; assign x = s ? '{1, 2, 3} : y;"],
  ['where two variables have its name', "t x; function f(input t x); x = '{1, 2, 3}; endfunction"],
  [
    'of a constant with a structure in it',
    "typedef struct packed { struct packed { logic a; } a; } s; localparam s X = '{a: 1};",
  ],
  ['without an end', "t x; assign x = '{1, 2"],
])('values %s stay', (_, body) => {
  expect(withoutStructureValues([within(body)])).toEqual([within(body)]);
});

test('a structure of a package has the values that stand there', async () => {
  await provesSame(
    `package p; localparam W = 3; typedef struct packed { logic signed [W:0] a; logic [W-1:0] b; } t; localparam t RESET = '{b: 3'd4 + 3'd5, a: -2}; endpackage
module made import p::*; (input s, input [3:0] d, output [6:0] q);
  localparam t OTHER = '{a: 2'sb10, b: 1};
  struct packed { logic signed [3:0] a; logic [2:0] b; } y;
  t x;
  always_comb if (s) x = d[0] ? OTHER : RESET; else x = '{a: d, default: '1};
  assign y = '{2'sb10, x.b}, q = y;
endmodule
`.replace("assign y = '{2'sb10, x.b}, q = y;", "assign y = '{2'sb10, x.b};\n  assign q = y;"),
    "module meant(input s, input [3:0] d, output [6:0] q); assign q = s ? {4'he, 3'd1} : {4'he, 3'd7}; endmodule\n",
  );
});

test('a member of a word of an array is told in plain words', async () => {
  const { diagnostics } = await scanText(
    'module m(input i, output q);\n  typedef struct packed { logic a; } t;\n  t x [2];\n  assign q = x[i].a;\nendmodule\n',
    'design.sv',
    {},
    withoutSlang,
  );
  expect(diagnostics[0]).toMatchObject({ severity: 'error', line: 4 });
  expect(diagnostics[0]?.message).toContain('read the whole word into a variable of its type');
});
