import type { HandIn } from '../../contract/courses/assignments.ts';
import { xmlText } from '../../scripts/junit.ts';
import { csvTable } from '../csv-table.ts';
import type { CourseMember } from '../directory.ts';

/** A student with the hand-in that counts; null without one. */
export interface Result {
  member: Pick<CourseMember, 'username' | 'name'>;
  handIn: HandIn | null;
}

/** The students of a course, and those who have left, each with the hand-in that counts; by name. */
export function resultsOf(members: readonly CourseMember[], handIns: readonly HandIn[]): Result[] {
  const counting = new Map(handIns.filter(({ counts }) => counts).map((one) => [one.username, one]));
  const students = members.filter(({ role }) => role === 'student');
  const known = new Set(members.map(({ username }) => username));
  const gone = [...counting.values()].filter(({ username }) => !known.has(username));
  return [...students, ...gone]
    .map(({ username, name }) => ({ member: { username, name }, handIn: counting.get(username) ?? null }))
    .sort(
      (a, b) =>
        a.member.name.localeCompare(b.member.name, undefined, { numeric: true }) ||
        (a.member.username < b.member.username ? -1 : 1),
    );
}

/** A table with a row for each student and a column for each step of the check; cells of other checks are empty. */
export function resultsCsv(check: readonly { title: string }[], results: readonly Result[]): string {
  const titles = check.map(({ title }) => title);
  const head = ['username', 'name', 'attempt', 'handed_in_at', 'state', 'points', 'of', ...titles];
  const rows = results.map(({ member: { username, name }, handIn }) => {
    if (!handIn)
      return [
        username,
        name,
        null,
        null,
        'not handed in',
        0,
        ...new Array<null>(titles.length + 4).fill(null),
      ];
    const { attempt, at, grade } = handIn;
    const steps = titles.map((title, i) => {
      const step =
        grade.steps[i]?.title === title ? grade.steps[i] : grade.steps.find((one) => one.title === title);
      return step?.points ?? null;
    });
    const { state, points, of, luts, fmax, error } = grade;
    return [username, name, attempt, at, state, points, of, ...steps, luts, fmax, error?.message ?? ''];
  });
  return csvTable([[...head, 'luts', 'fmax', 'error'], ...rows]);
}

/** JUnit XML: a suite for each student who has handed in, with a test case for each step. */
export function resultsJunit(title: string, results: readonly Result[]): string {
  const suites = results.flatMap(({ member: { username, name }, handIn }) => {
    if (!handIn) return [];
    const { steps, error, state } = handIn.grade;
    const cases = steps.map(({ title: step, ok, message }) =>
      testcase(username, step, ok ? null : `<failure message="${xmlText(message ?? '')}"/>`),
    );
    if (error)
      cases.push(
        testcase(
          username,
          title,
          `<error type="${xmlText(error.code)}" message="${xmlText(error.message)}"/>`,
        ),
      );
    else if (steps.length === 0 && state !== 'graded') cases.push(testcase(username, title, '<skipped/>'));
    const failures = steps.filter(({ ok }) => !ok).length;
    const counts = `tests="${cases.length}" failures="${failures}" errors="${error ? 1 : 0}"`;
    return [
      `  <testsuite name="${xmlText(name)}" ${counts} timestamp="${handIn.at.slice(0, 19)}">`,
      ...cases,
      '  </testsuite>',
    ];
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${xmlText(title)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function testcase(owner: string, name: string, inner: string | null): string {
  const head = `    <testcase classname="${xmlText(owner)}" name="${xmlText(name)}"`;
  return inner === null ? `${head}/>` : `${head}>\n      ${inner}\n    </testcase>`;
}
