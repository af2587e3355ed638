import Type, { type Static } from 'typebox';
import { nullable } from './component.ts';

/** Where a build stands in the line of its queue. */
export const InQueue = Type.Object(
  {
    place: Type.Integer({ minimum: 1, description: '1 for the next.' }),
    behind: nullable(
      Type.Object({ file: Type.String(), owner: Type.String() }, { description: 'The build before it.' }),
    ),
  },
  { description: 'Where it stands among the builds that wait for workers.' },
);
export type InQueue = Static<typeof InQueue>;
