import { MAX_ATTEMPTS } from '../../contract/courses/assignments.ts';
import { coursesError } from '../../errors/courses.ts';
import type { StoredAssignment, StoredHandIn } from './records.ts';

/** Whether members may hand in at a moment, ms since the epoch; the deadline itself is in time. */
export const isOpen = (
  { published, deadline }: Pick<StoredAssignment, 'published' | 'deadline'>,
  closed: boolean,
  now: number,
): boolean => published && !closed && (deadline === null || now <= Date.parse(deadline));

/**
 * Refuses a hand-in that comes too late or too often.
 * @param closed the term is over @param at moment of the request, ms @param earlier hand-ins of the member
 * @throws course_closed, deadline_passed, no_attempts_left.
 */
export function requireMayHandIn(
  assignment: Pick<StoredAssignment, 'deadline' | 'attempts'>,
  { closed, at, earlier }: { closed: boolean; at: number; earlier: number },
): void {
  if (closed) throw coursesError('course_closed');
  const { deadline, attempts } = assignment;
  if (deadline !== null && at > Date.parse(deadline)) throw coursesError('deadline_passed');
  if (earlier >= (attempts ?? MAX_ATTEMPTS)) throw coursesError('no_attempts_left');
}

/** The hand-in that counts of each member: the newest. */
export function countingOf(handIns: Iterable<StoredHandIn>): Map<string, StoredHandIn> {
  const newest = new Map<string, StoredHandIn>();
  for (const handIn of handIns)
    if (handIn.attempt > (newest.get(handIn.username)?.attempt ?? 0)) newest.set(handIn.username, handIn);
  return newest;
}

/** Points of all steps of a check. */
export const pointsOf = (check: readonly { points: number }[]): number =>
  check.reduce((sum, { points }) => sum + points, 0);
