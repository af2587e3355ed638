import Type, { type Static } from 'typebox';
import { enumOf, nullable } from '../component.ts';

/** Why a build does not start, whatever its place. */
export const QueueBlock = nullable(
  enumOf(['owner_limit', 'no_worker'], {
    description:
      'Why else it waits. `owner_limit`: its owner has reached the limit of running builds; `no_worker`: no worker has offered to build it for a minute. Null: no other reason.',
  }),
);
export type QueueBlock = Static<typeof QueueBlock>;

/** A build's place in its queue. */
export const InQueue = Type.Object(
  {
    place: Type.Integer({ minimum: 1, description: '1 for the next.' }),
    behind: nullable(
      Type.Object({ file: Type.String(), owner: Type.String() }, { description: 'The build before it.' }),
    ),
    held: QueueBlock,
  },
  { description: 'Its place among the builds that wait for workers.' },
);
export type InQueue = Static<typeof InQueue>;
