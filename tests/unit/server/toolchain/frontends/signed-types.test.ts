import { expect, test } from 'vitest';
import { withSignedTypes } from '../../../../../server/toolchain/frontends/verilog/signed-types.ts';

const REFUSED = { read: null, diagnostics: [] };

test.each([
  ['typedef logic signed [7:0] t;', 'typedef `WB_SIGN(   [7:0]) t;'],
  ['typedef bit signed[W-1:0]t;', 'typedef `WB_SIGN([W-1:0])t;'],
  ['(parameter type T = reg signed [7 : 0])', '(parameter type T = `WB_SIGN( [7 : 0]))'],
  ['typedef logic signed [3:-4] t;', null],
  ['typedef logic signed [1:0][7:0] t;', null],
  ['logic signed [7:0] t;', null],
])('%s', async (before, after) => {
  const read: string[] = [];
  await withSignedTypes({ 'a.sv': before }, async (files) => {
    read.push(String(files['a.sv']));
    return REFUSED;
  });
  expect(read[0]).toBe(after ?? before);
  // Once more as it was, for what a struct cannot be.
  if (after) expect([read[0]!.length, read[1]]).toEqual([before.length, before]);
});

test.each([
  ['typedef logic signed [3:-4] t;', 'typedef logic signed [3:-4] t;', 1],
  ['typedef logic signed [7:0] t;', 'typedef logic signed [7:0] t;', 1],
  ['typedef logic signed [7:0] t;', 'typedef `WB_SIGN(   [7:0]) t;', 0],
])('%s read as %s has %i warnings', async (text, readable, count) => {
  const { read, diagnostics } = await withSignedTypes({ 'a.sv': text }, async (files) =>
    files['a.sv'] === readable
      ? ({ read: { design: { files }, netlist: new Map() }, diagnostics: [] } as never)
      : REFUSED,
  );
  expect(read?.design.files['a.sv']).toBe(text);
  expect(diagnostics).toHaveLength(count);
});
