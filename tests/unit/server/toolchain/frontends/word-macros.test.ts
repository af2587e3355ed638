import { expect, test } from 'vitest';
import { withWordMacros } from '../../../../../server/toolchain/frontends/verilog/word-macros.ts';

const written = (text: string) => withWordMacros({ 'a.v': text })['a.v'];

test.each([
  ['function [7:0] f(input x); f = x; endfunction', '`WB_FUNC [7:0] f(input x); f = x; endfunction'],
  ['/* function */ task t; x = a <= b; endtask', '/* function */ task t; x = a <= b; endtask'],
  ['task t(output q); q = 1; endtask', '`WBT t(output q); q = 1; endtask'],
  ['function automatic f(input x); endfunction', 'function automatic f(input x); endfunction'],
  ['import "DPI-C" function int f(int x);', 'import "DPI-C" function int f(int x);'],
  ['modport m(import task t(), function int f());', 'modport m(import task t(), function int f());'],
  ['repeat (3) q = q + $onehot(a) + $onehot0 (b);', '`WBREP (3) q = q + `WBONEH(a) + `WBONEH0 (b);'],
  ['initial repeat (N - 1) @(posedge clk);', 'initial repeat (N - 1) @(posedge clk);'],
  [
    '// function\nreg \\function ; string s = "function";',
    '// function\nreg \\function ; string s = "function";',
  ],
])('%s', (before, after) => {
  expect(written(before)).toBe(after);
});

test('places and bytes outside of the keywords stay', () => {
  const bytes = Buffer.concat([Buffer.from('// '), Buffer.from([0xff, 0xe4]), Buffer.from('\nfunction f;')]);
  const after = withWordMacros({ 'a.v': bytes, 'rom.hex': '00 ff' });
  expect(Buffer.from(after['a.v']!).toString('latin1')).toBe('// \xff\xe4\n`WB_FUNC f;');
  expect(after['rom.hex']).toBe('00 ff');
});
