import { defineErrors } from './bench-error.ts';

/** Errors of courses, shares, assignments and hand-ins. */
export const coursesError = defineErrors({
  course_not_found: {
    status: 404,
    message: 'There is no such course.',
    remedy: 'GET /courses lists yours.',
  },
  not_course_member: {
    status: 403,
    message: 'You are not a member of this course.',
    remedy: 'Ask its teacher for an invitation or the course code.',
  },
  not_course_teacher: {
    status: 403,
    message: 'Only a teacher of the course may do this.',
    remedy: 'Ask its teacher.',
  },
  member_not_found: {
    status: 404,
    message: 'The course has no such member.',
    remedy: 'GET /courses/{course_id} lists them.',
  },
  last_teacher: {
    status: 409,
    message: 'The course would be left without a teacher.',
    remedy: 'Make another member a teacher first.',
  },
  members_unreadable: {
    status: 422,
    message: 'The list of members cannot be read.',
    remedy: 'Send UTF-8 text with a header line that has a column `name`.',
  },
  too_many_courses: {
    status: 409,
    message: 'The bench has the maximum number of courses.',
    remedy: 'Delete one whose term is over.',
  },
  too_many_members: {
    status: 422,
    message: 'A course has at most 500 members.',
    remedy: 'Split the list into several courses.',
  },
  course_closed: {
    status: 409,
    message: 'The term of this course is over.',
    remedy: 'A teacher can set a later last day.',
  },
  invalid_course_code: {
    status: 401,
    message: 'This code does not belong to a course.',
    remedy: 'Ask the teacher for the current code.',
  },
  share_used_up: {
    status: 429,
    message: 'Your share of the bench is used up.',
    remedy: 'Release a node, or wait; your page of the course shows what is left.',
  },
  nodes_booked: {
    status: 409,
    message: 'The idle nodes are booked by a course.',
    remedy: 'Submit to any node: the job waits until one is free for you.',
  },
  too_many_booked: {
    status: 409,
    message: 'The courses have booked more nodes at one time than the bench has.',
    remedy: 'Book fewer nodes, or another time.',
  },
  assignment_not_found: {
    status: 404,
    message: 'The course has no such assignment.',
    remedy: 'GET /courses/{course_id}/assignments lists them.',
  },
  too_many_assignments: {
    status: 409,
    message: 'A course has at most 100 assignments.',
    remedy: 'Delete one that is no longer needed.',
  },
  no_template: {
    status: 404,
    message: 'This assignment has no file to start from.',
    remedy: 'Begin with a file of your own.',
  },
  hand_in_not_found: {
    status: 404,
    message: 'There is no such hand-in.',
    remedy: 'GET …/hand-ins lists them.',
  },
  deadline_passed: {
    status: 409,
    message: 'The deadline of this assignment has passed.',
    remedy: 'Ask your teacher for more time.',
  },
  no_attempts_left: {
    status: 409,
    message: 'You have handed in as often as this assignment allows.',
    remedy: 'Ask your teacher for another attempt.',
  },
  // The reason why a step of a check did not pass; no route answers with it.
  check_deadline: {
    status: 504,
    message: 'The check took longer than 60 s and was stopped.',
    remedy: 'Look for a step that waits for something that never happens.',
  },
});
