import Type, { type Static } from 'typebox';
import { checkOf } from '../../contract/check.ts';
import { nullable } from '../../contract/component.ts';
import { AssignmentView, CheckStep, Grade, HandIn } from '../../contract/courses/assignments.ts';
import { SubmitOptions } from '../../contract/jobs/jobs.ts';
import type { Access } from '../courses.ts';

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of a stored file.' });

/** What an assignment starts from; its files are stored by their digests. */
const StoredTemplate = Type.Object({
  filename: Type.String(),
  bytes: Type.Integer(),
  source: Digest,
  map: nullable(Digest),
  panel: nullable(Digest),
});
export type StoredTemplate = Static<typeof StoredTemplate>;

const { assignment_id, title, text, deadline, attempts, published } = AssignmentView.properties;

/** An assignment as it is stored. Replaced, never changed in place. */
export const StoredAssignment = Type.Object({
  ...{ assignment_id, title, text, deadline, attempts, published },
  course_id: Type.String(),
  template: nullable(StoredTemplate),
  check: Type.Array(CheckStep),
  created_at: Type.String(),
});
export type StoredAssignment = Readonly<Static<typeof StoredAssignment>>;

/** An assignment with what a caller may do in its course. */
export interface AssignmentAccess extends Access {
  readonly assignment: StoredAssignment;
}

/** Checks the document of assignments from disk. */
export const areStoredAssignments = checkOf(Type.Array(StoredAssignment));

const { state: _state, ...grade } = Grade.properties;
const StoredGrade = Type.Object({ ...grade, graded_at: Type.String() });
/** A grade; with an `error` it failed. */
export type StoredGrade = Static<typeof StoredGrade>;

const { counts: _, ...handIn } = HandIn.properties;

/** A hand-in as it is stored, with the member’s name at the time. Replaced, never changed in place. */
const StoredHandIn = Type.Object({
  ...handIn,
  assignment_id,
  source_sha256: Digest,
  options: SubmitOptions,
  job_id: Type.String(),
  pending: Type.Boolean({ description: 'It waits for a grade, or for another one.' }),
  grade: nullable(StoredGrade),
});
export type StoredHandIn = Readonly<Static<typeof StoredHandIn>>;

export const isStoredHandIn = checkOf(StoredHandIn);
