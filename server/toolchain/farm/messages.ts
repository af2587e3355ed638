import Type, { type Static } from 'typebox';
import { checkOf } from '../../contract/check.ts';
import { enumOf } from '../../contract/component.ts';
import { LANGUAGES } from '../../contract/designs/uploads.ts';
import { Failure } from '../../contract/diagnostics.ts';
import { STAGES, SubmitOptions } from '../../contract/jobs/jobs.ts';
import { BuildEstimate } from '../../contract/jobs/utilisation.ts';

const strict = { additionalProperties: false } as const;
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' });
const Versions = Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }));

/** What a worker can build: one queue. */
export const Capability = Type.Object(
  {
    family: Type.String({ minLength: 1, maxLength: 64 }),
    engine: enumOf(['embedded', 'native']),
    language: enumOf(LANGUAGES),
    /** Every tool that takes part, with its version: a part of the build id. */
    versions: Versions,
    /** Digest of what else decides what comes out: base SoC and flow. */
    flow: Sha256,
  },
  strict,
);
export type Capability = Static<typeof Capability>;
export const isCapability = checkOf(Capability);

/** A build as it lies in a queue. */
export const Order = Type.Object(
  {
    build_id: Sha256,
    /** A board of the catalogue that comes with the program. */
    board: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
    filename: Type.String({ minLength: 1, maxLength: 255 }),
    options: SubmitOptions,
    /** What was uploaded, deflated, base64. */
    source: Type.String(),
    sha256: Sha256,
  },
  strict,
);
export type Order = Static<typeof Order>;
export const isOrder = checkOf(Order);

const Stage = enumOf(STAGES);

/** What is told of a build while it goes on, in order. */
export const BuildMessage = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('begun'),
      worker: Type.String(),
      /** 1 for the first worker that began it. */
      start: Type.Integer({ minimum: 1 }),
      /** The worker that had begun it before; empty for none. */
      after: Type.String(),
    },
    strict,
  ),
  Type.Object(
    {
      kind: Type.Literal('lines'),
      /** 1 for the first of a worker's try: where one is missing, lines were given up to keep Redis small. */
      number: Type.Integer({ minimum: 1 }),
      lines: Type.Array(Type.Tuple([Stage, Type.String()])),
      progress: Type.Optional(Type.Tuple([Stage, Type.Number()])),
      estimate: Type.Optional(BuildEstimate),
    },
    strict,
  ),
  /** As many builds of its owner run as may: it has left its queue, and comes back when it is told that it is released. */
  Type.Object({ kind: Type.Literal('held'), running: Type.Integer() }, strict),
  Type.Object({ kind: Type.Literal('released') }, strict),
  Type.Object({ kind: Type.Literal('built'), sha256: Sha256 }, strict),
  Type.Object({ kind: Type.Literal('failed'), status: Type.Integer(), failure: Failure }, strict),
]);
export type BuildMessage = Static<typeof BuildMessage>;
export const isBuildMessage = checkOf(BuildMessage);

/** What a worker says of itself with every sign of life. */
export const WorkerCard = Type.Object(
  {
    id: Type.String({ maxLength: 64 }),
    name: Type.String({ maxLength: 255 }),
    version: Type.String({ maxLength: 64 }),
    slots: Type.Integer({ minimum: 1 }),
    busy: Type.Integer({ minimum: 0 }),
    /** It takes nothing any more and ends with what it is at. */
    leaving: Type.Boolean(),
    built: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    /** Names of the queues that it takes builds from. */
    queues: Type.Array(Type.String({ maxLength: 128 })),
  },
  strict,
);
export type WorkerCard = Static<typeof WorkerCard>;
export const isWorkerCard = checkOf(WorkerCard);
