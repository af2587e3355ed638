import type { AssignmentView } from '../../../../server/contract/courses/assignments.ts';
import type { CourseSummary, CourseView } from '../../../../server/contract/courses/courses.ts';
import { useBench, useBenchStore } from '../client/context.tsx';
import { type Query, useQuery } from '../client/query.ts';

/** Milliseconds between two requests for figures that no event announces, such as the last access to a node. */
const RENEW_MS = 15_000;

/** Changes with every announced change of a course. */
const useChanges = (courseId: string): number =>
  useBenchStore(
    ({ courses }) => courses.store,
    (seen) => seen[courseId] ?? 0,
  );

const NONE: readonly CourseSummary[] = [];

/** The courses of the caller; none while the page is not live, and on another bench. */
export function useCourses(): readonly CourseSummary[] {
  const { home, owner } = useBench();
  const changes = useBenchStore(
    ({ courses }) => courses.store,
    (seen) => Object.values(seen).reduce((sum, count) => sum + count, 0),
  );
  const live = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => connection.kind === 'live',
  );
  const { data } = useQuery(
    live && !home ? ['courses', owner, changes] : undefined,
    (service, signal) => service.listCourses({}, { signal }),
    { keep: true, live: true },
  );
  return data ?? NONE;
}

/** A course as the caller may see it. */
export function useCourse(course_id: string): Query<CourseView> {
  const key = ['course', course_id, useChanges(course_id)] as const;
  return useQuery(key, (service, signal) => service.getCourse({ course_id }, { signal }), {
    keep: true,
    live: true,
    every: RENEW_MS,
  });
}

/** Its assignments. */
export function useAssignments(course_id: string): Query<AssignmentView[]> {
  const key = ['assignments', course_id, useChanges(course_id)] as const;
  return useQuery(key, (service, signal) => service.listAssignments({ course_id }, { signal }), {
    keep: true,
    live: true,
  });
}

/** Hand-ins of an assignment, newest first; as the caller may see them. */
export function useHandIns(course_id: string, assignment_id: string | undefined) {
  const changes = useChanges(course_id);
  return useQuery(
    assignment_id === undefined ? undefined : ['hand-ins', assignment_id, changes],
    (service, signal, [, id]) => service.listHandIns({ course_id, assignment_id: id }, { signal }),
    { live: true, keep: true },
  );
}
