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

/** The largest value of each limit of a share. */
export const SHARE_MAXIMA = {
  sessions: 10,
  session_minutes: 1440,
  day_minutes: 1440,
  queued_jobs: 100,
  idle_minutes: 240,
} as const;
