import { expect, test } from 'vitest';
import { formatLiteral, parseLiteral, wordAt } from '../../../renderer/src/components/editor/literals.ts';

test.each([
  ["32'hCAFE_F00D", 0xcafe_f00dn, 32],
  ["8'b1010_0101", 0xa5n, 8],
  ["'d12", 12n, undefined],
  ["4'sb1000", 8n, 4],
  ["12'o17", 15n, 12],
  ['x"BEEF"', 0xbeefn, 16],
  ['b"0101"', 5n, 4],
  ['16#FF#', 255n, undefined],
  ['0xDEAD', 0xdeadn, undefined],
  ['0b11', 3n, undefined],
  ['512', 512n, undefined],
])('%s is read', (text, value, width) => {
  expect(parseLiteral(text)).toEqual({ value, width });
});

test.each([["8'bxxxx_zzzz"], ['wb_ack'], ["4'b2"], ["8'hGG"], ['']])('%j is no number', (text) => {
  expect(parseLiteral(text)).toBeUndefined();
});

test('a number is shown in every format, and signed if negative at its width', () => {
  expect(formatLiteral({ value: 0xcafe_f00dn, width: 32 })).toEqual([
    '0xCAFE_F00D',
    '3405705229',
    '−889262067',
    '0b1100_1010_1111_1110_1111_0000_0000_1101',
  ]);
  expect(formatLiteral({ value: 5n, width: 8 })).toEqual(['0x5', '5', '0b0000_0101']);
});

test('finds the number or name at a column', () => {
  const line = "  assign wb_dat_r = 32'hFF;";
  expect(wordAt(line, 12)?.text).toBe('wb_dat_r');
  expect(wordAt(line, 22)?.text).toBe("32'hFF");
  expect(wordAt(line, 1)).toBeUndefined();
});
