import Type, { type Static } from 'typebox';
import { component, nullable, Uuid } from './component.ts';

/** The body of every error: interface specification, section 7. */
const ErrorResponse = component(
  'ErrorResponse',
  Type.Object({
    error: Type.String({ description: 'Machine-readable error code.' }),
    message: Type.String({ description: 'What happened, and what to do.' }),
    job_id: Type.Optional(nullable(Uuid('The job that the error is about.'))),
  }),
);
export const ErrorEnvelope = component('ErrorEnvelope', Type.Object({ detail: ErrorResponse }));
export type ErrorEnvelope = Static<typeof ErrorEnvelope>;

export const FieldProblem = Type.Object({
  loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
    description: 'Where: `path`, `query` or `body`, then the field.',
  }),
  msg: Type.String({ description: 'The problem with it.' }),
  type: Type.String({ description: 'Machine-readable kind of the problem.' }),
});
export type FieldProblem = Static<typeof FieldProblem>;

/** The body of a 422: the envelope with the invalid fields. */
export const ValidationEnvelope = component(
  'ValidationErrorEnvelope',
  Type.Object({
    detail: Type.Object({
      ...ErrorResponse.properties,
      errors: Type.Optional(Type.Array(FieldProblem)),
    }),
  }),
);
export type ValidationEnvelope = Static<typeof ValidationEnvelope>;
