import type { AssignmentView, Grade, HandIn } from '../../../server/contract/courses/assignments.ts';
import type { CourseView, MemberView } from '../../../server/contract/courses/courses.ts';

/** A student who has signed in and has no other activity. */
export const member = (username: string, change: Partial<MemberView> = {}): MemberView => ({
  username,
  name: username,
  role: 'student',
  email: null,
  invited: false,
  signed_in: true,
  shares: null,
  used: { sessions: 0, day_minutes: 0, queued_jobs: 0 },
  hand: null,
  ...change,
});

/** A course as its teacher sees it. */
export const course = (change: Partial<CourseView> = {}): CourseView => ({
  course_id: 'dd1',
  name: 'Digital design 1',
  time_zone: 'Europe/Berlin',
  ends_on: null,
  group: null,
  shares: {},
  priority: 0,
  bookings: [],
  closed: false,
  role: 'teacher',
  username: 'prof',
  code: null,
  booked_now: 0,
  members: [
    member('prof', { name: 'Prof. Turing', role: 'teacher' }),
    member('dd1-01', { name: 'Ada Lovelace' }),
    member('dd1-02', { name: 'Chen Wei', signed_in: false }),
  ],
  ...change,
});

export const ASSIGNMENT_ID = '11111111-1111-4111-8111-111111111111';

/** A published assignment of two steps, one of them hidden. */
export const assignment = (change: Partial<AssignmentView> = {}): AssignmentView => ({
  assignment_id: ASSIGNMENT_ID,
  title: 'Counter',
  text: 'Count **up**.',
  deadline: null,
  attempts: 3,
  published: true,
  open: true,
  template: { filename: 'counter.v', bytes: 10, documents: [] },
  of: 3,
  check: [
    { title: 'Counts', points: 2, steps: [{ op: 'read', address: 0, expect: [1] }] },
    { title: 'Wraps', points: 1, hidden: true, steps: [{ op: 'read', address: 4, expect: [0] }] },
  ],
  handed_in: 0,
  best: null,
  ...change,
});

/** A grade that got the points of its steps, of two and one. */
export const grade = (...[counts, wraps]: readonly [number, number]): Grade => ({
  state: 'graded',
  points: counts + wraps,
  of: 3,
  steps: [
    { title: 'Counts', hidden: false, points: counts, of: 2, ok: counts === 2, message: null },
    { title: 'Wraps', hidden: true, points: wraps, of: 1, ok: wraps === 1, message: 'Read 1, not 0.' },
  ],
  luts: 100 + counts,
  fmax: 60,
  error: null,
  graded_at: '2026-01-02T10:00:00.000Z',
});

export const handIn = (username: string, name: string, change: Partial<HandIn> = {}): HandIn => ({
  hand_in_id: `22222222-2222-4222-8222-2222222222${username.slice(-2)}`,
  username,
  name,
  attempt: 1,
  at: '2026-01-02T10:00:00.000Z',
  filename: 'counter.v',
  bytes: 10,
  source_sha256: 'ab',
  job_id: null,
  counts: true,
  grade: grade(2, 0),
  ...change,
});
