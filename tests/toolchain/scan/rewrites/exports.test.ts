import { expect, test } from 'vitest';
import { withoutExports } from '../../../../server/toolchain/scan/rewrites/exports.ts';
import { scanText } from '../../support.ts';
import { slave } from '../slave.ts';

const plain = (texts: readonly string[]) => texts.map((text) => text.replace(/\s+/g, ' ').trim());
const A = 'package a; localparam X = 1, Y = 2; endpackage';

test.each<[what: string, texts: string[], read: string[]]>([
  [
    'all of it',
    [
      A,
      'package b;\nimport a::*;\nexport a::*;\nlocalparam Z = 3; endpackage',
      'module m; import b::*; assign q = b::X + b::Z; endmodule',
    ],
    [
      A,
      'package b; import a::*; localparam Z = 3; endpackage',
      'module m; import b::*, a::*; assign q = a::X + b::Z; endmodule',
    ],
  ],
  [
    'names of it',
    [
      `${A} package b; import a::X; export a::X; endpackage package c; import b::*; export *::*; endpackage`,
      'module m import c::*; (); endmodule module n; import c::X; endmodule',
    ],
    [
      `${A} package b; import a::X; endpackage package c; import b::*, a::X; endpackage`,
      'module m import c::*, b::*, a::X; (); endmodule module n; import a::X; endmodule',
    ],
  ],
])('who takes from a package what it has of another one, %s, takes it from there', (_, texts, read) => {
  const written = withoutExports(texts);
  expect(plain(written)).toEqual(read);
  expect(written.map((text) => text.split('\n').length)).toEqual(
    texts.map((text) => text.split('\n').length),
  );
});

test.each([
  ['of a package that is nowhere', 'package b; export a::*; endpackage'],
  ['without an end', 'package b; export a::'],
])('an export %s stays', (_, text) => {
  expect(withoutExports([text])).toEqual([text]);
});

test('a design with packages that give on what they have of others is read', async () => {
  const { matched, diagnostics } = await scanText(
    slave(
      "  word_t r; always_ff @(posedge wb_clk) if (wb_rst) r <= RESET; else r <= word_t'(wb_dat_w); assign wb_dat_r = r;",
      `package base; typedef logic [15:0] word_t; endpackage
package regs; import base::*; export base::*; localparam word_t RESET = 5; endpackage
import regs::*;
`,
    ),
    'design.sv',
  );
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(matched?.module).toBe('slave');
});
