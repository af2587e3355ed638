import { expect, test } from 'vitest';
import { Expressions } from '../../../../server/registermap/expression.ts';
import { integerIn } from '../../../../server/registermap/numbers.ts';

const PARAMETERS = new Map([
  ['W', '8'],
  ['uuid_1_a', 'W * 2'],
  ['LOOP', 'POOL + 1'],
  ['POOL', 'LOOP'],
  ['TWICE', 'TWICE * TWICE'],
  ['TEXT', '"wide"'],
]);

// The values are those of IEEE 1800-2017, clause 11.
test.each([
  ["16'hFF", 255],
  ["4'hFF", 15],
  ["'o17", 15],
  ['1_000', 1000],
  ['2 + 3 * 4', 14],
  ['(2 + 3) * 4', 20],
  ['10 - 4 - 3', 3],
  ['7 / 2', 3],
  ['-7 / 2 + 10', 7],
  ['7 % 4', 3],
  ['2 ** 10', 1024],
  ['1 << 4 + 1', 32],
  ['256 >> 4 >> 2', 4],
  ['6 & 3 == 3', 0],
  ['(6 & 3) == 2', 1],
  ['1 | 6 ^ 2 & 3', 5],
  ['1 || 0 && 0', 1],
  ['!0 + !5', 1],
  ['~0 & 15', 15],
  ['3 > 2 ? 5 : 6', 5],
  ['0 ? 1 : 0 ? 2 : 3', 3],
  ['1 || 0', 1],
  ['0 || 2', 1],
  ['0 || 0', 0],
  ['2 && 1', 1],
  ['2 && 0', 0],
  ['0 && 1', 0],
  ['1 == 2', 0],
  ['1 != 2', 1],
  ['2 != 2', 0],
  ['1 < 2', 1],
  ['2 < 2', 0],
  ['2 <= 2', 1],
  ['3 <= 2', 0],
  ['2 > 2', 0],
  ['2 >= 2', 1],
  ['1 >= 2', 0],
  ['1 <<< 4', 16],
  ['256 >>> 4', 16],
  ['1 << 0', 1],
  ['1 << 64', 2 ** 64],
  ['0x1_F + 0Xf', 46],
  ['2 - +W', -6],
  ['-W + 9', 1],
  [' W ', 8],
  ['0b101', 5],
  ['#101', 5],
  ['$max(3, W) - $min(3, W)', 5],
  ['$clog2(1)', 0],
  ['$clog2(9)', 4],
  ['$pow(2, W)', 256],
  ['$max(W, 3) - $min(W, 3)', 5],
  ['uuid_1_a/4-1', 3],
  ['W>4?W:0', 8],
  ["W'h10", null],
  ['', null],
  ['1 +', null],
  ['(1', null],
  ['1 / (W - 8)', null],
  ['1 % (W - 8)', null],
  ['1 << 65', null],
  ['1 << (0 - 1)', null],
  ['2 ** 64 * 2 ** 62', 2 ** 126],
  ['2 ** 64 * 2 ** 63', null],
  ['NOBODY', null],
  ['LOOP', null],
  ['TWICE', null],
  ['TEXT', null],
  ['1.5', null],
  ["'{1, 2}", null],
  ['constructor', null],
])('%s is %s', (text, value) => {
  const found = new Expressions(PARAMETERS).value(text);
  expect(found === null ? null : Number(found)).toBe(value);
});

test('an expression that grows or nests endlessly has no value', () => {
  const doubled = new Map(Array.from({ length: 500 }, (_, at) => [`P${at}`, `P${at + 1} * P${at + 1}`]));
  doubled.set('P500', '2');
  const expressions = new Expressions(doubled);
  for (const text of [
    'P0',
    `${'('.repeat(499)}1${')'.repeat(499)}`,
    '2 ** 64 ** 64 ** 64',
    '9'.repeat(1e6),
    '1+'.repeat(1e6),
  ])
    expect(expressions.value(text) ?? 1n).toBe(1n);
  expect(expressions.value('P500 + P499')).toBe(6n);
});

test('an expression has at most 1000 characters, and parameters depend on one another at most 64 deep', () => {
  const none = new Expressions(new Map());
  expect(none.value(`${'1+'.repeat(499)}11`)).toBe(510n);
  expect(none.value(`${'1+'.repeat(499)}111`)).toBeNull();
  const chain = (length: number) =>
    new Expressions(
      new Map(Array.from({ length }, (_, at) => [`P${at}`, at === 0 ? '2' : `P${at - 1} + 1`])),
    );
  expect(chain(64).value('P63')).toBe(65n);
  expect(chain(65).value('P64')).toBeNull();
  // Beside one another they may be any number.
  const sum = Array.from({ length: 100 }, (_, at) => `P${at}`).join('+');
  const flat = new Expressions(new Map(sum.split('+').map((id) => [id, '1 + 1'])));
  expect(flat.value(sum)).toBe(200n);
});

test.each([
  [' 0x1F\n', 31n],
  ['+12', 12n],
  ["'d12", 12n],
  ["8'sd12", 12n],
  ["8'sb101", 5n],
  ["8'so17", 15n],
  ['2k', 2048n],
  ['1M', 2n ** 20n],
  ['1g', 2n ** 30n],
  ['1T', 2n ** 40n],
  ['9'.repeat(200), BigInt('9'.repeat(200))],
  ['9'.repeat(201), null],
  ['x12', null],
  ['12x', null],
  ["12345'd1", null],
])('%s is the number %s', (text, value) => {
  expect(integerIn(text)).toBe(value);
});
