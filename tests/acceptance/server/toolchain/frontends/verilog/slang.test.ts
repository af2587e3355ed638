import { expect, test } from 'vitest';
import { slave } from '../../../../../support/toolchain/slave-source.ts';
import { scanText } from '../../../../../support/toolchain/support.ts';

test('a name longer than the line limit does not hide the errors', async () => {
  const { diagnostics } = await scanText(`\\${'a'.repeat(20_000)} module m(input a); endmodule\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1 });
  expect(diagnostics[0]?.message.length).toBeLessThan(1100);
});

test('one unreadable diagnostic does not discard the others', async () => {
  const { diagnostics } = await scanText(`${'"'.repeat(5999)}\nmodule m(input a); endmodule\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1 });
  expect(diagnostics.some(({ message }) => message.includes('--std'))).toBe(false);
});

test('reports the first errors when there are more than it reads', async () => {
  const { diagnostics } = await scanText(`${'endmodule '.repeat(1001)}\n`);
  expect(diagnostics[0]).toMatchObject({ severity: 'error', code: 'slang_error', line: 1, column: 1 });
});

test('a repeat is read beside names that are words of SystemVerilog', async () => {
  const body = `  wire bit = wb_stb; reg [31:0] last;
  always @(posedge wb_clk) begin last = wb_dat_w; repeat (3) last = {last[30:0], bit}; end
  assign wb_dat_r = last;`;
  const { matched, diagnostics } = await scanText(slave(body), 'slave.v');
  expect(diagnostics).toEqual([]);
  expect(matched?.module).toBe('slave');
});
