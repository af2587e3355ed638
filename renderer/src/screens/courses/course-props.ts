import type { CourseView } from '../../../../server/contract/courses/courses.ts';

/** What a view of a course gets. */
export interface CourseProps {
  course: CourseView;
  /** Reads the course again. */
  reload(): void;
}

/** What a dialog of a course gets, and a view in place of its tab. */
export interface CourseDialogProps extends CourseProps {
  onClose(): void;
}
