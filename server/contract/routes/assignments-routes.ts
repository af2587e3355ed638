import Type from 'typebox';
import { enumOf, RequestUuid } from '../component.ts';
import {
  AssignmentChange,
  AssignmentRequest,
  AssignmentView,
  GradeRequest,
  HandIn,
  HandInFilter,
  HandInRequest,
  StartedAssignment,
} from '../courses/assignments.ts';
import { CourseId } from '../courses/courses.ts';
import type { EndpointId } from '../endpoints.ts';
import { answer, answerEmpty, answerFile, type Route } from '../route.ts';

const AssignmentParams = Type.Object({ course_id: CourseId, assignment_id: RequestUuid('The assignment.') });
const HandInParams = Type.Object({ ...AssignmentParams.properties, hand_in_id: RequestUuid('The hand-in.') });
const assignment = { tag: 'courses', access: 'key', params: AssignmentParams } as const;

const COURSE_ERRORS = ['course_not_found', 'not_course_member'] as const;
const ERRORS = [...COURSE_ERRORS, 'assignment_not_found'] as const;
const TEACHER_ERRORS = [...ERRORS, 'not_course_teacher', 'store_unavailable'] as const;

/** Routes of assignments: what is to be done, hand-ins, grades and results. */
export const ASSIGNMENTS_ROUTES = {
  listAssignments: {
    ...assignment,
    params: Type.Object({ course_id: CourseId }),
    summary: 'Assignments of a course',
    answers: { 200: answer('By deadline; a student sees published ones.', Type.Array(AssignmentView)) },
    errors: COURSE_ERRORS,
  },

  createAssignment: {
    ...assignment,
    params: Type.Object({ course_id: CourseId }),
    summary: 'Create an assignment',
    description: 'For teachers.',
    body: { takes: 'json', schema: AssignmentRequest },
    answers: { 201: answer('The assignment.', AssignmentView) },
    errors: [
      ...COURSE_ERRORS,
      'not_course_teacher',
      'store_unavailable',
      'too_many_assignments',
      'design_not_found',
      'version_not_found',
      'not_design_owner',
      'course_closed',
    ],
  },

  changeAssignment: {
    ...assignment,
    summary: 'Change an assignment',
    description:
      'For teachers. Fields that are absent keep their value. Grades stay until they are made again.',
    body: { takes: 'json', schema: AssignmentChange },
    answers: { 200: answer('The assignment after the change.', AssignmentView) },
    errors: [...TEACHER_ERRORS, 'design_not_found', 'version_not_found', 'not_design_owner'],
  },

  deleteAssignment: {
    ...assignment,
    summary: 'Delete an assignment',
    description: 'For teachers. With its hand-ins and results.',
    answers: { 204: answerEmpty('It is deleted.') },
    errors: TEACHER_ERRORS,
  },

  getTemplate: {
    ...assignment,
    summary: 'The file to start from',
    answers: { 200: answerFile('The file.', 'application/octet-stream') },
    errors: [...ERRORS, 'no_template'],
  },

  startAssignment: {
    ...assignment,
    summary: 'Begin an assignment',
    description:
      'Gives the caller’s design of this file name the register map and the panel of the template, if it has none.',
    answers: { 200: answer('The design to submit.', StartedAssignment) },
    errors: [...ERRORS, 'no_template', 'store_unavailable'],
  },

  handIn: {
    ...assignment,
    summary: 'Hand a build in',
    description:
      'Freezes its source. The moment of the request counts, also for a build that has not ended. Grading starts automatically.',
    body: { takes: 'json', schema: HandInRequest },
    answers: { 201: answer('The hand-in.', HandIn) },
    errors: [
      ...ERRORS,
      'store_unavailable',
      'job_not_found',
      'not_session_holder',
      'no_source',
      'deadline_passed',
      'no_attempts_left',
      'course_closed',
    ],
  },

  listHandIns: {
    ...assignment,
    summary: 'Hand-ins and their results',
    description: 'All for a teacher, the student’s own otherwise; newest first.',
    query: HandInFilter,
    answers: { 200: answer('The hand-ins.', Type.Array(HandIn)) },
    errors: [...ERRORS, 'hand_in_not_found'],
  },

  getHandInSource: {
    ...assignment,
    params: HandInParams,
    summary: 'A handed-in source',
    description: 'For teachers, and for the member who handed it in.',
    answers: { 200: answerFile('The file.', 'application/octet-stream') },
    errors: [...ERRORS, 'not_course_teacher', 'hand_in_not_found'],
  },

  gradeHandIns: {
    ...assignment,
    summary: 'Grade again',
    description: 'For teachers. Hand-ins that wait already are not queued twice.',
    body: { takes: 'json', schema: GradeRequest },
    answers: { 202: answer('How many hand-ins wait.', Type.Object({ queued: Type.Integer() })) },
    errors: [...TEACHER_ERRORS, 'hand_in_not_found'],
  },

  exportResults: {
    ...assignment,
    params: Type.Object({
      ...AssignmentParams.properties,
      format: enumOf(['csv', 'xml'], { description: '`xml` is JUnit.' }),
    }),
    summary: 'Results as a file',
    description: 'The hand-ins that count: of all members for a teacher, the student’s own otherwise.',
    answers: { 200: answerFile('The results.', 'text/csv', 'application/xml') },
    errors: ERRORS,
  },
} as const satisfies Partial<Record<EndpointId, Route>>;
