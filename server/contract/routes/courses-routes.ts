import Type from 'typebox';
import { enumOf } from '../component.ts';
import {
  AddedMembers,
  CourseChange,
  CourseId,
  CourseRequest,
  CourseSummary,
  CourseView,
  HandRequest,
  InvitationSheet,
  InvitationsRequest,
  Joined,
  JoinRequest,
  MemberChange,
  MembersRequest,
  MemberView,
  Username,
} from '../courses/courses.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, answerFile, answerOr, type Route } from '../route.ts';

const CourseParams = Type.Object({ course_id: CourseId });
const MemberParams = Type.Object({ course_id: CourseId, username: Username });
const course = { tag: 'courses', access: 'key', params: CourseParams } as const;

/** A route that any member may call; an operator is a teacher of every course. */
const ERRORS = ['course_not_found', 'not_course_member'] as const;
const TEACHER_ERRORS = [...ERRORS, 'not_course_teacher', 'store_unavailable'] as const;

/** Routes of courses: members, shares and bookings. */
export const COURSES_ROUTES = {
  listCourses: {
    summary: 'Courses of the caller',
    description: 'An operator gets all of them.',
    tag: 'courses',
    access: 'key',
    answers: { 200: answer('By name.', Type.Array(CourseSummary)) },
  },

  createCourse: {
    summary: 'Create a course',
    tag: 'courses',
    access: 'operator',
    body: { takes: 'json', schema: CourseRequest },
    answers: { 201: answer('The course.', CourseView) },
    errors: ['too_many_courses', 'too_many_booked', 'store_unavailable'],
  },

  getCourse: {
    ...course,
    summary: 'A course with its members',
    answers: { 200: answer('As much of it as the caller may see.', CourseView) },
    errors: ERRORS,
  },

  changeCourse: {
    ...course,
    summary: 'Change a course',
    description:
      'For teachers. Fields that are absent keep their value. Only an operator changes priority, bookings and group.',
    body: { takes: 'json', schema: CourseChange },
    answers: { 200: answer('The course after the change.', CourseView) },
    errors: [...TEACHER_ERRORS, 'operator_only', 'too_many_booked'],
  },

  deleteCourse: {
    ...course,
    access: 'operator',
    summary: 'Delete a course',
    description: 'With its assignments, hand-ins and names. Keys that it made are revoked.',
    answers: { 204: answerEmpty('The course is deleted.') },
    errors: ['course_not_found', 'store_unavailable'],
  },

  addMembers: {
    ...course,
    summary: 'Add members',
    description:
      'For teachers. JSON, or CSV with a header line of `name`, optionally with `email` and `role`. All rows are added or none.',
    body: { takes: 'json', schema: MembersRequest, or: ['text/csv'] },
    answers: { 200: answer('Who was added.', AddedMembers) },
    errors: [...TEACHER_ERRORS, 'operator_only', 'members_unreadable', 'too_many_members', 'course_closed'],
  },

  changeMember: {
    ...course,
    params: MemberParams,
    summary: 'Change a member',
    description: 'For teachers.',
    body: { takes: 'json', schema: MemberChange },
    answers: { 200: answer('The member after the change.', MemberView) },
    errors: [...TEACHER_ERRORS, 'member_not_found', 'last_teacher'],
  },

  removeMember: {
    ...course,
    params: MemberParams,
    summary: 'Leave a course, or remove a member',
    description: 'For teachers, and for the member itself. Its hand-ins stay until they are erased.',
    answers: { 204: answerEmpty('The member has left.') },
    errors: [...TEACHER_ERRORS, 'member_not_found', 'last_teacher'],
  },

  exportMember: {
    ...course,
    params: MemberParams,
    summary: 'All that the course stores about a member',
    description:
      'A zip file with `member.json` and the handed-in sources. For teachers and the member itself.',
    answers: { 200: answerFile('The data.', 'application/zip') },
    errors: [...ERRORS, 'not_course_teacher', 'member_not_found'],
  },

  eraseMember: {
    ...course,
    params: MemberParams,
    summary: 'Erase a member’s data',
    description:
      'For teachers. Removes name, hand-ins and results, and revokes the keys that the course made. Jobs and the audit trail keep the username as long as docs/security.md says.',
    answers: { 204: answerEmpty('Nothing of the member is left in the course.') },
    errors: [...TEACHER_ERRORS, 'member_not_found'],
  },

  inviteMembers: {
    ...course,
    summary: 'Make sign-in links for members',
    description:
      'For teachers. Each link works once. Members who had a key before the course need none and get none.',
    uncompressed: 'secret',
    query: Type.Object({
      format: Type.Optional(enumOf(['json', 'csv'], { default: 'json' })),
    }),
    body: { takes: 'json', schema: InvitationsRequest },
    answers: { 200: answerOr('The links; shown this once.', InvitationSheet, 'text/csv') },
    errors: [...TEACHER_ERRORS, 'member_not_found', 'too_many_keys', 'course_closed'],
  },

  openCourseCode: {
    ...course,
    summary: 'Let people join with a code',
    description: 'For teachers. A new code each time; the previous one ends.',
    answers: { 200: answer('The code.', Type.Object({ code: Type.String(), url: Type.String() })) },
    errors: [...TEACHER_ERRORS, 'course_closed'],
  },

  closeCourseCode: {
    ...course,
    summary: 'End the code',
    description: 'For teachers.',
    answers: { 204: answerEmpty('Nobody can join with it.') },
    errors: TEACHER_ERRORS,
  },

  joinCourse: {
    summary: 'Join a course with its code',
    description:
      'A caller with a key joins as itself; others get a key. Wrong codes are counted like wrong keys.',
    tag: 'courses',
    access: 'open',
    uncompressed: 'secret',
    body: { takes: 'json', schema: JoinRequest },
    answers: { 200: answer('The membership.', Joined) },
    errors: [
      'invalid_course_code',
      'too_many_guesses',
      'too_many_members',
      'too_many_keys',
      'store_unavailable',
    ],
  },

  raiseHand: {
    ...course,
    summary: 'Raise the hand',
    body: { takes: 'json', schema: HandRequest },
    answers: { 204: answerEmpty('The teachers see it.') },
    errors: ERRORS,
  },

  lowerHand: {
    ...course,
    params: MemberParams,
    summary: 'Lower a hand',
    description: 'Your own; teachers may lower any.',
    answers: { 204: answerEmpty('It is lowered.') },
    errors: [...ERRORS, 'not_course_teacher', 'member_not_found'],
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
