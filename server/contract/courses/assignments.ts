import Type, { type Static } from 'typebox';
import { component, enumOf, nullable, RequestUuid, Timestamp, Uuid } from '../component.ts';
import { DesignId } from '../designs/designs.ts';
import { ScriptStep } from '../jobs/scripts.ts';
import { Username } from './courses.ts';

const strict = { additionalProperties: false } as const;

/** Assignments of a course. */
export const MAX_ASSIGNMENTS = 100;
const MAX_CHECK_STEPS = 100;
/** Hand-ins of one member that are stored for an assignment. */
export const MAX_ATTEMPTS = 100;
/** Hand-ins of one answer. */
export const MAX_LISTED = 1000;

const Title = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]+$',
});
const Points = Type.Integer({ minimum: 0, maximum: 1000 });

/** A step of a check: some transactions that give points together. */
export const CheckStep = component(
  'CheckStep',
  Type.Object(
    {
      title: Title,
      points: Points,
      hidden: Type.Optional(
        Type.Boolean({ default: false, description: 'Students see neither its title nor what it does.' }),
      ),
      steps: Type.Array(ScriptStep, { minItems: 1, maxItems: 1000 }),
    },
    strict,
  ),
);
export type CheckStep = Static<typeof CheckStep>;

/** A step as a teacher or a student sees it. */
const ShownStep = Type.Object({ ...CheckStep.properties, steps: Type.Array(ScriptStep) });

/** A reference to a version of a design: what an assignment starts from. */
const Template = Type.Object(
  {
    design_id: DesignId,
    job_id: Type.Optional(RequestUuid('The version; default the newest.')),
  },
  { ...strict, description: 'Copies source, register map and panel of a design of the caller.' },
);

const assignment = {
  title: Title,
  text: Type.String({ maxLength: 50_000, description: 'Markdown.' }),
  deadline: nullable(Timestamp('Last moment to hand in; null for none.')),
  attempts: nullable(
    Type.Integer({
      minimum: 1,
      maximum: MAX_ATTEMPTS,
      description: 'Hand-ins of each member; null for any number.',
    }),
  ),
  published: Type.Boolean({ description: 'Students see it.' }),
};
const check = Type.Array(CheckStep, { maxItems: MAX_CHECK_STEPS });

export const AssignmentRequest = component(
  'AssignmentRequest',
  Type.Object(
    {
      title: assignment.title,
      text: Type.Optional(assignment.text),
      deadline: Type.Optional(
        nullable(
          Type.String({ format: 'date-time', description: 'Last moment to hand in, with its offset.' }),
        ),
      ),
      attempts: Type.Optional(assignment.attempts),
      published: Type.Optional(Type.Boolean({ ...assignment.published, default: true })),
      template: Type.Optional(nullable(Template)),
      check: Type.Optional(check),
    },
    strict,
  ),
);
export type AssignmentRequest = Static<typeof AssignmentRequest>;

export const AssignmentChange = component('AssignmentChange', Type.Partial(AssignmentRequest, strict));
export type AssignmentChange = Static<typeof AssignmentChange>;

const GRADE_STATES = ['queued', 'running', 'graded', 'failed'] as const;

/** The result of one step of the check. */
const GradedStep = Type.Object({
  title: Type.String({ description: '`Hidden step` for a student if it is hidden.' }),
  hidden: Type.Boolean(),
  points: Points,
  of: Points,
  ok: Type.Boolean(),
  message: nullable(
    Type.String({ description: 'What failed; null if it passed, and for a student if it is hidden.' }),
  ),
});

export const Grade = component(
  'Grade',
  Type.Object({
    state: enumOf(GRADE_STATES, {
      description: '`failed`: it was not built or not checked, see `error`; it has no points.',
    }),
    points: Type.Integer({ minimum: 0 }),
    of: Type.Integer({ minimum: 0 }),
    steps: Type.Array(GradedStep),
    luts: nullable(Type.Integer({ description: 'Look-up tables (logic cells) used.' })),
    fmax: nullable(Type.Number({ description: 'MHz.' })),
    error: nullable(Type.Object({ code: Type.String(), message: Type.String() })),
    graded_at: nullable(Timestamp('When it was graded.')),
  }),
);
export type Grade = Static<typeof Grade>;

export const HandIn = component(
  'HandIn',
  Type.Object({
    hand_in_id: Uuid('The hand-in.'),
    username: Username,
    name: Type.String({ description: 'The member’s name.' }),
    attempt: Type.Integer({ minimum: 1 }),
    at: Timestamp('When it was handed in.'),
    filename: Type.String(),
    bytes: Type.Integer(),
    source_sha256: Type.String(),
    job_id: nullable(Uuid('The build that was handed in.')),
    counts: Type.Boolean({ description: 'The newest of its member: its points count.' }),
    grade: Grade,
  }),
);
export type HandIn = Static<typeof HandIn>;

export const AssignmentView = component(
  'Assignment',
  Type.Object({
    assignment_id: Uuid('The assignment.'),
    ...assignment,
    open: Type.Boolean({ description: 'Members may hand in.' }),
    template: nullable(
      Type.Object({
        filename: Type.String(),
        bytes: Type.Integer(),
        documents: Type.Array(Type.String(), { description: 'What comes with it: `map`, `panel`.' }),
      }),
    ),
    of: Type.Integer({ description: 'Points of all steps.' }),
    check: Type.Array(ShownStep, {
      description: 'For a student without hidden steps, and without what steps do.',
    }),
    handed_in: Type.Integer({ description: 'Members who have handed in; for a student own hand-ins.' }),
    best: nullable(Type.Integer({ description: 'Points of the caller’s hand-in that counts.' })),
  }),
);
export type AssignmentView = Static<typeof AssignmentView>;

export const HandInRequest = component(
  'HandInRequest',
  Type.Object(
    {
      job_id: RequestUuid('A build of the caller, ended or not. The same build twice is one hand-in.'),
    },
    strict,
  ),
);

/** Which hand-ins a list has. */
export const HandInFilter = Type.Object({
  username: Type.Optional(Type.String({ ...Username, description: 'Only those of this member.' })),
  counting: Type.Optional(
    Type.Boolean({ default: false, description: '1: only the newest of each member, which counts.' }),
  ),
  before: Type.Optional(
    RequestUuid('Only those older than this hand-in: the last one of a list continues the list.'),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_LISTED,
      default: MAX_LISTED,
      description: 'Maximum number.',
    }),
  ),
});
export type HandInFilter = Static<typeof HandInFilter>;

export const StartedAssignment = component(
  'StartedAssignment',
  Type.Object({
    design_id: DesignId,
    filename: Type.String({ description: 'File name to submit it under.' }),
  }),
);
export type StartedAssignment = Static<typeof StartedAssignment>;

export const GradeRequest = component(
  'GradeRequest',
  Type.Object(
    {
      hand_in_ids: Type.Optional(
        Type.Array(RequestUuid('A hand-in.'), {
          minItems: 1,
          maxItems: 1000,
          description: 'Default: the hand-in that counts of each member.',
        }),
      ),
    },
    strict,
  ),
);
