import type { CourseRole, CourseSummary, CourseView, MemberView } from '../contract/courses/courses.ts';
import type { ShareUse } from '../contract/courses/shares.ts';
import type { CourseCaller } from './directory.ts';
import { localTime } from './local-time.ts';
import { presentMembers, type StoredCourse, type StoredMember } from './records.ts';

/** What a view shows besides the record. */
export interface ViewFacts {
  now: number;
  signedIn: ReadonlySet<string>;
  invited: ReadonlySet<string>;
  usageOf(username: string): ShareUse;
  /** Ms since the epoch; null for a user without a node. */
  lastAccess(username: string): number | null;
  bookedNow: number;
  assignments: number;
}

/** Whether the last day of the term has passed, by the clock of the course. */
export const isOver = ({ ends_on, time_zone }: StoredCourse, now: number): boolean =>
  ends_on !== null && localTime(time_zone, now).date > ends_on;

/** The membership of a caller; an operator may have none. */
export const membershipOf = (course: StoredCourse, username: string): StoredMember | undefined =>
  course.members.find((member) => member.username === username && !member.left);

/** As teachers see it, or as the member itself and other students do. */
export function memberView(
  member: StoredMember,
  facts: ViewFacts,
  viewer: CourseRole,
  own = false,
): MemberView {
  const { username, name, role, email, shares, hand } = member;
  const accessed = facts.lastAccess(username);
  return {
    username,
    name,
    role,
    email: viewer === 'teacher' || own ? email : null,
    invited: facts.invited.has(username),
    signed_in: facts.signedIn.has(username),
    shares,
    used: facts.usageOf(username),
    last_access_at: accessed === null ? null : new Date(accessed).toISOString(),
    hand,
  };
}

export function courseView(
  course: StoredCourse,
  role: CourseRole,
  caller: CourseCaller,
  facts: ViewFacts,
): CourseView {
  const { course_id, name, time_zone, ends_on, group, shares, priority, bookings } = course;
  const isOwn = ({ username }: StoredMember) => username === caller.owner;
  const members = presentMembers(course)
    .filter((member) => role === 'teacher' || member.role === 'teacher' || isOwn(member))
    .map((member) => memberView(member, facts, role, isOwn(member)))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.username < b.username ? -1 : 1));
  return {
    course_id,
    name,
    time_zone,
    ends_on,
    group,
    shares,
    priority,
    bookings,
    closed: isOver(course, facts.now),
    role: membershipOf(course, caller.owner)?.role ?? null,
    username: caller.owner,
    code: role === 'teacher' ? course.code : null,
    booked_now: facts.bookedNow,
    members,
  };
}

export function courseSummary(course: StoredCourse, caller: CourseCaller, facts: ViewFacts): CourseSummary {
  const members = presentMembers(course);
  return {
    course_id: course.course_id,
    name: course.name,
    role: membershipOf(course, caller.owner)?.role ?? null,
    closed: isOver(course, facts.now),
    members: members.length,
    assignments: facts.assignments,
    hands: members.filter(({ hand }) => hand !== null).length,
  };
}
