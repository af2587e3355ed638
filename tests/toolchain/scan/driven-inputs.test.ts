import { expect, test } from 'vitest';
import { scanText } from '../support.ts';
import { slave } from './slave.ts';

const told = async (text: string, filename?: string) => {
  const { matched, diagnostics } = await scanText(text, filename);
  expect(matched?.module).toBe('slave');
  return diagnostics
    .filter(({ port }) => port !== undefined)
    .map(({ severity, line, message }) => `${severity} ${line}: ${message}`);
};

test('an input that the design drives itself is told with its line, though nothing reads it', async () => {
  const ports = 'input [3:0] led, input done, input read,';
  const body = slave(
    `  assign wb_dat_r = {31'd0, read};
  assign led[1] = ^wb_adr;
  always @(posedge wb_clk) done <= wb_we;`,
  ).replace('input wb_clk', `${ports} input wb_clk`);
  const why = 'has its value from outside, and slave gives it one: make it an `output`, or give the value to';
  expect(await told(body, 'design.sv')).toEqual([
    `warning 5: the input done ${why} a signal of another name`,
    `warning 4: the input led ${why} a signal of another name`,
  ]);
});

test('an input that is only read is not', async () => {
  expect(await told(slave('  wire [21:0] adr = wb_adr;\n  assign wb_dat_r = {adr, wb_dat_w[9:0]};'))).toEqual(
    [],
  );
});
