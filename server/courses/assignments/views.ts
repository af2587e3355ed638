import type { AssignmentView, Grade, HandIn } from '../../contract/courses/assignments.ts';
import type { CourseRole } from '../../contract/courses/courses.ts';
import { membershipOf } from '../records.ts';
import type { AssignmentAccess, StoredAssignment, StoredHandIn } from './records.ts';

/** Title of a hidden step for a student. */
const HIDDEN = 'Hidden step';

/** Points of all steps of a check. */
export const pointsOf = (check: readonly { points: number }[]): number =>
  check.reduce((sum, { points }) => sum + points, 0);

/** The hand-in that counts of each member: the newest. */
export function countingOf(handIns: Iterable<StoredHandIn>): Map<string, StoredHandIn> {
  const newest = new Map<string, StoredHandIn>();
  for (const handIn of handIns)
    if (handIn.attempt > (newest.get(handIn.username)?.attempt ?? 0)) newest.set(handIn.username, handIn);
  return newest;
}

/** The check as a role may see it: students see neither hidden steps nor what the others do. */
export const checkFor = (
  { check }: Pick<StoredAssignment, 'check'>,
  role: CourseRole,
): AssignmentView['check'] =>
  role === 'teacher'
    ? check
    : check.flatMap(({ title, points, hidden }) => (hidden ? [] : [{ title, points, steps: [] }]));

/** Whether a deadline has passed; its own millisecond is in time. @param at ms since the epoch */
export const isLate = ({ deadline }: Pick<StoredAssignment, 'deadline'>, at: number): boolean =>
  deadline !== null && at > Date.parse(deadline);

/** An assignment as the caller may see it. @param handIns of everybody @param now ms since the epoch */
export function assignmentView(
  { assignment, course, username, role, closed }: AssignmentAccess,
  handIns: readonly StoredHandIn[],
  now: number,
): AssignmentView {
  const { course_id: _, created_at: _created, template, check, ...shown } = assignment;
  const isStudent = (user: string) => membershipOf(course, user)?.role !== 'teacher';
  const own = handIns.filter((one) => one.username === username);
  return {
    ...shown,
    open: assignment.published && !closed && !isLate(assignment, now),
    template: template && {
      filename: template.filename,
      bytes: template.bytes,
      documents: (['map', 'panel'] as const).filter((kind) => template[kind] !== null),
    },
    of: pointsOf(check),
    check: checkFor(assignment, role),
    handed_in: role === 'teacher' ? [...countingOf(handIns).keys()].filter(isStudent).length : own.length,
    best: countingOf(own).get(username)?.grade?.points ?? null,
  };
}

/**
 * Hand-ins of one assignment as the caller may see them, a student the own ones. One that waits for another grade shows
 * the one before.
 */
export function handInViews(
  all: readonly StoredHandIn[],
  { assignment, course, username, role }: AssignmentAccess,
  running: string | null,
): HandIn[] {
  const visible = role === 'teacher' ? all : all.filter((one) => one.username === username);
  const counting = new Set(countingOf(visible).values());
  const shown = (step: Grade['steps'][number]) =>
    step.hidden && role === 'student' ? { ...step, title: HIDDEN, message: null } : step;
  const none = { points: 0, of: pointsOf(assignment.check), steps: [], luts: null, fmax: null };
  return visible.map((handIn): HandIn => {
    const { assignment_id: _, options: _options, pending, grade, ...rest } = handIn;
    const waiting = handIn.hand_in_id === running ? 'running' : pending ? 'queued' : null;
    const state = waiting ?? (grade?.error ? 'failed' : 'graded');
    return {
      ...rest,
      name: membershipOf(course, handIn.username)?.name ?? handIn.name,
      counts: counting.has(handIn),
      grade: grade
        ? { ...grade, state, steps: grade.steps.map(shown) }
        : { ...none, state, error: null, graded_at: null },
    };
  });
}
