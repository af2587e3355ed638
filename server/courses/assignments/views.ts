import type { AssignmentView, Grade, HandIn } from '../../contract/courses/assignments.ts';
import type { CourseRole } from '../../contract/courses/courses.ts';
import type { StoredAssignment, StoredGrade, StoredHandIn } from './records.ts';
import { countingOf, isOpen, pointsOf } from './rules.ts';

/** Title of a hidden step for a student. */
const HIDDEN = 'Hidden step';

/** Who looks, and when. */
export interface Viewer {
  username: string;
  role: CourseRole;
  /** The course's term is over. */
  closed: boolean;
  /** Milliseconds since the epoch. */
  now: number;
}

/** The check as a role may see it: students see neither hidden steps nor what the others do. */
export const checkFor = (
  { check }: Pick<StoredAssignment, 'check'>,
  role: CourseRole,
): AssignmentView['check'] =>
  role === 'teacher'
    ? check
    : check.flatMap(({ title, points, hidden }) => (hidden ? [] : [{ title, points, steps: [] }]));

/** An assignment as the viewer may see it. @param handIns of everybody @param teachers their usernames */
export function assignmentView(
  assignment: StoredAssignment,
  handIns: readonly StoredHandIn[],
  { username, role, closed, now }: Viewer,
  teachers: ReadonlySet<string>,
): AssignmentView {
  const { assignment_id, title, text, deadline, attempts, published, template, check } = assignment;
  const students = handIns.filter((one) => !teachers.has(one.username));
  const own = handIns.filter((one) => one.username === username);
  return {
    assignment_id,
    title,
    text,
    deadline,
    attempts,
    published,
    open: isOpen(assignment, closed, now),
    template: template && {
      filename: template.filename,
      bytes: template.bytes,
      documents: (['map', 'panel'] as const).filter((kind) => template[kind] !== null),
    },
    of: pointsOf(check),
    check: checkFor(assignment, role),
    handed_in: role === 'teacher' ? countingOf(students).size : own.length,
    best: countingOf(own).get(username)?.grade?.points ?? null,
  };
}

/** The steps of a grade as the viewer may see them. */
const stepsFor = ({ steps }: StoredGrade, role: CourseRole): Grade['steps'] =>
  role === 'teacher'
    ? steps
    : steps.map((step) => (step.hidden ? { ...step, title: HIDDEN, message: null } : step));

/** A hand-in as the viewer may see it; while it waits for another grade, it shows the one before. */
export function handInView(
  { assignment_id: _, source_sha256, options: _options, pending, grade, ...handIn }: StoredHandIn,
  {
    role,
    name,
    counts,
    running,
    of,
  }: {
    role: CourseRole;
    /** The member’s. */
    name: string;
    counts: boolean;
    /** It is being graded. */
    running: boolean;
    /** Points of the check. */
    of: number;
  },
): HandIn {
  const state = running ? 'running' : pending ? 'queued' : grade?.error ? 'failed' : 'graded';
  return {
    ...handIn,
    name,
    source_sha256,
    counts,
    grade: grade
      ? { ...grade, state, steps: stepsFor(grade, role) }
      : { state, points: 0, of, steps: [], luts: null, fmax: null, error: null, graded_at: null },
  };
}
