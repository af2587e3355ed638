import type { CourseView } from '../../../../server/contract/courses/courses.ts';

/** What a view of a course gets. */
export interface TabProps {
  course: CourseView;
  reload(): void;
}
