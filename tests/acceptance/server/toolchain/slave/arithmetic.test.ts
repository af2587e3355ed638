import { afterAll, describe, expect, test } from 'vitest';
import { exampleSource } from '../../../../../server/toolchain/examples.ts';
import {
  freshToolchain,
  requestOf,
  slave,
  synthesised,
} from '../../../../support/toolchain/build/support.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

const arithmeticOf = async (source: string) => (await scanText(source)).arithmetic;

/** A slave with such contents, and modules next to it. */
const design = (contents: string, beside = '') =>
  `${slave(`  reg [31:0] q;\n  assign wb_dat_r = q;\n${contents}`)}\n${beside}`;

const ADDER = (parameters = '') => `module adder ${parameters} (input [15:0] a, b, output [16:0] y);
  assign y = a + b;
endmodule
`;

describe('the bits of a slave’s adders, comparators and similar operators', () => {
  test.each([
    ['none', "always @(posedge clk) q <= wb_dat_w ^ (q & 32'd5);", 0],
    ['an adder', 'always @(posedge clk) q <= q + wb_dat_w;', 32],
    ['a comparator of the same width', 'always @(posedge clk) q <= q < wb_dat_w;', 32],
    [
      'several',
      'always @(posedge clk) if (q[7:0] >= wb_dat_w[7:0]) q <= q - 1; else q <= q[3:0] * wb_dat_w[3:0];',
      8 + 32 + 32,
    ],
    ['equality is none', 'always @(posedge clk) q <= q == wb_dat_w;', 0],
  ])('%s', async (_, contents, bits) => {
    expect(await arithmeticOf(design(`  ${contents}`))).toBe(bits);
  });

  test('count once per instance of their module, and only below the slave', async () => {
    const twice = `  wire [16:0] u, v;
  adder one (.a(wb_dat_w[15:0]), .b(q[15:0]), .y(u)), two (.a(u[15:0]), .b(q[31:16]), .y(v));
  always @(posedge clk) q <= v;`;
    expect(await arithmeticOf(design(twice, ADDER()))).toBe(34);
    expect(await arithmeticOf(design('  always @(posedge clk) q <= wb_dat_w;', ADDER()))).toBe(0);
  });

  test('follow the parameters that an instance sets', async () => {
    const wider =
      '  adder #(.W(8)) one (.a(q[15:0]), .b(q[15:0]), .y());\n  always @(posedge clk) q <= wb_dat_w;';
    expect(await arithmeticOf(design(wider, ADDER('#(parameter W = 16)')))).toBe(17);
  });
});

test('ABC maps designs with few of them, ABC9 all others', async () => {
  const logOf = async (source: string | Uint8Array) =>
    (await synthesised(toolchain, requestOf(source))).text();
  const few = await logOf(exampleSource({ file: 'echo.v' }));
  expect(few).toContain('Executing ABC pass');
  expect(few).not.toContain('ABC9');
  const many = await logOf(design('  always @(posedge clk) q <= (q + wb_dat_w) ^ (q - wb_dat_w) ^ (q + 3);'));
  expect(many).toContain('Executing ABC9 pass');
  expect(many).not.toContain('Executing ABC pass');
});
