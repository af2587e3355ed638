import {
  type AddedMembers,
  type CourseChange,
  type CourseRequest,
  type CourseRole,
  type CourseSummary,
  type CourseView,
  MAX_COURSES,
  MAX_MEMBERS,
  type MemberChange,
  type MemberView,
} from '../contract/courses/courses.ts';
import type { ShareUse } from '../contract/courses/shares.ts';
import { coursesError } from '../errors/courses.ts';
import type { ApiKeys } from '../identity/keys.ts';
import { CourseRecords, type CourseRecordsOptions } from './course-records.ts';
import type { CourseCaller, CourseWork } from './directory.ts';
import { ownTimeZone } from './local-time.ts';
import { revokeKeysOf } from './member-keys.ts';
import { type ListedMember, sameName } from './member-list.ts';
import { presentMembers, type StoredCourse, type StoredMember } from './records.ts';
import { courseIdOf, joinCodeOf, plainCode, usernameOf } from './usernames.ts';
import { courseSummary, courseView, isOver, membershipOf, memberView, type ViewFacts } from './views.ts';

export interface CoursesOptions extends CourseRecordsOptions {
  keys: ApiKeys;
  random(bytes: number): Uint8Array;
  /** Whether a user owns anything on the bench. */
  isUser(username: string): boolean;
}

/** What the shares know of a course and of its members. */
export interface ShareFacts {
  usageOf(username: string, timeZone: string): ShareUse;
  bookedNow(courseId: string): number;
  /** Of a user to the nodes that it holds, ms since the epoch; null while it holds none. */
  lastAccess(username: string): number | null;
  /** Removes what is stored of a user's minutes. */
  erase(username: string): void;
}

const NO_WORK: CourseWork = {
  count: () => 0,
  exportOf: async () => ({ data: null, files: {} }),
  erase: async () => {},
  removeCourse: async () => {},
};

const NO_FACTS: ShareFacts = {
  usageOf: () => ({ sessions: 0, day_minutes: 0, queued_jobs: 0 }),
  bookedNow: () => 0,
  lastAccess: () => null,
  erase: () => {},
};

/** Courses and their members. A change is on disk before its promise resolves, and announced then. */
export class Courses extends CourseRecords {
  readonly #options: CoursesOptions;
  #work: CourseWork = NO_WORK;
  #facts: ShareFacts = NO_FACTS;

  constructor(options: CoursesOptions) {
    super(options);
    this.#options = options;
  }

  /** Connects the parts that are made after the courses. */
  connect({ work, facts }: { work?: CourseWork; facts?: ShareFacts }): void {
    if (work) this.#work = work;
    if (facts) this.#facts = facts;
  }

  get work(): CourseWork {
    return this.#work;
  }

  /** Courses of the caller by name; an operator gets all. */
  list(caller: CourseCaller): CourseSummary[] {
    const all = caller.operator || caller.provenOperator;
    return this.all
      .filter((course) => all || membershipOf(course, caller.owner))
      .map((course) => courseSummary(course, caller, this.#viewFacts(course)))
      .sort((a, b) => a.name.localeCompare(b.name));
  }

  /** As much of a course as the caller may see. @throws course_not_found, not_course_member. */
  view(courseId: string, caller: CourseCaller): CourseView {
    const role = this.roleOf(courseId, caller);
    const course = this.find(courseId);
    return courseView(course, role, caller, this.#viewFacts(course));
  }

  /** A member as teachers see it. @throws course_not_found, member_not_found. */
  memberView(courseId: string, username: string): MemberView {
    const course = this.find(courseId);
    return memberView(this.requireMember(course, username), this.#viewFacts(course), 'teacher');
  }

  /** What a member has used of the bench. */
  usageOf({ time_zone }: StoredCourse, username: string): ShareUse {
    return this.#facts.usageOf(username, time_zone);
  }

  /** @throws too_many_courses, store_unavailable. */
  async create(request: CourseRequest): Promise<string> {
    if (this.all.length >= MAX_COURSES) throw coursesError('too_many_courses');
    const ids = new Set(this.all.map(({ course_id }) => course_id));
    const course: StoredCourse = {
      course_id: courseIdOf(request.name, (id) => ids.has(id)),
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
      created_at: this.now(),
      members: [],
    };
    await this.write([...this.all, course]);
    this.announce(course.course_id);
    return course.course_id;
  }

  /** @throws course_not_found, store_unavailable. */
  async change(courseId: string, change: CourseChange): Promise<void> {
    await this.update(courseId, (course) => {
      const changed = { ...course, ...change };
      return isOver(changed, this.#options.clock.now()) ? changed : { ...changed, keys_revoked: false };
    });
  }

  /** With its assignments. @throws course_not_found, store_unavailable, revocation_not_kept. */
  async remove(courseId: string): Promise<void> {
    const course = this.find(courseId);
    await this.#work.removeCourse(courseId);
    await this.write(this.all.filter(({ course_id }) => course_id !== courseId));
    this.announce(courseId);
    await this.revokeKeys(course.members);
  }

  /** Adds all of a list, or none. @throws too_many_members, store_unavailable. */
  async add(courseId: string, list: readonly ListedMember[]): Promise<AddedMembers> {
    const course = this.find(courseId);
    const names = new Set(presentMembers(course).map(({ name }) => sameName(name)));
    const isPresent = ({ name, username }: ListedMember) =>
      username === undefined ? names.has(sameName(name)) : membershipOf(course, username) !== undefined;
    const present = list.filter(isPresent).map(({ name }) => name);
    const added: StoredMember[] = [];
    await this.update(courseId, (before) => {
      let next = before.next_number;
      for (const one of list.filter((member) => !isPresent(member))) {
        let { username } = one;
        if (username === undefined) ({ username, next } = usernameOf(courseId, next, this.#isTaken));
        added.push(this.#newMember(username, one.name, one.role ?? 'student', one.email ?? null));
      }
      return withMembers({ ...before, next_number: next }, added);
    });
    return { added: added.map(({ username, name, role }) => ({ username, name, role })), present };
  }

  /** @throws member_not_found, last_teacher, store_unavailable. */
  async changeMember(courseId: string, username: string, change: MemberChange): Promise<void> {
    const course = this.find(courseId);
    const member = this.requireMember(course, username);
    if (change.role === 'student') this.requireOtherTeacher(course, member);
    await this.#updateMember(courseId, username, (before) => ({ ...before, ...change }));
  }

  /** The member leaves; its hand-ins stay. @throws member_not_found, store_unavailable, revocation_not_kept. */
  async leave(courseId: string, username: string): Promise<void> {
    const member = this.requireMember(this.find(courseId), username);
    await this.#updateMember(courseId, username, (before) => ({ ...before, left: true, hand: null }));
    await this.revokeKeys([member]);
  }

  /** Nothing of the member is left in the course. @throws member_not_found, store_unavailable, revocation_not_kept. */
  async erase(courseId: string, username: string): Promise<void> {
    const member = this.find(courseId).members.find((one) => one.username === username);
    if (!member) throw coursesError('member_not_found');
    await this.#work.erase(courseId, username);
    this.#facts.erase(username);
    await this.update(courseId, (course) => ({
      ...course,
      members: course.members.filter((one) => one.username !== username),
    }));
    await this.revokeKeys([member]);
  }

  /** Raises or lowers a hand. @throws member_not_found, store_unavailable. */
  async setHand(courseId: string, username: string, message: string | null): Promise<void> {
    this.requireMember(this.find(courseId), username);
    const hand = message === null ? null : { at: this.now(), message };
    await this.#updateMember(courseId, username, (before) => ({ ...before, hand }));
  }

  /** A new code to join; null ends it. @throws course_not_found, store_unavailable. */
  async setCode(courseId: string, open: boolean): Promise<string> {
    const code = open ? joinCodeOf(this.#options.random(16)) : null;
    await this.update(courseId, (course) => ({ ...course, code }));
    return code ?? '';
  }

  /** The open course with this code; undefined where there is none. */
  ofCode(code: string): StoredCourse | undefined {
    const plain = plainCode(code);
    return this.all.find(
      (course) =>
        course.code !== null && plainCode(course.code) === plain && !this.isClosed(course.course_id),
    );
  }

  /**
   * Adds one student; resolves with its username. A user of the bench keeps its name, somebody else gets a new one.
   * @throws too_many_members, store_unavailable.
   */
  async join(courseId: string, name: string, user: string | null): Promise<string> {
    let username = user ?? '';
    await this.update(courseId, (course) => {
      let next = course.next_number;
      if (user === null) ({ username, next } = usernameOf(courseId, next, this.#isTaken));
      if (membershipOf(course, username)) return course;
      return withMembers({ ...course, next_number: next }, [
        { ...this.#newMember(username, name, 'student', null), own_key: user !== null },
      ]);
    });
    return username;
  }

  /** Adds a user to the open courses of its groups at the identity provider. @throws store_unavailable. */
  async joinByGroups(username: string, name: string, groups: readonly string[]): Promise<void> {
    for (const course of this.all) {
      const { course_id: id, group } = course;
      if (group === null || !groups.includes(group) || this.isClosed(id)) continue;
      const known = course.members.some((member) => member.username === username);
      if (!known && presentMembers(course).length < MAX_MEMBERS) await this.join(id, name, username);
    }
  }

  /**
   * Revokes the keys and invitations that the course made for these members, unless another open course needs them.
   * @throws revocation_not_kept.
   */
  async revokeKeys(members: readonly StoredMember[]): Promise<void> {
    const needed = new Set(
      this.open.flatMap((course) => presentMembers(course).map(({ username }) => username)),
    );
    const gone = members.filter(({ own_key, username }) => !own_key && !needed.has(username));
    await revokeKeysOf(this.#options.keys, new Set(gone.map(({ username }) => username)));
  }

  /** Revokes the keys of courses whose term is over; for the start and a timer. @throws store_unavailable. */
  async endTerms(): Promise<void> {
    for (const course of this.all) {
      if (course.keys_revoked || !this.isClosed(course.course_id)) continue;
      await this.revokeKeys(course.members);
      await this.update(course.course_id, (before) => ({ ...before, keys_revoked: true, code: null }));
    }
  }

  async #updateMember(
    courseId: string,
    username: string,
    change: (member: StoredMember) => StoredMember,
  ): Promise<void> {
    await this.update(courseId, (course) => ({
      ...course,
      members: course.members.map((one) => (one.username === username ? change(one) : one)),
    }));
  }

  #newMember(username: string, name: string, role: CourseRole, email: string | null): StoredMember {
    const own_key = this.#options.keys.list().some((key) => key.username === username);
    return { username, name, role, email, hand: null, shares: null, own_key, left: false };
  }

  readonly #isTaken = (username: string): boolean =>
    this.#options.isUser(username) ||
    this.all.some(({ members }) => members.some((member) => member.username === username));

  #viewFacts({ course_id, time_zone }: StoredCourse): ViewFacts {
    const { keys, clock } = this.#options;
    return {
      now: clock.now(),
      signedIn: new Set(keys.list().map(({ username }) => username)),
      invited: new Set(keys.invites().map(({ username }) => username)),
      usageOf: (username) => this.#facts.usageOf(username, time_zone),
      lastAccess: (username) => this.#facts.lastAccess(username),
      bookedNow: this.#facts.bookedNow(course_id),
      assignments: this.#work.count(course_id),
    };
  }
}

/** The course with more members; who had left is present again. @throws too_many_members. */
function withMembers(course: StoredCourse, added: readonly StoredMember[]): StoredCourse {
  if (added.length === 0) return course;
  const again = new Set(added.map(({ username }) => username));
  const members = [...course.members.filter(({ username }) => !again.has(username)), ...added];
  if (presentMembers({ members }).length > MAX_MEMBERS) throw coursesError('too_many_members');
  return { ...course, members };
}
