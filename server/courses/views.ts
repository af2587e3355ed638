import type { Clock } from '../clock.ts';
import type { CourseSummary, CourseView, MemberView } from '../contract/courses/courses.ts';
import type { ShareUse } from '../contract/courses/shares.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { NodePool } from '../jobs/pool.ts';
import type { Assignments } from './assignments/assignments.ts';
import type { Access, CourseCaller, Courses } from './courses.ts';
import { membershipOf, presentMembers, type StoredCourse, type StoredMember } from './records.ts';
import { bookedNodes } from './shares/bookings.ts';
import type { CourseShares } from './shares/course-shares.ts';

/** What views are made of. */
export interface ViewParts {
  courses: Courses;
  assignments: Assignments;
  shares: CourseShares;
  keys: Pick<ApiKeys, 'list' | 'invites'>;
  pool: Pick<NodePool, 'use' | 'idleMs'>;
  clock: Clock;
}

/** Courses as their members, teachers and operators see them. */
export class CourseViews {
  readonly #parts: ViewParts;

  constructor(parts: ViewParts) {
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
  course({ course, role, username }: Access): CourseView {
    const { courses, clock } = this.#parts;
    const { course_id, name, time_zone, ends_on, group, priority, bookings, code } = course;
    const viewOf = this.#memberViews(course);
    const members = presentMembers(course)
      .filter((member) => role === 'teacher' || member.role === 'teacher' || member.username === username)
      .map((member) => {
        const view = viewOf(member);
        return role === 'teacher' || member.username === username ? view : { ...view, email: null };
      })
      .sort((a, b) => a.name.localeCompare(b.name) || (a.username < b.username ? -1 : 1));
    return {
      ...{ course_id, name, time_zone, ends_on, group, priority, bookings },
      shares: course.shares,
      closed: courses.isOver(course),
      role: membershipOf(course, username)?.role ?? null,
      username,
      code: role === 'teacher' ? code : null,
      booked_now: bookedNodes(course, clock.now()),
      members,
    };
  }

  /** A member as teachers see it. @throws course_not_found, member_not_found. */
  member(courseId: string, username: string): MemberView {
    const { courses } = this.#parts;
    const course = courses.find(courseId);
    return this.#memberViews(course)(courses.requireMember(course, username));
  }

  /** What a user has used of the bench today, by the clock of a course. */
  useOf(username: string, { time_zone }: StoredCourse): ShareUse {
    const { shares, pool } = this.#parts;
    return shares.usageOf(username, time_zone, pool.use());
  }

  #memberViews(course: StoredCourse): (member: StoredMember) => MemberView {
    const { keys, pool, shares, clock } = this.#parts;
    const use = pool.use();
    const signedIn = new Set(keys.list().map(({ username }) => username));
    const invited = new Set(keys.invites().map(({ username }) => username));
    const lastAccess = (username: string): string | null => {
      const held = use.nodes.filter(({ holder }) => holder === username);
      if (held.length === 0) return null;
      const idle = Math.min(...held.map(({ fpgaId }) => pool.idleMs(fpgaId)));
      return new Date(clock.now() - idle).toISOString();
    };
    return ({ own_key: _, left: _left, ...member }) => ({
      ...member,
      invited: invited.has(member.username),
      signed_in: signedIn.has(member.username),
      used: shares.usageOf(member.username, course.time_zone, use),
      last_access_at: lastAccess(member.username),
    });
  }
}
