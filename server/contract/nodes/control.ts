import Type, { type Static } from 'typebox';
import { component, nullable, Timestamp } from '../component.ts';

/** Questions for control of one node that may be open; each owner has one. */
export const MAX_CONTROL_REQUESTS = 20;
/** Characters of a note, and of an owner. */
const MAX_NOTE_LENGTH = 200;
const MAX_OWNER_LENGTH = 128;

/** Somebody asks who holds a node for control of it. */
export const ControlQuestion = component(
  'ControlQuestion',
  Type.Object({
    owner: Type.String({ description: 'Who asks.' }),
    since: Timestamp('When it was asked.'),
    note: nullable(Type.String({ description: 'What was said with it.' })),
  }),
);
export type ControlQuestion = Static<typeof ControlQuestion>;

export const ControlRequest = component(
  'ControlRequest',
  Type.Object({
    note: Type.Optional(
      Type.String({ maxLength: MAX_NOTE_LENGTH, description: 'One line for who holds the node.' }),
    ),
  }),
);
export type ControlRequest = Static<typeof ControlRequest>;

export const HandOverRequest = component(
  'HandOverRequest',
  Type.Object({
    to: Type.String({
      minLength: 1,
      maxLength: MAX_OWNER_LENGTH,
      description:
        'Who is to hold the session: the owner of a valid key while keys are enforced, else any name.',
    }),
  }),
);
export type HandOverRequest = Static<typeof HandOverRequest>;
