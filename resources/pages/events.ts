import { EVENT_TYPES } from '../../server/contract/events/event-types.ts';
import { LiveEvent } from '../../server/contract/events/events.ts';
import { code, table } from './markdown.ts';

/** The table of docs/api.md. */
export const eventsTable = (): string =>
  table(
    ['`type`', 'Rest of the object', 'Meaning'],
    LiveEvent.anyOf.map(({ properties: { type, ...fields } }) => [
      code(type.const),
      Object.keys(fields).map(code).join(', '),
      EVENT_TYPES[type.const],
    ]),
  );
