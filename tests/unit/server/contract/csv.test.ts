import { expect, test } from 'vitest';
import { readTable } from '../../../../server/contract/csv.ts';

test.each<[what: string, text: string, rows: [line: number, ...cells: string[]][]]>([
  ['nothing', '', []],
  ['comments only', '\n# a;b\n# c', []],
  [
    'commas',
    'a, b;c\r\n1,2',
    [
      [1, 'a', 'b;c'],
      [2, '1', '2'],
    ],
  ],
  ['semicolons after a comment', '# a,b\n\n"x;y";z\n', [[3, 'x;y', 'z']]],
  [
    'a cell of two lines',
    '"a\n""b""",c\nd,e',
    [
      [1, 'a\n"b"', 'c'],
      [3, 'd', 'e'],
    ],
  ],
  ['the mark of a spreadsheet', '\ufeffa,b', [[1, 'a', 'b']]],
])('a table with %s has its rows, each with its line', (_what, text, rows) => {
  expect(readTable(text)).toEqual({ rows: rows.map(([line, ...cells]) => ({ line, cells })) });
});

test('a quote that is not closed is found by the line of its row', () => {
  expect(readTable('a,b\nc,"d\ne')).toEqual({ quote: 2 });
});
