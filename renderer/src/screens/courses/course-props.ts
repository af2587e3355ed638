import type { CourseView } from '../../../../server/contract/courses/courses.ts';

/** What a view of a course gets. */
export interface CourseProps {
  course: CourseView;
  /** Reads the course again. */
  reload(): void;
}
