import type { Clock } from '../clock.ts';
import type { CourseSummary, CourseView, MemberView } from '../contract/courses/courses.ts';
import { byName } from '../contract/courses/results.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { NodePool } from '../jobs/pool.ts';
import type { Assignments } from './assignments/assignments.ts';
import type { Access, CourseCaller, Courses } from './courses.ts';
import { membershipOf, presentMembers, type StoredCourse, type StoredMember } from './records.ts';
import { bookedNodes } from './shares/bookings.ts';
import type { CourseShares } from './shares/course-shares.ts';

interface Parts {
  courses: Courses;
  assignments: Assignments;
  shares: CourseShares;
  keys: Pick<ApiKeys, 'list' | 'invites'>;
  pool: Pick<NodePool, 'use' | 'idleMs'>;
  clock: Clock;
}

/** Courses as their members, teachers and operators see them. */
export class CourseViews {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Courses of the caller by name; an operator gets all. */
  list({ owner, operator, provenOperator }: CourseCaller): CourseSummary[] {
    const { courses, assignments } = this.#parts;
    return courses.all
      .filter((course) => operator || provenOperator || membershipOf(course, owner))
      .map((course): CourseSummary => {
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
  }

  /** As much of a course as the caller may see: a student sees itself and the teachers. */
  course({ course, role, username, closed }: Access): CourseView {
    const { members, next_number: _next, keys_revoked: _revoked, created_at: _created, ...shown } = course;
    const viewOf = this.#memberViews(course);
    const isWhole = (member: StoredMember) => role === 'teacher' || member.username === username;
    return {
      ...shown,
      closed,
      role: membershipOf(course, username)?.role ?? null,
      username,
      code: role === 'teacher' ? course.code : null,
      booked_now: bookedNodes(course, this.#parts.clock.now()),
      members: presentMembers({ members })
        .filter((member) => isWhole(member) || member.role === 'teacher')
        .map((member) => ({ ...viewOf(member), ...(!isWhole(member) && { email: null }) }))
        .sort(byName),
    };
  }

  #memberViews(course: StoredCourse): (member: StoredMember) => MemberView {
    const { keys, pool, shares, clock } = this.#parts;
    const use = pool.use();
    const signedIn = new Set(keys.list().map(({ username }) => username));
    const invited = new Set(keys.invites().map(({ username }) => username));
    return ({ own_key: _, left: _left, ...member }) => {
      const { username } = member;
      const idle = use.nodes.flatMap(({ holder, fpgaId }) =>
        holder === username ? [pool.idleMs(fpgaId)] : [],
      );
      return {
        ...member,
        invited: invited.has(username),
        signed_in: signedIn.has(username),
        used: shares.usageOf(username, course.time_zone, use),
        last_access_at: idle.length > 0 ? new Date(clock.now() - Math.min(...idle)).toISOString() : null,
      };
    };
  }
}
