import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';

/** Activity entries of one node that the bench has. */
export const ACTIVITY_PER_NODE = 50;
/** Newest entries of each node in the snapshot of the event stream, which also survive a restart. */
export const ACTIVITY_IN_SNAPSHOT = 5;

/**
 * Kinds of activity, by a user or by the bench itself:
 * - `taken`: a session began after a build was programmed;
 * - `released`, `reset`, `expired`, `replaced`: a session ended (a reset may also be of a node in error without one);
 * - `handed_over`: the session continues with another holder;
 * - `declined`: the holder, or an operator, declined a control request;
 * - `restored`: after a restart of the service the board got the session's design again: registers are as after a
 *   reset;
 * - `cancelled`: a queued job was cancelled; for runs and resets only by a user other than the owner;
 * - `stopped`: a running build was stopped.
 */
export const ACTIVITY_KINDS = [
  'taken',
  'released',
  'reset',
  'expired',
  'replaced',
  'handed_over',
  'declined',
  'restored',
  'cancelled',
  'stopped',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];

export const ActivityEntry = component(
  'ActivityEntry',
  Type.Object({
    seq: Type.Integer({
      description: 'Counts up over all nodes, also from one start of the service to the next.',
    }),
    at: Timestamp('When it happened.'),
    fpga_id: Type.Union([FpgaId, Type.Null()], {
      description: 'The node; null for a job that was cancelled before it had one.',
    }),
    kind: enumOf(ACTIVITY_KINDS, { description: 'What happened.' }),
    by: nullable(Type.String({ description: 'Who did it; null for the bench itself.' })),
    owner: nullable(
      Type.String({
        description: 'The owner of the session or job; null for a node in error without a session.',
      }),
    ),
    to: nullable(
      Type.String({ description: 'The new holder of `handed_over`; whose request was `declined`.' }),
    ),
    design: nullable(Type.String({ description: 'The file of the session’s design, or of the job.' })),
    transactions: Type.Integer({
      description:
        'Reads and writes of the session that are still stored, without those of subscriptions; see GET /fpga/{id}/transactions.',
    }),
    job_id: nullable(Uuid('The job that caused it, or that was cancelled or stopped.')),
  }),
);
export type ActivityEntry = Static<typeof ActivityEntry>;

export const ActivityQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: ACTIVITY_PER_NODE, default: 20, description: 'Maximum number.' }),
  ),
  after: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 2 ** 53 - 1, description: 'Only those with a higher seq.' }),
  ),
});
