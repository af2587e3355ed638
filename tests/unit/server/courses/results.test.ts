import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HandIn } from '../../../../server/contract/courses/assignments.ts';
import { resultsOf } from '../../../../server/contract/courses/results.ts';
import { readTable } from '../../../../server/contract/csv.ts';
import { resultsCsv, resultsJunit } from '../../../../server/courses/assignments/results.ts';

const handIn = (
  username: string,
  more: Partial<HandIn> = {},
  grade: Partial<HandIn['grade']> = {},
): HandIn => ({
  hand_in_id: '00000000-0000-4000-8000-000000000001',
  username,
  name: username,
  attempt: 1,
  at: '2026-11-30T10:00:00.000Z',
  filename: 'echo.v',
  bytes: 1,
  source_sha256: '',
  job_id: null,
  counts: true,
  grade: {
    state: 'graded',
    points: 3,
    of: 7,
    steps: [
      { title: 'Read', hidden: false, points: 3, of: 3, ok: true, message: null },
      { title: 'Write', hidden: true, points: 0, of: 4, ok: false, message: 'word 0 is <5> & "x"' },
    ],
    luts: 81,
    fmax: 60.5,
    error: null,
    graded_at: '2026-11-30T10:00:05.000Z',
    ...grade,
  },
  ...more,
});
const student = (username: string, name = username) => ({ username, name, role: 'student' as const });
const check = [{ title: 'Read' }, { title: 'Write' }];

const rowsOf = (csv: string): string[][] => {
  const table = readTable(csv);
  if (!('rows' in table)) throw new Error('The table cannot be read.');
  return table.rows.map(({ cells }) => cells);
};

test('the table has each student once, by name, with who has not handed in and who has left', () => {
  const students = [student('s2', 'Zoe'), student('s1', 'Ada')];
  const old = handIn('s1', { counts: false, attempt: 1 });
  const results = resultsOf(students, [old, handIn('s1', { attempt: 2 }), handIn('gone')]);
  expect(results.map(({ name, handIn: one }) => [name, one?.attempt])).toEqual([
    ['Ada', 2],
    ['gone', 1],
    ['Zoe', undefined],
  ]);
  expect(rowsOf(resultsCsv(check, results))).toEqual([
    [
      'username',
      'name',
      'attempt',
      'handed_in_at',
      'state',
      'points',
      'of',
      'Read',
      'Write',
      'luts',
      'fmax',
      'error',
    ],
    ['s1', 'Ada', '2', '2026-11-30T10:00:00.000Z', 'graded', '3', '7', '3', '0', '81', '60.5', ''],
    ['gone', 'gone', '1', '2026-11-30T10:00:00.000Z', 'graded', '3', '7', '3', '0', '81', '60.5', ''],
    ['s2', 'Zoe', '', '', 'not handed in', '0', '', '', '', '', '', ''],
  ]);
});

test('students of the same name are in the order of their usernames, numbers in names in theirs', () => {
  const students = [
    ['s2', 'Ada'],
    ['s1', 'Ada'],
    ['s4', 'Team 10'],
    ['s3', 'Team 9'],
  ] as const;
  const results = resultsOf(
    students.map(([username, name]) => student(username, name)),
    [],
  );
  expect(results.map(({ username }) => username)).toEqual(['s1', 's2', 's3', 's4']);
});

test('no cell begins as a formula does, and each text comes back', () => {
  const text = fc.string({ unit: fc.constantFrom(...'=+-@\t\ra"\',;1 ü'), minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(text, text, (name, title) => {
      const csv = resultsCsv([{ title }], resultsOf([student('s', name)], []));
      const cells = rowsOf(csv).flat();
      for (const cell of cells) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
      expect(cells).toContain(/^[=+\-@\t\r]/.test(name) ? `'${name}` : name);
    }),
  );
});

test('points of a check that was changed since stand under the titles that still exist', () => {
  const csv = resultsCsv([{ title: 'New' }, { title: 'Read' }], resultsOf([student('s')], [handIn('s')]));
  expect(rowsOf(csv)[1]?.slice(6, 9)).toEqual(['7', '', '3']);
});

test('JUnit has a suite a student and a case a step, with text that XML has', () => {
  const failed = handIn(
    'b',
    {},
    { state: 'failed', steps: [], points: 0, error: { code: 'no_slave', message: 'a<b' } },
  );
  const waiting = handIn('c', {}, { state: 'queued', steps: [], points: 0 });
  const xml = resultsJunit(
    'Lab "1"',
    resultsOf(
      ['a', 'b', 'c', 'd'].map((one) => student(one)),
      [handIn('a'), failed, waiting],
    ),
  );
  expect(xml).toContain('<testsuites name="Lab &#34;1&#34;" tests="4" failures="1" errors="1" skipped="1">');
  expect(xml.match(/<testsuite name/g)).toHaveLength(3);
  expect(xml).toContain('<testcase classname="a" name="Read"/>');
  expect(xml).toContain('<failure message="word 0 is &#60;5&#62; &#38; &#34;x&#34;"/>');
  expect(xml).toContain('<error type="no_slave" message="a&#60;b"/>');
  expect(xml).toContain('<skipped/>');
});
