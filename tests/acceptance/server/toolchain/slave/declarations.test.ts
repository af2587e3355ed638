import { describe, expect, test } from 'vitest';
import { SLAVE_TEMPLATES } from '../../../../../renderer/src/components/editor/slave-templates.ts';
import { declarationsOf } from '../../../../../server/toolchain/slave/declarations.ts';
import { namePlaces } from '../../../../../server/toolchain/slave/name-places.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

/** The declarations of a design for the editor, and the designs that the editor starts. */

const SOURCE = `module top (
  input clk, wb_cyc, wb_stb, wb_we,
  input [3:0] wb_dat_w,
  output [3:0] wb_dat_r, output wb_ack
);
  wire [3:0] n;
  reg [7:0] memory [0:15];
  part #(.WIDTH(4)) first (.d(wb_dat_w), .q(n));
  part #(.WIDTH(2)) second (.d(wb_dat_w[1:0]), .q());
  assign wb_dat_r = memory[n], wb_ack = wb_stb;
  always @(posedge clk) if (wb_we) memory[n] <= wb_dat_w;
endmodule
module part #(parameter WIDTH = 2) (input [WIDTH-1:0] d, output [WIDTH-1:0] q);
  wire [WIDTH-1:0] n = ~d;
  assign q = n;
endmodule
`;

const { source } = await scanText(SOURCE);
const placeOf = namePlaces(source);

test('ports, signals, memories, instances and modules have their size and place', () => {
  const found = declarationsOf(source);
  const file = 'design.v';
  expect(found).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ name: 'top', kind: 'module', module: 'top', file, line: 1 }),
      { name: 'wb_dat_w', kind: 'port', module: 'top', direction: 'input', width: 4, file, line: 3 },
      { name: 'n', kind: 'signal', module: 'top', width: 4, file, line: 6 },
      { name: 'memory', kind: 'memory', module: 'top', width: 8, words: 16, file, line: 7 },
      { name: 'first', kind: 'instance', module: 'top', of: 'part', file, line: 8 },
      expect.objectContaining({ name: 'd', kind: 'port', module: 'part', direction: 'input', line: 13 }),
    ]),
  );
  const names = found.map(({ module, name }) => `${module}.${name}`);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  ['memory', 7, 'where it is declared'],
  ['top.n', 6, 'in the module that is named'],
  ['part.n', 14, 'in the module that is named'],
  ['part.n[3]', 14, 'a bit of it'],
  ['d', 13, 'a port'],
  ['part.q', 15, 'what is assigned to it comes first'],
  ['first.n', 8, 'the instance that it is in'],
])('%s: line %i, %s', (name, line) => {
  expect(placeOf(name)).toEqual({ file: 'design.v', line });
});

test('an unknown name has no place', () => {
  for (const name of ['nothing', 'nothing.n', 'wishbench_user.nothing', ''])
    expect(placeOf(name), name).toBeNull();
});

test('a note of slang belongs to its message', async () => {
  const { diagnostics, log } = await scanText('module a(input x);\nwire y;\nwire y;\nendmodule\n');
  const [error] = diagnostics;
  expect(error).toMatchObject({ severity: 'error', line: 3 });
  expect(error?.notes).toEqual([expect.objectContaining({ file: 'design.v', line: 2 })]);
  expect(log.some((line) => line.includes('design.v:2'))).toBe(true);
});

describe('templates', () => {
  const plain = (template: string) => template.replace(/#\{(\w+)\}/g, '$1');
  test.each(SLAVE_TEMPLATES.verilog)('$label is a valid slave', async ({ template }) => {
    const { matched, diagnostics } = await scanText(plain(template));
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(matched?.module).toBe('my_slave');
    expect(matched?.dataWidth).toBe(32);
  });
});
