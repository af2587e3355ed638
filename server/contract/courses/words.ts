/** Without schemas, so that the page loads none. */

export const COURSE_ROLES = ['teacher', 'student'] as const;
export type CourseRole = (typeof COURSE_ROLES)[number];

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
