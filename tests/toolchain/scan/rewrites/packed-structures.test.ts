import { expect, test } from 'vitest';
import { withPackedStructures } from '../../../../server/toolchain/scan/rewrites/packed-structures.ts';
import { scanText, withoutSlang } from '../../support.ts';

test.each<[what: string, text: string, read: string]>([
  [
    'a type',
    'typedef struct {\n  logic [3:0] a; pair_t [1:0] b;\n} t;',
    'typedef struct packed {\n  logic [3:0] a; pair_t [1:0] b;\n} t;',
  ],
  [
    'structures within each other',
    'struct { struct { bit a; } b; enum logic [1:0] { X, Y } c; } d;',
    'struct packed { struct packed { bit a; } b; enum logic [1:0] { X, Y } c; } d;',
  ],
  ['all bits to one value', "a <= '{default: '0}; b.c = '{\ndefault:1'b1};", "a <= '0; b.c = '1\n;"],
])('%s', (_, text, read) => {
  expect(withPackedStructures(text)).toBe(read);
});

test.each([
  ['one that is packed already', 'typedef struct packed { logic a; } t;'],
  ['one with an array of words', 'typedef struct { logic [7:0] a [4]; } t;'],
  ['one with an array of a type', 'typedef struct { word_t a [4]; } t;'],
  ['one with a number that has no bits', 'typedef struct { real a; } t;'],
  ['one with a macro', 'typedef struct { `FIELDS } t;'],
  ['one without an end', 'typedef struct { logic a;'],
  ['a value of an array of words', "logic [7:0] a [4]; initial a = '{default: '0};"],
  ['values one by one', "a = '{b: 1, c: 0};"],
])('%s stays', (_, text) => {
  expect(withPackedStructures(text)).toBe(text);
});

test('a design with such structures is read', async () => {
  const { modules, diagnostics } = await scanText(
    `package p; typedef struct { logic v; logic [2:0] d; } word_t; endpackage
module m import p::*; (input clk, input rst, input [3:0] a, output word_t q);
  word_t r;
  always_ff @(posedge clk) if (rst) r <= '{default: '0}; else r.d <= a[2:0];
  assign q = r;
endmodule
`,
    'design.sv',
  );
  expect(diagnostics.filter(({ code }) => code === 'yosys_error')).toEqual([]);
  expect(modules[0]?.ports.at(-1)).toMatchObject({ name: 'q', width: 4 });
});

test('what is left of them is told in plain words', async () => {
  const { diagnostics } = await scanText(
    'module m;\n  typedef struct { logic [7:0] a [4]; } t;\n  t x;\nendmodule\n',
    'design.sv',
    {},
    withoutSlang,
  );
  expect(diagnostics[0]?.message).toContain('is read where it is `packed`');
});
