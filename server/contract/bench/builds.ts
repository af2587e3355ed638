import Type, { type Static } from 'typebox';
import { component, enumOf, nullable } from '../component.ts';
import { LANGUAGES } from '../designs/uploads.ts';
import { QueueBlock } from '../jobs/in-queue.ts';

/** Maximum queue entries in one request. */
const MAX_LINE_LENGTH = 5000;

export const BuildsQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_LINE_LENGTH,
      description: 'Maximum number of builds in `line`, from its front; 100 when absent.',
    }),
  ),
});

const What = {
  family: Type.String({ description: 'Of FPGAs: `ice40`, `ecp5`, `gowin`.' }),
  engine: enumOf(['embedded', 'native']),
  language: enumOf(LANGUAGES),
};

const Buildable = Type.Object({
  ...What,
  versions: Type.Record(Type.String(), Type.String(), { description: 'Tool to version.' }),
});

const Worker = Type.Object({
  name: Type.String(),
  version: Type.String({ description: 'Of Wishbench.' }),
  slots: Type.Integer({ description: 'Builds at once.' }),
  busy: Type.Integer({ description: 'Builds in progress.' }),
  leaving: Type.Boolean({ description: 'It accepts no more builds and ends after those in progress.' }),
  built: Type.Integer({ description: 'Since its start.' }),
  failed: Type.Integer({ description: 'Since its start.' }),
  builds: Type.Array(Buildable, { description: 'What it can build; empty for the bench itself.' }),
});

const Entry = Type.Object({
  build_id: nullable(Type.String({ description: 'Null while unknown.' })),
  file: Type.String(),
  owner: Type.String(),
  batch: Type.Boolean({ description: 'Interactive builds go first.' }),
  seconds: Type.Number({ description: 'Since its request; for a running build, since its start.' }),
});

/** The builders, the running builds, and the waiting ones. */
export const BuildsView = component(
  'BuildsView',
  Type.Object({
    queue: nullable(
      Type.String({
        description: 'Address of the queue, without user and password; null: builds are made here.',
      }),
    ),
    problem: nullable(
      Type.String({
        description: 'Why the queue does not answer; everything else is then the last known state.',
      }),
    ),
    workers: Type.Array(Worker),
    building: Type.Array(Type.Object({ ...Entry.properties, worker: Type.String() })),
    waiting: Type.Integer({ description: 'Builds that wait, of all benches.' }),
    owners: Type.Array(Type.Object({ owner: Type.String(), waiting: Type.Integer() }), {
      description: 'Of these, how many each owner has; most first.',
    }),
    line: Type.Array(
      Type.Object({
        ...Entry.properties,
        place: Type.Integer({
          description:
            '1 for the next one that the same workers can build, or the next one at its owner’s limit.',
        }),
        kind: Type.String({ description: 'Which workers can build it: family, engine and language.' }),
        held: QueueBlock,
      }),
      {
        description:
          'Waiting builds: each kind in its order, then those held back by the limit of their owner.',
      },
    ),
    rates: nullable(
      Type.Object(
        {
          built_per_minute: Type.Number(),
          failed_per_minute: Type.Number(),
          mean_seconds: nullable(Type.Number({ description: 'Mean time of a build, successful or not.' })),
        },
        { description: 'Of the last ten whole minutes; null if builds are made here.' },
      ),
    ),
    kept: nullable(
      Type.Object(
        { builds: Type.Integer(), bytes: Type.Integer() },
        { description: 'Results that all benches share; null if builds are made here.' },
      ),
    ),
  }),
);
export type BuildsView = Static<typeof BuildsView>;
