import type { Clock } from '../clock.ts';
import {
  type AddedMembers,
  type CourseChange,
  type CourseRequest,
  type CourseRole,
  MAX_COURSES,
  MAX_MEMBERS,
} from '../contract/courses/courses.ts';
import { ownTimeZone } from '../contract/wall-clock.ts';
import { coursesError } from '../errors/courses.ts';
import type { EventHub } from '../events/events.ts';
import type { ApiKeys } from '../identity/keys.ts';
import type { StoredDocument } from '../store/document.ts';
import type { ListedMember } from './member-list.ts';
import { courseIdOf, plainCode, sameName, usernameOf } from './names.ts';
import {
  isOver,
  membershipOf,
  presentMembers,
  requireMember,
  type StoredCourse,
  type StoredMember,
} from './records.ts';
import { requireNodesFor } from './shares/bookings.ts';

/** The sender of a request, as far as courses ask. */
export interface CourseCaller {
  /** The user; owner of its jobs. */
  owner: string;
  /** A teacher of every course, unless it is a member. */
  operator: boolean;
  /** A teacher of every course, by a token or a key. */
  provenOperator?: boolean;
}

/** A course with the role that its caller has in it. */
export interface Access {
  readonly course: StoredCourse;
  readonly username: string;
  readonly role: CourseRole;
  /** Its term is over. */
  readonly closed: boolean;
}

export interface CoursesOptions {
  document: StoredDocument<StoredCourse[]>;
  keys: ApiKeys;
  events: Pick<EventHub, 'publish'>;
  clock: Clock;
  /** Whether a user owns anything on the bench. */
  isUser(username: string): boolean;
}

/** The stored courses and their members. A change is on disk before its promise resolves, and announced then. */
export class Courses {
  readonly #options: CoursesOptions;

  constructor(options: CoursesOptions) {
    this.#options = options;
  }

  get all(): readonly StoredCourse[] {
    return this.#options.document.value;
  }

  /** Courses whose term is not over. */
  get open(): readonly StoredCourse[] {
    return this.all.filter((course) => !this.isOver(course));
  }

  isOver = (course: StoredCourse): boolean => isOver(course, this.#options.clock.now());

  /** @throws course_not_found. */
  find(courseId: string): StoredCourse {
    const course = this.all.find(({ course_id }) => course_id === courseId);
    if (!course) throw coursesError('course_not_found');
    return course;
  }

  /** For members. @throws course_not_found, not_course_member. */
  access(courseId: string, { owner: username, operator, provenOperator }: CourseCaller): Access {
    const course = this.find(courseId);
    // On the bench’s own computer everybody is an operator: a member there is still what the course says.
    const member = provenOperator ? undefined : membershipOf(course, username);
    const role = member?.role ?? (operator || provenOperator ? 'teacher' : null);
    if (role === null) throw coursesError('not_course_member');
    return { course, username, role, closed: this.isOver(course) };
  }

  /** For teachers, and for the member with the username. @throws as access, and not_course_teacher. */
  teacher(courseId: string, caller: CourseCaller, orSelf?: string): Access {
    const access = this.access(courseId, caller);
    if (access.role !== 'teacher' && caller.owner !== orSelf) throw coursesError('not_course_teacher');
    return access;
  }

  /** For what a course does only during its term. @throws as teacher, and course_closed. */
  teacherInTerm(courseId: string, caller: CourseCaller): Access {
    const access = this.teacher(courseId, caller);
    if (access.closed) throw coursesError('course_closed');
    return access;
  }

  announce(courseId: string): void {
    this.#options.events.publish({ type: 'course', course_id: courseId });
  }

  /** @throws too_many_courses, too_many_booked, store_unavailable. */
  async create(request: CourseRequest): Promise<string> {
    if (this.all.length >= MAX_COURSES) throw coursesError('too_many_courses');
    const course: StoredCourse = {
      course_id: courseIdOf(request.name, (id) => this.all.some(({ course_id }) => course_id === id)),
      time_zone: ownTimeZone(),
      ends_on: null,
      group: null,
      shares: {},
      priority: 0,
      bookings: [],
      ...request,
      code: null,
      next_number: 1,
      keys_revoked: false,
      created_at: new Date(this.#options.clock.now()).toISOString(),
      members: [],
    };
    requireNodesFor(course, this.open);
    await this.#options.document.write([...this.all, course]);
    this.announce(course.course_id);
    return course.course_id;
  }

  /** @param change also the code to join, null to close @throws course_not_found, too_many_booked, store_unavailable. */
  async change(courseId: string, change: CourseChange & { code?: string | null }): Promise<void> {
    await this.#update(courseId, (course) => {
      const changed = { ...course, ...change };
      if (this.isOver(changed)) return changed;
      if (change.bookings || change.time_zone || this.isOver(course)) requireNodesFor(changed, this.open);
      return { ...changed, keys_revoked: false };
    });
  }

  /** @throws course_not_found, store_unavailable, revocation_not_kept. */
  async remove(courseId: string): Promise<void> {
    const { members } = this.find(courseId);
    await this.#options.document.write(this.all.filter(({ course_id }) => course_id !== courseId));
    this.announce(courseId);
    await this.#revokeKeys(members);
  }

  /**
   * Adds all of a list, or none; who is in the course already is unchanged. Somebody without a username gets a new one.
   * @throws too_many_members, store_unavailable.
   */
  async add(courseId: string, list: readonly ListedMember[]): Promise<AddedMembers> {
    const course = this.find(courseId);
    const names = new Set(presentMembers(course).map(({ name }) => sameName(name)));
    const isPresent = ({ name, username }: ListedMember) =>
      username === undefined ? names.has(sameName(name)) : membershipOf(course, username) !== undefined;
    const users = new Set(this.#options.keys.list().map(({ username }) => username));
    let { next_number: next } = course;
    const added = list
      .filter((one) => !isPresent(one))
      .map(({ username, name, role = 'student', email = null }): StoredMember => {
        if (username === undefined) ({ username, next } = usernameOf(courseId, next, this.#isTaken));
        const own_key = users.has(username);
        return { username, name, role, email, hand: null, shares: null, own_key, left: false };
      });
    // Who had left is present again.
    const again = new Set(added.map(({ username }) => username));
    const members = [...course.members.filter(({ username }) => !again.has(username)), ...added];
    if (presentMembers({ members }).length > MAX_MEMBERS) throw coursesError('too_many_members');
    if (added.length > 0)
      await this.#update(courseId, (before) => ({ ...before, next_number: next, members }));
    return {
      added: added.map(({ username, name, role }) => ({ username, name, role })),
      present: list.filter(isPresent).map(({ name }) => name),
    };
  }

  /** Adds a user to the open courses of its groups at the identity provider. @throws store_unavailable. */
  async joinByGroups(username: string, name: string, groups: readonly string[]): Promise<void> {
    for (const course of this.open) {
      const { course_id: id, group } = course;
      if (group === null || !groups.includes(group)) continue;
      // Who has left stays away.
      if (membershipOf(course, username, { left: true })) continue;
      if (presentMembers(course).length < MAX_MEMBERS) await this.add(id, [{ name, username }]);
    }
  }

  /** @throws last_teacher where nobody else teaches the course. */
  requireOtherTeacher(course: StoredCourse, { username, role, left }: StoredMember): void {
    const others = presentMembers(course).some((one) => one.role === 'teacher' && one.username !== username);
    if (role === 'teacher' && !left && !others) throw coursesError('last_teacher');
  }

  /**
   * Changes a member. Who leaves loses the keys that the course made; its hand-ins stay.
   * @param change null removes the record, also of who has left
   * @throws member_not_found, store_unavailable, revocation_not_kept.
   */
  async changeMember(
    courseId: string,
    username: string,
    change: Partial<StoredMember> | null,
  ): Promise<void> {
    const member = requireMember(this.find(courseId), username, { left: change === null });
    const changed = change ? [{ ...member, ...change }] : [];
    await this.#update(courseId, (course) => ({
      ...course,
      members: course.members.flatMap((one) => (one === member ? changed : [one])),
    }));
    if (change === null || change.left) await this.#revokeKeys([member]);
  }

  /** The open course with this code; undefined where there is none. */
  ofCode(code: string): StoredCourse | undefined {
    const plain = plainCode(code);
    return this.open.find((course) => course.code !== null && plainCode(course.code) === plain);
  }

  /** Revokes the keys of courses whose term is over; for the start and a timer. @throws store_unavailable. */
  async endTerms(): Promise<void> {
    for (const course of this.all) {
      if (course.keys_revoked || !this.isOver(course)) continue;
      await this.#revokeKeys(course.members);
      await this.#update(course.course_id, (before) => ({ ...before, keys_revoked: true, code: null }));
    }
  }

  /** Revokes what the course made for these members, unless another open course needs it. @throws revocation_not_kept. */
  async #revokeKeys(members: readonly StoredMember[]): Promise<void> {
    const { keys } = this.#options;
    const needed = new Set(this.open.flatMap(presentMembers).map(({ username }) => username));
    const gone = members.filter(({ own_key, username }) => !own_key && !needed.has(username));
    const isGone = ({ username }: { username: string }) => gone.some((one) => one.username === username);
    await Promise.all([
      ...keys.list().map((one) => isGone(one) && keys.revoke(one.id)),
      ...keys.invites().map((one) => isGone(one) && keys.withdraw(one.id)),
    ]);
  }

  async #update(courseId: string, change: (course: StoredCourse) => StoredCourse): Promise<void> {
    const before = this.find(courseId);
    const after = change(before);
    await this.#options.document.write(this.all.map((course) => (course === before ? after : course)));
    this.announce(courseId);
  }

  readonly #isTaken = (username: string): boolean =>
    this.#options.isUser(username) ||
    this.all.some(({ members }) => members.some((member) => member.username === username));
}
