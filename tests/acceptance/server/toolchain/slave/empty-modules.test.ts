import { describe, expect, test } from 'vitest';
import { slave } from '../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../support/toolchain/support.ts';

const LISTENS = 'module watch(input [31:0] a);\nendmodule\n';
const EMPTY = 'module filter(input [31:0] a, output [31:0] q);\n  // to be done\nendmodule\n';

const errorsOf = async (text: string) =>
  (await scanText(text)).diagnostics.filter(({ severity }) => severity === 'error');

describe('an empty module', () => {
  test('is an error if its outputs are connected', async () => {
    expect(await errorsOf(slave('  filter f(wb_dat_w, wb_dat_r);') + EMPTY)).toMatchObject([
      {
        code: 'design_invalid',
        line: 3,
        module: 'filter',
        message:
          'module filter (instance f in slave) has ports but is empty, or has only simulation code: implement it',
      },
    ]);
  });

  test('is an error if all its code is for a simulator', async () => {
    const body = '  // synthesis translate_off\n  assign q = a;\n  // synthesis translate_on\n';
    const errors = await errorsOf(
      slave('  filter f(wb_dat_w, wb_dat_r);') + EMPTY.replace('  // to be done\n', body),
    );
    expect(errors.map(({ message }) => message)).toEqual([expect.stringContaining('only simulation code')]);
  });

  test.each([
    ['it only listens', slave('  watch w(wb_dat_w); assign wb_dat_r = 0;') + LISTENS],
    [
      'nothing is connected to its outputs',
      slave('  filter f(.a(wb_dat_w), .q()); assign wb_dat_r = 0;') + EMPTY,
    ],
    ['the slave does not instantiate it', slave('  assign wb_dat_r = 0;') + EMPTY],
    [
      'it is a cell of the part',
      `${slave('  SB_OWN f(.a(wb_dat_w), .q(wb_dat_r));')}(* blackbox *) ${EMPTY.replace('filter', 'SB_OWN')}`,
    ],
    [
      'it has an initial block',
      `${slave('  part f(.q(wb_dat_r));')}module part(output reg [31:0] q);\ninitial q = 5;\nendmodule\n`,
    ],
  ])('is allowed if %s', async (_, text) => {
    expect(await errorsOf(text)).toEqual([]);
  });
});
