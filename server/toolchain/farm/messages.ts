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

/** What a worker can build; each capability has a queue. */
export const Capability = Type.Object(
  {
    family: Type.String({ minLength: 1, maxLength: 64 }),
    engine: enumOf(['embedded', 'native']),
    language: enumOf(LANGUAGES),
    /** Versions of all tools that take part; they enter the build id. */
    versions: Versions,
    /** Digest of what else affects the output: base SoC and flow. */
    flow: Sha256,
  },
  strict,
);
export type Capability = Static<typeof Capability>;
export const isCapability = checkOf(Capability);

/** A build in a queue. */
export const Order = Type.Object(
  {
    build_id: Sha256,
    /** A board of the program's catalogue. */
    board: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
    filename: Type.String({ minLength: 1, maxLength: 255 }),
    options: SubmitOptions,
    /** The upload, deflated, base64. */
    source: Type.String(),
    sha256: Sha256,
  },
  strict,
);
export type Order = Static<typeof Order>;
export const isOrder = checkOf(Order);

const Stage = enumOf(STAGES);

/** A message about a running build. Messages are ordered. */
export const BuildMessage = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('begun'),
      worker: Type.String(),
      /** 1 for the first worker of the build. */
      start: Type.Integer({ minimum: 1 }),
      /** The worker before; empty for none. */
      after: Type.String(),
    },
    strict,
  ),
  Type.Object(
    {
      kind: Type.Literal('lines'),
      /** Counts from 1 for each start. A gap means that Redis dropped lines. */
      number: Type.Integer({ minimum: 1 }),
      lines: Type.Array(Type.Tuple([Stage, Type.String()])),
      progress: Type.Optional(Type.Tuple([Stage, Type.Number()])),
      estimate: Type.Optional(BuildEstimate),
    },
    strict,
  ),
  /** Its owner's limit is reached: it waits for one of the owner's builds. */
  Type.Object({ kind: Type.Literal('held'), running: Type.Integer() }, strict),
  Type.Object({ kind: Type.Literal('built'), sha256: Sha256 }, strict),
  Type.Object({ kind: Type.Literal('failed'), status: Type.Integer(), failure: Failure }, strict),
]);
export type BuildMessage = Static<typeof BuildMessage>;
export const isBuildMessage = checkOf(BuildMessage);

/** A worker's description, sent with every sign of life. */
export const WorkerCard = Type.Object(
  {
    id: Type.String({ maxLength: 64 }),
    name: Type.String({ maxLength: 255 }),
    version: Type.String({ maxLength: 64 }),
    slots: Type.Integer({ minimum: 1 }),
    busy: Type.Integer({ minimum: 0 }),
    /** It takes no more builds, and ends after the running ones. */
    leaving: Type.Boolean(),
    built: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    /** Names of the queues that it serves. */
    queues: Type.Array(Type.String({ maxLength: 128 })),
  },
  strict,
);
export type WorkerCard = Static<typeof WorkerCard>;
export const isWorkerCard = checkOf(WorkerCard);
