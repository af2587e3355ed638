import type { AssignmentView } from '../../../../server/contract/courses/assignments.ts';
import type { CourseSummary, CourseView } from '../../../../server/contract/courses/courses.ts';
import { useBench, useBenchStore } from '../client/context.tsx';
import { type Query, useQuery } from '../client/query.ts';

/** Milliseconds between two requests for figures that no event announces, such as the last access to a node. */
const RENEW_MS = 15_000;

const LIVE = { keep: true, live: true } as const;

/** Changes with every announced change of a course; without an id of any course. */
const useChanges = (courseId?: string): number =>
  useBenchStore(
    ({ courses }) => courses.store,
    (seen) =>
      courseId === undefined
        ? Object.values(seen).reduce((sum, count) => sum + count, 0)
        : (seen[courseId] ?? 0),
  );

/** The courses of the caller; no request while the page is not live, and on another bench. */
export function useCourses(): Query<CourseSummary[]> {
  const { home, owner } = useBench();
  const changes = useChanges();
  const live = useBenchStore(
    ({ connection }) => connection,
    ({ connection }) => connection.kind === 'live',
  );
  const key = live && !home ? (['courses', owner, changes] as const) : undefined;
  return useQuery(key, (service, signal) => service.listCourses({}, { signal }), LIVE);
}

/** A course as the caller may see it. */
export function useCourse(course_id: string): Query<CourseView> {
  const key = ['course', course_id, useChanges(course_id)] as const;
  const options = { ...LIVE, every: RENEW_MS };
  return useQuery(key, (service, signal) => service.getCourse({ course_id }, { signal }), options);
}

/** Its assignments. */
export function useAssignments(course_id: string): Query<AssignmentView[]> {
  const key = ['assignments', course_id, useChanges(course_id)] as const;
  return useQuery(key, (service, signal) => service.listAssignments({ course_id }, { signal }), LIVE);
}

/** Hand-ins of an assignment, newest first; as the caller may see them. @param counting only the newest of each member */
export function useHandIns(course_id: string, assignment_id: string, counting = false) {
  const key = ['hand-ins', assignment_id, useChanges(course_id)] as const;
  const address = { course_id, assignment_id, counting };
  return useQuery(key, (service, signal) => service.listHandIns(address, { signal }), LIVE);
}
