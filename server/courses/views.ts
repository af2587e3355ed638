import type { Clock } from '../clock.ts';
import type { CourseSummary, CourseView, MemberView } from '../contract/courses/courses.ts';
import { byName } from '../contract/courses/results.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { NodePool } from '../jobs/node-pool.ts';
import type { Assignments } from './assignments/assignments.ts';
import type { Access, CourseCaller, Courses } from './courses.ts';
import { membershipOf, presentMembers, type StoredMember } from './records.ts';
import { bookedNodes } from './shares/bookings.ts';
import type { CourseShares } from './shares/course-shares.ts';

/** What views are made from. */
interface Parts {
  courses: Courses;
  assignments: Assignments;
  shares: CourseShares;
  keys: Pick<ApiKeys, 'list' | 'invites'>;
  pool: Pick<NodePool, 'use' | 'idleMs'>;
  clock: Clock;
}

/** Courses of the caller by name; an operator gets all. */
export const listCourses = (
  { courses, assignments }: Parts,
  { owner, operator, provenOperator }: CourseCaller,
): CourseSummary[] =>
  courses.all
    .filter((course) => operator || provenOperator || membershipOf(course, owner))
    .map((course) => {
      const members = presentMembers(course);
      const role = membershipOf(course, owner)?.role ?? null;
      const raised = members
        .flatMap(({ username, name, hand }) => (hand ? [{ username, name, ...hand }] : []))
        .sort((a, b) => (a.at < b.at ? -1 : 1));
      return {
        course_id: course.course_id,
        name: course.name,
        role,
        closed: courses.isOver(course),
        members: members.length,
        assignments: assignments.of(course.course_id).length,
        hands: raised.length,
        raised: role === 'student' ? [] : raised,
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));

/** As much of a course as the caller may see: a student sees itself and the teachers. */
export function courseView(
  { keys, pool, shares, clock }: Parts,
  { course, role, username, closed }: Access,
): CourseView {
  const { members, next_number: _next, keys_revoked: _revoked, created_at: _created, ...shown } = course;
  const use = pool.use();
  const signedIn = new Set(keys.list().map((one) => one.username));
  const invited = new Set(keys.invites().map((one) => one.username));
  const isWhole = (member: StoredMember) => role === 'teacher' || member.username === username;
  const viewOf = (member: StoredMember): MemberView => {
    const { own_key: _, left: _left, ...record } = member;
    const own = use.nodes.filter(({ holder }) => holder === member.username);
    const idle = own.map(({ fpgaId }) => pool.idleMs(fpgaId));
    return {
      ...record,
      email: isWhole(member) ? member.email : null,
      invited: invited.has(member.username),
      signed_in: signedIn.has(member.username),
      used: shares.usageOf(member.username, course.time_zone, use),
      last_access_at: idle.length > 0 ? new Date(clock.now() - Math.min(...idle)).toISOString() : null,
    };
  };
  return {
    ...shown,
    closed,
    role: membershipOf(course, username)?.role ?? null,
    username,
    code: role === 'teacher' ? course.code : null,
    booked_now: bookedNodes(course, clock.now()),
    members: presentMembers(course)
      .filter((member) => isWhole(member) || member.role === 'teacher')
      .map(viewOf)
      .sort(byName),
  };
}
