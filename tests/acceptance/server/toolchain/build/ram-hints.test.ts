import { afterAll, expect, test } from 'vitest';
import {
  freshToolchain,
  record,
  refusal,
  requestOf,
  slave,
  synthesised,
} from '../../../../support/toolchain/build/support.ts';

const { toolchain, dispose } = freshToolchain();
afterAll(dispose);

/** A memory of a slave with a clocked or an immediate read. */
const memory = (
  name: string,
  attributes: string,
  clocked: boolean,
) => `  ${attributes} reg [3:0] ${name}[0:3];
  always @(posedge clk) if (wb_we) ${name}[wb_adr[1:0]] <= wb_dat_w[3:0];
  ${clocked ? 'reg' : 'wire'} [3:0] ${name}_q; ${clocked ? 'always @(posedge clk)' : 'assign'} ${name}_q ${clocked ? '<=' : '='} ${name}[wb_adr[1:0]];
`;

test('ignores RAM styles that the part lacks, but obeys the style block', async () => {
  const others = [
    'ram_style = "distributed"',
    'ram_style = "ultra"',
    'ramstyle = "MLAB, no_rw_check"',
    'syn_ramstyle = "select_ram"',
  ];
  const body = [
    ...others.map((one, at) => memory(`m${at}`, `(* ${one} *)`, false)),
    memory('block', '(* ram_style = "block" *)', true),
    '  assign wb_dat_r = {block_q, m3_q, m2_q, m1_q, m0_q};',
  ];
  const context = await synthesised(toolchain, requestOf(slave(body.join('')), 'design.v'));
  // The base SoC has a table of its own.
  const orders = [...context.text().matchAll(/found attribute '(.*)' on memory \S*user\.user\.(\w+), /g)];
  expect(orders.map(([, what, where]) => [what, where])).toEqual([['ram_style = block', 'block']]);
});

test('rejects a memory with the style block that cannot be block RAM, with a remedy', async () => {
  const source = slave(`${memory('kept', '(* ram_style = "block" *)', false)}  assign wb_dat_r = kept_q;`);
  const error = await refusal(toolchain.build(requestOf(source, 'design.v'), record()));
  expect(error).toMatchObject({ code: 'design_invalid' });
  expect(error.message).toMatch(
    /^design\.v:5: no RAM of the part fits the memory kept: .* read it synchronously or remove its ram_style$/,
  );
});
