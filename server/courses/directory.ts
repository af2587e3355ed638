import type { CourseRole } from '../contract/courses/courses.ts';

/** The sender of a request, as far as courses ask. */
export interface CourseCaller {
  /** The user; owner of its jobs. */
  owner: string;
  /** A teacher of every course, unless it is a member. */
  operator: boolean;
  /** A teacher of every course, by a token or a key. */
  provenOperator?: boolean;
}

export interface CourseMember {
  username: string;
  name: string;
  role: CourseRole;
}

/** Courses and their members, as assignments ask for them. */
export interface CourseDirectory {
  /** The caller's role; an operator is a teacher. @throws course_not_found, not_course_member. */
  roleOf(courseId: string, caller: CourseCaller): CourseRole;
  /** @throws course_not_found. */
  members(courseId: string): readonly CourseMember[];
  /** Whether its term is over. @throws course_not_found. */
  isClosed(courseId: string): boolean;
  /** Publishes the event that something of the course has changed. */
  announce(courseId: string): void;
}

/** Assignments and hand-ins, as courses ask for them. */
export interface CourseWork {
  /** Number of assignments. */
  count(courseId: string): number;
  /** All that is stored about a member's hand-ins: records, and sources by path. */
  exportOf(courseId: string, username: string): Promise<{ data: unknown; files: Record<string, Uint8Array> }>;
  /** Removes the member's hand-ins and grades; resolves when that is durable. @throws store_unavailable. */
  erase(courseId: string, username: string): Promise<void>;
  /** Removes the course's assignments and hand-ins; resolves when that is durable. @throws store_unavailable. */
  removeCourse(courseId: string): Promise<void>;
}
