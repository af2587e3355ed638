import Type, { type Static } from 'typebox';
import { component, nullable, Timestamp } from '../component.ts';

/** Maximum open control requests of one node; each owner has one. */
export const MAX_CONTROL_REQUESTS = 20;
/** Maximum characters of a note, and of an owner. */
const MAX_NOTE_LENGTH = 200;
const MAX_OWNER_LENGTH = 128;

/** A user's request for control of a node to its holder. */
export const ControlRequest = component(
  'ControlRequest',
  Type.Object({
    owner: Type.String({ description: 'Who requests control.' }),
    since: Timestamp('When it was requested.'),
    note: nullable(Type.String({ description: 'A line for the holder of the node.' })),
  }),
);
export type ControlRequest = Static<typeof ControlRequest>;

/** The body of a control request. */
export const NewControlRequest = component(
  'NewControlRequest',
  Type.Object({
    note: Type.Optional(
      Type.String({ maxLength: MAX_NOTE_LENGTH, description: 'One line for the holder of the node.' }),
    ),
  }),
);

/** The body that declines a control request. */
export const DeclineRequest = component(
  'DeclineRequest',
  Type.Object({
    owner: Type.String({
      minLength: 1,
      maxLength: MAX_OWNER_LENGTH,
      description: 'The owner whose request is declined, as in `control_requests`.',
    }),
  }),
);

export const HandOverRequest = component(
  'HandOverRequest',
  Type.Object({
    to: Type.String({
      minLength: 1,
      maxLength: MAX_OWNER_LENGTH,
      description: 'The new holder: the owner of a valid key while keys are enforced, else any name.',
    }),
  }),
);
export type HandOverRequest = Static<typeof HandOverRequest>;
