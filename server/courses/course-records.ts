import type { Clock } from '../clock.ts';
import type { CourseRole } from '../contract/courses/courses.ts';
import { coursesError } from '../errors/courses.ts';
import type { EventHub } from '../events/events.ts';
import type { StoredDocument } from '../store/document.ts';
import type { CourseCaller, CourseDirectory, CourseMember } from './directory.ts';
import { presentMembers, type StoredCourse, type StoredMember } from './records.ts';
import { isOver, membershipOf } from './views.ts';

export interface CourseRecordsOptions {
  document: StoredDocument<StoredCourse[]>;
  events: Pick<EventHub, 'publish'>;
  clock: Clock;
}

/** The stored courses: who may do what in them, and their changes. */
export class CourseRecords implements CourseDirectory {
  readonly #options: CourseRecordsOptions;

  constructor(options: CourseRecordsOptions) {
    this.#options = options;
  }

  /** Records of all courses. */
  get all(): readonly StoredCourse[] {
    return this.#options.document.value;
  }

  /** Courses whose term is not over. */
  get open(): readonly StoredCourse[] {
    const now = this.#options.clock.now();
    return this.all.filter((course) => !isOver(course, now));
  }

  /** @throws course_not_found. */
  find(courseId: string): StoredCourse {
    const course = this.all.find(({ course_id }) => course_id === courseId);
    if (!course) throw coursesError('course_not_found');
    return course;
  }

  roleOf(courseId: string, caller: CourseCaller): CourseRole {
    const course = this.find(courseId);
    if (caller.provenOperator) return 'teacher';
    // On the bench’s own computer everybody is an operator: a member there is still what the course says.
    const role = membershipOf(course, caller.owner)?.role ?? (caller.operator ? 'teacher' : null);
    if (role === null) throw coursesError('not_course_member');
    return role;
  }

  /** @throws course_not_found, not_course_member, not_course_teacher. */
  requireTeacher(courseId: string, caller: CourseCaller): StoredCourse {
    if (this.roleOf(courseId, caller) !== 'teacher') throw coursesError('not_course_teacher');
    return this.find(courseId);
  }

  /** For teachers, and for the member itself. @throws as requireTeacher. */
  requireTeacherOrSelf(courseId: string, caller: CourseCaller, username: string): StoredCourse {
    const role = this.roleOf(courseId, caller);
    if (role !== 'teacher' && caller.owner !== username) throw coursesError('not_course_teacher');
    return this.find(courseId);
  }

  members(courseId: string): readonly CourseMember[] {
    return presentMembers(this.find(courseId));
  }

  isClosed(courseId: string): boolean {
    return isOver(this.find(courseId), this.#options.clock.now());
  }

  /** @throws course_not_found, course_closed. */
  requireOpen(courseId: string): void {
    if (this.isClosed(courseId)) throw coursesError('course_closed');
  }

  announce(courseId: string): void {
    this.#options.events.publish({ type: 'course', course_id: courseId });
  }

  /** @throws member_not_found. */
  requireMember(course: StoredCourse, username: string): StoredMember {
    const member = membershipOf(course, username);
    if (!member) throw coursesError('member_not_found');
    return member;
  }

  /** @throws last_teacher where nobody else teaches the course. */
  requireOtherTeacher(course: StoredCourse, { username, role }: StoredMember): void {
    const others = presentMembers(course).some((one) => one.role === 'teacher' && one.username !== username);
    if (role === 'teacher' && !others) throw coursesError('last_teacher');
  }

  /** Changes a course; announces it when it is on disk. @throws course_not_found, store_unavailable. */
  async update(courseId: string, change: (course: StoredCourse) => StoredCourse): Promise<void> {
    const before = this.find(courseId);
    const after = change(before);
    if (after === before) return;
    await this.#options.document.write(this.all.map((course) => (course === before ? after : course)));
    this.announce(courseId);
  }

  /** Replaces all courses; resolves when that is on disk. @throws store_unavailable. */
  protected async write(courses: StoredCourse[]): Promise<void> {
    await this.#options.document.write(courses);
  }

  /** The present, ISO 8601. */
  protected now(): string {
    return new Date(this.#options.clock.now()).toISOString();
  }
}
