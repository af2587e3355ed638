import { expect, test } from 'vitest';
import { scanText, withoutSlang } from '../support.ts';
import { provesDesign } from './same-circuit.ts';
import { slave } from './slave.ts';

const labelled = (label: string, more = '') =>
  slave(`  localparam [1:0] A = 3; localparam signed [3:0] S = -8; reg [3:0] y;
  always @* case (wb_dat_w[4:0])
    ${label}: y = 1;
    ${more}default: y = 0;
  endcase
  assign wb_dat_r = y;`);
const isLabel = (value: number) => slave(`  assign wb_dat_r = wb_dat_w[4:0] == ${value};`);

test.each<[label: string, value: number]>([
  ["A + 1'b1", 4],
  ["4'd8 + 4'd9", 17],
  ['A << 1', 6],
  ["1'b1 << 3", 8],
  ["~4'd0", 31],
  ['-A', 29],
  ["(A + 2'd1)", 4],
])('a label of a case that is computed has the width of what is compared: %s', async (label, value) => {
  const { source, log, diagnostics } = await scanText(labelled(label));
  expect(diagnostics).toEqual([]);
  expect(log.join('\n')).toContain(
    'note: read by slang: design.v:5: Yosys computes this label of the `case` with the widths of what is in it\n',
  );
  await provesDesign(source, ['slave', 'slave'], isLabel(value));
});

test('so has one of several, behind statements that have labels of their own', async () => {
  const text = labelled(
    '0, 1',
    "2: begin case (wb_we) 1: y = 2; default: y = 3; endcase end\n    5, A + 2'd3: y = 4;\n    ",
  );
  const { log } = await scanText(text);
  expect(log.join('\n')).toContain('design.v:7: Yosys computes this label');
});

test('where slang is not there, that is a warning', async () => {
  const { matched, diagnostics } = await scanText(labelled("A + 1'b1"), 'design.v', {}, withoutSlang);
  expect(matched?.module).toBe('slave');
  expect(diagnostics).toMatchObject([{ severity: 'warning', file: 'design.v', line: 5, module: 'slave' }]);
});

test.each(['3', 'A', 'A + 1', '-1', "{A, 1'b1}", "5'b1_0000", 'A[0]', "5'd3, 5'd4"])(
  'a label %s is left to Yosys',
  async (label) => {
    const { log, diagnostics } = await scanText(labelled(label));
    expect(diagnostics).toEqual([]);
    expect(log.join('\n')).not.toContain('slang');
  },
);

test('an argument that is computed of constants has the width of the argument', async () => {
  const { source, log, diagnostics } = await scanText(
    slave(`  localparam [1:0] A = 3;
  function [4:0] f(input [4:0] q); f = q; endfunction
  assign wb_dat_r = f(A + 1'b1) + f(wb_dat_w[1:0] + A);`),
  );
  expect(diagnostics).toEqual([]);
  expect(log.join('\n')).toContain('note: read by slang: design.v:5: Yosys computes this argument');
  await provesDesign(
    source,
    ['slave', 'slave'],
    slave("  wire [4:0] sum = wb_dat_w[1:0] + 2'd3; assign wb_dat_r = 4 + sum;"),
  );
});

test('a part that begins below the lowest bit has its values above it', async () => {
  const { source, log } = await scanText(
    slave(
      '  reg [4:0] y;\n  always @* begin\n    y = 0;\n    y[wb_adr[2:0] -: 2] = wb_dat_w;\n  end\n  assign wb_dat_r = y;',
    ),
  );
  expect(log.join('\n')).toContain('note: read by slang: design.v:6: Yosys gives no value to a part');
  const bits = [0, 1, 2, 3, 4].map(
    (at) => `wb_adr[2:0] == ${at} ? wb_dat_w[1] : wb_adr[2:0] == ${at + 1} ? wb_dat_w[0] : 1'b0`,
  );
  await provesDesign(
    source,
    ['slave', 'slave'],
    slave(`  assign wb_dat_r = {${bits.reverse().join(', ')}};`),
  );
});

test('labels that are no constants are left to Yosys', async () => {
  const text = slave(`  localparam [1:0] A = 3; reg [3:0] y;
  always @* case (1'b1)
    wb_dat_w[0] & wb_dat_w[1], !wb_we: y = 1;
    wb_adr[1:0] + A: y = 2;
    default: y = 0;
  endcase
  assign wb_dat_r = y;`);
  const { log, diagnostics } = await scanText(text);
  expect(diagnostics).toEqual([]);
  expect(log.join('\n')).not.toContain('slang');
});

test.each([
  ['an argument that is no constant', 'assign wb_dat_r = f(wb_adr[1:0] + A);'],
  ['an argument that is read', 'assign wb_dat_r = f(A);'],
  ['a part that is read', 'assign wb_dat_r = wb_dat_w[wb_adr[4:0] -: 2];'],
  [
    'a part at a constant place',
    'reg [4:0] y; always @* begin y = 0; y[A -: 2] = wb_dat_w; end assign wb_dat_r = y;',
  ],
])('%s is left to Yosys', async (_, body) => {
  const { log, diagnostics } = await scanText(
    slave(`  localparam [1:0] A = 3; function [4:0] f(input [4:0] q); f = q; endfunction\n  ${body}`),
  );
  expect(diagnostics).toEqual([]);
  expect(log.join('\n')).not.toContain('slang');
});
