import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { spreadsheetOf } from '../../../../server/contract/csv.ts';
import { readMemberList, requireDistinct } from '../../../../server/courses/member-list.ts';
import type { BenchError } from '../../../../server/errors/bench-error.ts';

const refusal = (read: () => unknown): BenchError => {
  try {
    read();
  } catch (error) {
    return error as BenchError;
  }
  throw new Error('It was accepted.');
};

describe('a list of members as CSV', () => {
  test('has a name, and e-mail and role where wanted, in any order and case', () => {
    const list = readMemberList(
      'Role;E-Mail;NAME\nteacher;ada@lab.example;Ada Lovelace\n;;"Babbage; Charles"\n',
    );
    expect(list).toEqual([
      { name: 'Ada Lovelace', email: 'ada@lab.example', role: 'teacher' },
      { name: 'Babbage; Charles', email: null, role: 'student' },
    ]);
  });

  test('may begin with a byte order mark and have columns that nobody asked for', () => {
    expect(readMemberList('\ufeffname,seat\r\nZoë,12\r\n')).toEqual([
      { name: 'Zoë', email: null, role: 'student' },
    ]);
  });

  test('names every line with a problem, and the lines that are the same', () => {
    const { code, message, fields } = refusal(() =>
      readMemberList('name,email,role\nAda,,\n ada ,,\n,x@y,\nBob,at home,\nEve,,guest\n'),
    );
    expect(code).toBe('members_unreadable');
    expect(message).toBe(
      'Line 3: it is the same as line 2. Line 4: it has no name. Line 5: its e-mail address is not valid. ' +
        'Line 6: its role is neither teacher nor student.',
    );
    expect(fields.map(({ loc }) => loc)).toEqual([3, 4, 5, 6].map((line) => ['body', line]));
  });

  test.each([
    ['without a column of names', 'first,last\nAda,Lovelace\n', 'members_unreadable'],
    ['in UTF-16 without a mark', 'n\0a\0m\0e\0\n\0A\0', 'members_unreadable'],
    ['empty', '', 'members_unreadable'],
    ['with a header only', 'name\n', 'members_unreadable'],
    ['with a quote that is not closed', 'name\n"Ada\n', 'members_unreadable'],
    ['of 5,000', `name\n${Array.from({ length: 5000 }, (_, at) => `n${at}`).join('\n')}`, 'too_many_members'],
  ])('%s is refused', (_what, text, code) => {
    expect(refusal(() => readMemberList(text)).code).toBe(code);
  });

  test('in JSON may not name anybody twice either', () => {
    expect(refusal(() => requireDistinct([{ name: 'Ada' }, { name: 'ADA' }])).message).toContain('line 1');
    expect(
      refusal(() =>
        requireDistinct([
          { name: 'Ada', username: 'a' },
          { name: 'Bob', username: 'a' },
        ]),
      ).code,
    ).toBe('members_unreadable');
  });

  test('reads back the names that it is written with', () => {
    const names = fc.uniqueArray(
      fc
        .string({ minLength: 1, maxLength: 20 })
        .filter((text) => /^[^\p{C}\p{Z}=+\-@'#][^\p{Cc}\u2028\u2029]*$/u.test(text)),
      { minLength: 1, selector: (text) => text.normalize('NFKC').trim().replace(/\s+/g, ' ').toLowerCase() },
    );
    fc.assert(
      fc.property(names, (list) => {
        const read = readMemberList(spreadsheetOf([['name'], ...list.map((name) => [name])]));
        expect(read.map(({ name }) => name)).toEqual(list.map((name) => name.trim()));
      }),
    );
  });
});

test('a cell that a spreadsheet would run as a formula is a text', () => {
  expect(spreadsheetOf([['=1+1', '-2', '@x', 'plain']])).toBe("\ufeff'=1+1,'-2,'@x,plain\r\n");
});
