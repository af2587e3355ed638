import { expect, test } from 'vitest';
import { scanText } from '../support.ts';
import { slave } from './slave.ts';

const REGISTER = '  reg [7:0] r, s;\n  always @(posedge wb_clk) s <= wb_dat_w;\n  assign wb_dat_r = r;\n';
const warningsOf = async (process: string) =>
  (await scanText(slave(REGISTER + process))).diagnostics.filter(({ code }) => code === 'design_invalid');

test('a process that waits for a clock without an edge is told to become gates', async () => {
  expect(
    await warningsOf('  always @(wb_clk)\n    if (wb_rst) r <= 0; else if (s <= 3) r <= s;'),
  ).toMatchObject([
    {
      severity: 'warning',
      file: 'design.v',
      line: 6,
      message:
        'in slave, `always @(wb_clk)` has no edge, and becomes gates without a clock: write `always @(posedge wb_clk)` for registers',
    },
  ]);
});

test.each([
  ['has an edge', '  always @(posedge wb_clk) r <= s;'],
  ['waits for no clock', '  always @(wb_we) r <= s;'],
  ['waits for several', '  always @(wb_clk or s) r <= s;'],
  ['reads it', '  always @(wb_clk) r <= {wb_clk, s};'],
  ['assigns as gates do', '  always @(wb_clk) r = s;'],
])('one that %s is not', async (_, process) => {
  expect(await warningsOf(process)).toEqual([]);
});
