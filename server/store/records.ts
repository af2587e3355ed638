import Type, { type Static } from 'typebox';
import { FpgaId } from '../contract/boards/boards.ts';
import { checkOf } from '../contract/check.ts';
import { enumOf, nullable } from '../contract/component.ts';
import { Failure } from '../contract/diagnostics.ts';
import { Job, UnplacedJob } from '../contract/jobs/jobs.ts';
import { ActivityEntry } from '../contract/nodes/activity.ts';
import { FpgaState, Session } from '../contract/nodes/nodes.ts';

// The contract's schemas check what is on disk. They are stricter where a bad value would do harm: it names a file, or
// goes to a board again.

/** Names a job's folder. */
const Id = Type.String({ pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' });

/**
 * The form of Date.toISOString. A pattern, because a start reads thousands of times and the format check `date-time`
 * takes eight times as long: 20 ms more for ten full histories.
 */
const Time = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' });

/** Content address of a build; names its bitstream's file. */
const BuildId = Type.String({ pattern: '^[0-9a-f]{64}$' });

/** The design on the board of a reserved node. */
export const StoredDesign = Type.Object({
  filename: Type.String(),
  build_id: BuildId,
  module: Type.String(),
  job_id: Id,
  design_id: Type.Optional(Type.String()),
  board: Type.String({ description: 'The catalogue’s id of the board that it was built for.' }),
});
export type StoredDesign = Readonly<Static<typeof StoredDesign>>;

/** How much of a session is left at a moment, given by every available clock. */
const Lease = Type.Object({
  left_ms: Type.Number({ minimum: 0 }),
  at: Time,
  boot: nullable(Type.String({ description: 'Which start of the computer; null where it does not say.' })),
  uptime_ms: Type.Number({ description: 'Since that start.' }),
});

const NodeRecord = Type.Object({
  fpga_id: FpgaId,
  state: FpgaState,
  session: nullable(Session),
  lease: Type.Optional(nullable(Lease)),
  error: nullable(Failure),
  design: nullable(StoredDesign),
});
/** A node as bench.json stores it. Records are replaced, never changed in place. */
export type StoredNode = Readonly<Static<typeof NodeRecord>>;

const Run = Type.Object({
  ...Job.properties.run.properties,
  address: Type.Integer({ minimum: 0, maximum: 0xffff_fffc, multipleOf: 4 }),
  count: Type.Integer({ minimum: 0 }),
});

const JobRecord = Type.Object({
  job: Type.Object({
    ...Job.properties,
    job_id: Id,
    created_at: Time,
    updated_at: Time,
    started_at: Type.Optional(Time),
    run: Type.Optional(Run),
    build_id: Type.Optional(BuildId),
  }),
  seq: Type.Integer({ minimum: 0, description: 'Counts acceptances of the whole bench: the order of jobs.' }),
  data: Type.Optional(
    Type.String({
      description:
        'Words to write, little-endian, Base64, where they are few; else the job’s file `request`.',
    }),
  ),
  result: Type.Optional(
    Type.String({ description: 'Words read, in the same form; else the job’s file `result`.' }),
  ),
  log: Type.Optional(
    Type.String({ description: 'The log of a run where it is short: its file is not waited for.' }),
  ),
  bytes: Type.Optional(Type.Integer({ minimum: 0, description: 'Of the files of an ended job.' })),
  on_farm: Type.Optional(
    Type.Literal(true, { description: 'Workers make the build: it continues when the service stops.' }),
  ),
  asked: Type.Optional(enumOf(['reset', 'release'], { description: 'How a reset was asked for.' })),
});
/** A job as bench.json and the histories store it. Records are replaced, never changed in place. */
export type StoredJob = Readonly<Static<typeof JobRecord>>;

// The other waiting jobs determine its place in line; earlier versions had no `waiting_for`.
const {
  place: _place,
  expected_wait_s: _expectedWait,
  waiting_for: WaitingFor,
  ...unplacedProperties
} = UnplacedJob.properties;
const UnplacedRecord = Type.Object({
  job: Type.Object({
    ...unplacedProperties,
    waiting_for: Type.Optional(WaitingFor),
    job_id: Id,
    created_at: Time,
    updated_at: Time,
  }),
  seq: JobRecord.properties.seq,
  note: Type.Optional(Type.String({ description: 'The last line of the log of one that has ended.' })),
});
/** A job without a node, as bench.json stores it. Records are replaced, never changed in place. */
export type StoredUnplacedJob = Readonly<Static<typeof UnplacedRecord>>;

export const isStoredUnplacedJob = checkOf(UnplacedRecord);

export const isActivityEntry = checkOf(ActivityEntry);

const isNodeRecord = checkOf(NodeRecord);

/** Unknown fields are allowed: a later version may have written them. */
export const isStoredJob = checkOf(JobRecord);

/** The state decides what else must be present: a reserved node needs its design. */
export const isStoredNode = (value: unknown): value is StoredNode =>
  isNodeRecord(value) && (value.state !== 'reserved' || value.design !== null);
