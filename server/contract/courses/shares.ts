import Type, { type Static } from 'typebox';
import { component, enumOf, nullable } from '../component.ts';
import { SHARE_MAXIMA, WEEKDAYS } from './words.ts';

const strict = { additionalProperties: false } as const;

/** An upper limit; null for none. */
const limit = (name: keyof typeof SHARE_MAXIMA, description: string) =>
  Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: SHARE_MAXIMA[name], description })));

/** What one member of a course may have. A limit that is null or absent does not exist. */
export const Shares = component(
  'Shares',
  Type.Object(
    {
      sessions: limit('sessions', 'Nodes that a member holds or builds for at once.'),
      session_minutes: limit(
        'session_minutes',
        'Minutes that one session lasts, however often it is extended.',
      ),
      day_minutes: limit(
        'day_minutes',
        'Minutes of sessions from midnight to midnight in the course’s time zone.',
      ),
      queued_jobs: limit('queued_jobs', 'Jobs of a member that wait for a node.'),
      idle_minutes: limit(
        'idle_minutes',
        'Minutes without an access after which a session is shortened to a grace of two minutes, while others wait for a node.',
      ),
    },
    strict,
  ),
);
export type Shares = Static<typeof Shares>;

/** A time of day on a clock on the wall. */
const TimeOfDay = Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description: 'HH:MM.' });

/** A weekly time slot in which a course has nodes of the bench for itself. */
export const Booking = component(
  'Booking',
  Type.Object(
    {
      day: enumOf(WEEKDAYS),
      from: TimeOfDay,
      to: Type.String({ ...TimeOfDay, description: 'HH:MM, later on the same day.' }),
      nodes: Type.Integer({ minimum: 1, maximum: 10, description: 'How many nodes.' }),
    },
    { ...strict, description: 'In the time zone of the course.' },
  ),
);
export type Booking = Static<typeof Booking>;

/** What a member has used. */
export const ShareUse = Type.Object({
  sessions: Type.Integer({ description: 'Nodes that the member holds or builds for.' }),
  day_minutes: Type.Number({ description: 'Minutes of sessions since midnight in the course’s time zone.' }),
  queued_jobs: Type.Integer({ description: 'Jobs that wait for a node.' }),
});
export type ShareUse = Static<typeof ShareUse>;
