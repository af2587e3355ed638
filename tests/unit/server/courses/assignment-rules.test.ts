import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StoredAssignment, StoredHandIn } from '../../../../server/courses/assignments/records.ts';
import { countingOf, isOpen, requireMayHandIn } from '../../../../server/courses/assignments/rules.ts';
import { assignmentView, checkFor, handInView } from '../../../../server/courses/assignments/views.ts';

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

const code = (work: () => void): string | null => {
  try {
    work();
    return null;
  } catch (error) {
    return (error as { code: string }).code;
  }
};

test('a hand-in is accepted up to its deadline, to the millisecond, and never after it', () => {
  fc.assert(
    fc.property(fc.integer({ min: -1e9, max: 1e9 }), (offset) => {
      const at = DEADLINE + offset;
      const refused = code(() => requireMayHandIn(assignment, { closed: false, at, earlier: 0 }));
      expect(refused).toBe(offset > 0 ? 'deadline_passed' : null);
      expect(isOpen(assignment, false, at)).toBe(offset <= 0);
    }),
  );
  expect(
    code(() =>
      requireMayHandIn({ deadline: null, attempts: null }, { closed: false, at: 9e15, earlier: 99 }),
    ),
  ).toBe(null);
});

test('attempts end, also where their number is free; a closed course takes none', () => {
  const at = DEADLINE;
  expect(code(() => requireMayHandIn(assignment, { closed: false, at, earlier: 1 }))).toBe(null);
  expect(code(() => requireMayHandIn(assignment, { closed: false, at, earlier: 2 }))).toBe(
    'no_attempts_left',
  );
  const free = { deadline: null, attempts: null };
  expect(code(() => requireMayHandIn(free, { closed: false, at, earlier: 100 }))).toBe('no_attempts_left');
  expect(code(() => requireMayHandIn(free, { closed: true, at, earlier: 0 }))).toBe('course_closed');
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
  const viewer = { username: 'ada', role: 'student', closed: false, now: 0 } as const;
  const grade = { points: 3, of: 7, steps: [], luts: null, fmax: null, error: null, graded_at: '' };
  const handIns = [handIn('ada', 1, { grade }), handIn('bob', 1), handIn('tess', 1)];
  expect(assignmentView(assignment, handIns, viewer, new Set(['tess']))).toMatchObject({
    of: 7,
    handed_in: 1,
    best: 3,
  });
  const teacher = { ...viewer, username: 'tess', role: 'teacher' } as const;
  expect(assignmentView(assignment, handIns, teacher, new Set(['tess']))).toMatchObject({
    handed_in: 2,
    best: null,
  });
});

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
  const view = { role: 'student', name: 'Ada', counts: true, running: false, of: 7 } as const;
  const graded = handIn('ada', 1, { grade });
  expect(handInView(graded, view).grade.steps).toEqual([{ ...step, title: 'Hidden step', message: null }]);
  expect(handInView(graded, { ...view, role: 'teacher' }).grade.steps).toEqual([step]);
  expect(JSON.stringify(handInView(graded, view))).not.toMatch(/Secret|0x0/);
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
  const view = { role: 'teacher', name: 'Ada', counts: true, running: false, of: 7 } as const;
  expect(handInView(handIn('ada', 1, { pending: true }), view).grade).toMatchObject({
    state: 'queued',
    points: 0,
    of: 7,
  });
  const again = handIn('ada', 1, { pending: true, grade });
  expect(handInView(again, view).grade).toMatchObject({ state: 'queued', points: 4, of: 4 });
  expect(handInView(again, { ...view, running: true }).grade.state).toBe('running');
  const failed = { ...grade, error: { code: 'x', message: 'y' } };
  expect(handInView(handIn('ada', 1, { grade: failed }), view).grade.state).toBe('failed');
});
