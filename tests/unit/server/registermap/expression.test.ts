import { expect, test } from 'vitest';
import { Expressions } from '../../../../server/registermap/expression.ts';

const PARAMETERS = new Map([
  ['W', '8'],
  ['uuid_1_a', 'W * 2'],
  ['LOOP', 'POOL + 1'],
  ['POOL', 'LOOP'],
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
  ['1 << 65', null],
  ['NOBODY', null],
  ['LOOP', null],
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
