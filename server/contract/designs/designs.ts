import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, nullable, Timestamp, Uuid } from '../component.ts';
import { ScriptOutcome } from '../jobs/scripts.ts';

/** Versions of a design that are stored. */
export const DESIGN_VERSIONS = 50;

/** The file name, and eight hex digits of SHA-256 over owner and name: unique for each owner's design. */
export const DesignId = Type.String({
  pattern: '^(?:[a-z0-9-]{1,48}-)?[0-9a-f]{8}$',
  description: 'A design: known by its owner and the name of its file.',
});

const figures = {
  job_id: Uuid('Its build.'),
  fmax: nullable(Type.Number({ description: 'MHz; null if unknown.' })),
  luts: nullable(
    Type.Integer({
      description: 'Look-up tables (logic cells) used; null if unknown.',
    }),
  ),
  seconds: Type.Number({ description: 'From the start of the job to its end.' }),
};

/** Figures for comparing builds. */
const BuildFigures = Type.Object(figures);

const built = {
  ...figures,
  at: Timestamp('When its job ended.'),
  fpga_id: FpgaId,
  build_id: nullable(Type.String({ description: 'Content address of the build; null if there is none.' })),
  ok: Type.Boolean({ description: 'It was built, and a board was programmed with it.' }),
  error: nullable(Type.String({ description: 'Error code if not.' })),
  cached: Type.Boolean({ description: 'The build came from the cache.' }),
  filename: Type.String(),
  bytes: Type.Integer({ description: 'Of the source.' }),
  source_sha256: nullable(
    Type.String({ description: 'Of the source, 64 hex digits; null if it was removed.' }),
  ),
  script: nullable(ScriptOutcome),
};

/** A version as it is stored. */
export const StoredVersion = Type.Object(built);
export type StoredVersion = Static<typeof StoredVersion>;

const DesignVersion = Type.Object({
  ...built,
  before: nullable(BuildFigures),
});
/** One build of a design. */
export type DesignVersion = Static<typeof DesignVersion>;

const basics = {
  design_id: DesignId,
  owner: Type.String(),
  name: Type.String({ description: 'Name of its file.' }),
  updated_at: Timestamp('When it was last built or changed.'),
  documents: Type.Array(Type.String(), { description: 'Its documents, e.g. `script`.' }),
};

/** A design in a list. */
export const DesignSummary = component(
  'DesignSummary',
  Type.Object({
    ...basics,
    versions: Type.Integer({ description: 'Stored versions.' }),
    newest: nullable(DesignVersion),
  }),
);
export type DesignSummary = Static<typeof DesignSummary>;

/** A design with its versions. */
export const DesignDetails = component(
  'DesignDetails',
  Type.Object({
    ...basics,
    versions: Type.Array(DesignVersion, {
      description: 'Newest first; `before` has the figures of the previous successful build.',
    }),
  }),
);
export type DesignDetails = Static<typeof DesignDetails>;
