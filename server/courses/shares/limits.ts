import type { Shares } from '../../contract/courses/shares.ts';
import { presentMembers, type StoredCourse, type StoredMember } from '../records.ts';

export type Limit = keyof Shares;

/** A membership of a user in a course whose term is not over. */
export interface Membership {
  course: StoredCourse;
  member: StoredMember;
}

/** The memberships of every user. */
export function membershipsOf(open: readonly StoredCourse[]): Map<string, Membership[]> {
  const found = new Map<string, Membership[]>();
  for (const course of open)
    for (const member of presentMembers(course))
      found.set(member.username, [...(found.get(member.username) ?? []), { course, member }]);
  return found;
}

/** A limit in one course: the member’s own, else the course’s. Teachers have none. */
const limitIn = ({ course, member }: Membership, limit: Limit): number =>
  member.role === 'teacher'
    ? Number.POSITIVE_INFINITY
    : ({ ...course.shares, ...member.shares }[limit] ?? Number.POSITIVE_INFINITY);

/** A user’s limit, infinite where there is none: of several courses the most generous counts. */
export const limitOf = (memberships: readonly Membership[], limit: Limit): number =>
  memberships.length === 0
    ? Number.POSITIVE_INFINITY
    : Math.max(...memberships.map((one) => limitIn(one, limit)));
