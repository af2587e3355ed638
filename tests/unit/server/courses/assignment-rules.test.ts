import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkOf } from '../../../../server/contract/check.ts';
import { Grade, type HandIn } from '../../../../server/contract/courses/assignments.ts';
import type { StoredAssignment, StoredHandIn } from '../../../../server/courses/assignments/records.ts';
import {
  assignmentView,
  checkFor,
  countingOf,
  handInViews,
  isLate,
} from '../../../../server/courses/assignments/views.ts';
import { course, student } from '../../../support/courses/share-model.ts';

const DEADLINE = Date.parse('2026-12-01T12:00:00Z');
const assignment: StoredAssignment = {
  assignment_id: '00000000-0000-4000-8000-000000000001',
  course_id: 'lab',
  title: 'Echo',
  text: '',
  deadline: new Date(DEADLINE).toISOString(),
  attempts: 2,
  published: true,
  template: null,
  check: [
    { title: 'Open', points: 3, steps: [{ op: 'read', address: 0 }] },
    { title: 'Secret', points: 4, hidden: true, steps: [{ op: 'read', address: 4 }] },
  ],
  created_at: '2026-11-01T00:00:00.000Z',
};

const handIn = (username: string, attempt: number, more: Partial<StoredHandIn> = {}): StoredHandIn => ({
  hand_in_id: `${username}-${attempt}`,
  assignment_id: assignment.assignment_id,
  username,
  name: username.toUpperCase(),
  attempt,
  at: '2026-11-30T00:00:00.000Z',
  filename: 'echo.v',
  bytes: 1,
  source_sha256: '0'.repeat(64),
  options: {},
  job_id: '00000000-0000-4000-8000-000000000002',
  pending: false,
  grade: null,
  ...more,
});

const access = (username: string, role: 'teacher' | 'student', closed = false) => ({
  assignment,
  course: course('lab', [student('ada'), { ...student('tess'), role: 'teacher' }]),
  username,
  role,
  closed,
});

test('a hand-in is accepted up to its deadline, to the millisecond, and never after it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), (offset) => {
      const at = DEADLINE + offset;
      expect(isLate(assignment, at)).toBe(offset > 0);
      expect(assignmentView(access('ada', 'student'), [], at).open).toBe(offset <= 0);
    }),
  );
  expect(isLate({ deadline: null }, 9e15)).toBe(false);
  expect(assignmentView(access('ada', 'student', true), [], 0).open).toBe(false);
});

test('the newest hand-in of each member counts, in whatever order they are stored', () => {
  const all = [handIn('ada', 1), handIn('ada', 2), handIn('ada', 3), handIn('bob', 1)];
  fc.assert(
    fc.property(fc.shuffledSubarray(all, { minLength: 4 }), (shuffled) => {
      const counting = countingOf(shuffled);
      expect([...counting.keys()].sort()).toEqual(['ada', 'bob']);
      expect(counting.get('ada')?.attempt).toBe(3);
    }),
  );
});

test('a student sees neither hidden steps of the check nor what any step does; the points of all count', () => {
  expect(checkFor(assignment, 'teacher')).toEqual(assignment.check);
  expect(checkFor(assignment, 'student')).toEqual([{ title: 'Open', points: 3, steps: [] }]);
  const grade = { points: 3, of: 7, steps: [], luts: null, fmax: null, error: null, graded_at: '' };
  const handIns = [handIn('ada', 1, { grade }), handIn('bob', 1), handIn('tess', 1)];
  expect(assignmentView(access('ada', 'student'), handIns, 0)).toMatchObject({
    of: 7,
    handed_in: 1,
    best: 3,
  });
  expect(assignmentView(access('tess', 'teacher'), handIns, 0)).toMatchObject({
    handed_in: 2,
    best: null,
  });
});

function viewOf(
  one: StoredHandIn,
  { role = 'teacher' as 'teacher' | 'student', running = false } = {},
): HandIn {
  const [view] = handInViews([one], access('ada', role), running ? one.hand_in_id : null);
  return view as HandIn;
}

test('the result of a hidden step has no title and no message for a student', () => {
  const step = { title: 'Secret', hidden: true, points: 0, of: 4, ok: false, message: 'word 0 is 0x0' };
  const grade = {
    points: 0,
    of: 4,
    steps: [step],
    luts: 9,
    fmax: 50,
    error: null,
    graded_at: '2026-12-01T00:00:00Z',
  };
  const graded = handIn('ada', 1, { grade });
  const stepsFor = (role: 'teacher' | 'student') => viewOf(graded, { role }).grade.steps;
  expect(stepsFor('student')).toEqual([{ ...step, title: 'Hidden step', message: null }]);
  expect(stepsFor('teacher')).toEqual([step]);
  expect(JSON.stringify(viewOf(graded, { role: 'student' }))).not.toMatch(/Secret|0x0/);
});

test('a hand-in that waits for another grade still shows the one before', () => {
  const grade = {
    points: 4,
    of: 4,
    steps: [],
    luts: 9,
    fmax: 50,
    error: null,
    graded_at: '2026-12-01T00:00:00Z',
  };
  expect(viewOf(handIn('ada', 1, { pending: true })).grade).toMatchObject({
    state: 'queued',
    points: 0,
    of: 7,
  });
  const again = handIn('ada', 1, { pending: true, grade });
  expect(viewOf(again).grade).toMatchObject({ state: 'queued', points: 4, of: 4 });
  expect(viewOf(again, { running: true }).grade.state).toBe('running');
  const failed = { ...grade, error: { code: 'x', message: 'y' } };
  expect(viewOf(handIn('ada', 1, { grade: failed })).grade.state).toBe('failed');
});

test('a grade may have more points than one step', () => {
  const grade = { state: 'graded', points: 1500, of: 2000, steps: [], luts: null, fmax: null, error: null };
  expect(checkOf(Grade)({ ...grade, graded_at: null })).toBe(true);
});
