import type { CourseRole } from '../../contract/courses/courses.ts';
import { coursesError } from '../../errors/courses.ts';
import type { StoredDocument } from '../../store/document.ts';
import type { CourseCaller, CourseDirectory } from '../directory.ts';
import type { StoredAssignment } from './records.ts';

/** A course with the role that its caller has in it. */
export interface Access {
  courseId: string;
  username: string;
  role: CourseRole;
}

type AssignmentsDocument = Pick<StoredDocument<StoredAssignment[]>, 'value' | 'write'>;

/** The stored assignments of all courses, and who may reach which. */
export class StoredAssignments {
  readonly directory: CourseDirectory;
  readonly #document: AssignmentsDocument;

  constructor(document: AssignmentsDocument, directory: CourseDirectory) {
    this.#document = document;
    this.directory = directory;
  }

  /** @throws course_not_found, not_course_member. */
  access(courseId: string, caller: CourseCaller): Access {
    return { courseId, username: caller.owner, role: this.directory.roleOf(courseId, caller) };
  }

  /** @throws course_not_found, not_course_member, not_course_teacher. */
  teacher(courseId: string, caller: CourseCaller): Access {
    const access = this.access(courseId, caller);
    if (access.role !== 'teacher') throw coursesError('not_course_teacher');
    return access;
  }

  of(courseId: string): StoredAssignment[] {
    return this.#document.value.filter(({ course_id }) => course_id === courseId);
  }

  find(id: string): StoredAssignment | undefined {
    return this.#document.value.find(({ assignment_id }) => assignment_id === id);
  }

  /** @throws assignment_not_found, for a student also where it is not published. */
  require({ courseId, role }: Access, id: string): StoredAssignment {
    const found = this.find(id.toLowerCase());
    if (found?.course_id !== courseId || !(found.published || role === 'teacher'))
      throw coursesError('assignment_not_found');
    return found;
  }

  /** @throws store_unavailable. */
  add(assignment: StoredAssignment): Promise<void> {
    return this.#document.write([...this.#document.value, assignment]);
  }

  /** @throws store_unavailable. */
  replace(assignment: StoredAssignment): Promise<void> {
    const { assignment_id: id } = assignment;
    return this.#document.write(
      this.#document.value.map((one) => (one.assignment_id === id ? assignment : one)),
    );
  }

  /** @throws store_unavailable. */
  remove(ids: ReadonlySet<string>): Promise<void> {
    return this.#document.write(this.#document.value.filter(({ assignment_id: id }) => !ids.has(id)));
  }

  /** The member's name; null for who is no member. */
  nameOf(courseId: string, username: string): string | null {
    return this.directory.members(courseId).find((one) => one.username === username)?.name ?? null;
  }

  /** Usernames of the teachers. */
  teachersOf(courseId: string): Set<string> {
    const members = this.directory.members(courseId);
    return new Set(members.flatMap(({ username, role }) => (role === 'teacher' ? [username] : [])));
  }
}
