import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, integerOf, nullable, RequestUuid, Timestamp, Uuid } from '../component.ts';
import { Failure } from '../diagnostics.ts';
import { BoardPins, MAX_PINS, PinBits } from '../nodes/pins.ts';
import { JobBench } from '../remote/benches.ts';
import { PROBES_PATTERN } from '../signals/probes.ts';
import { InQueue } from './in-queue.ts';
import { BusFault, RunDetails } from './runs.ts';
import { ScriptOutcome } from './scripts.ts';
import { BuildEstimate } from './utilisation.ts';

export const JobId = RequestUuid('The job.');

export const JOB_STATUSES = ['queued', 'running', 'complete', 'failed', 'cancelled'] as const;
export const JobStatus = component('JobStatus', enumOf(JOB_STATUSES, { description: 'Status of a job.' }));
export type JobStatus = Static<typeof JobStatus>;

/** Whether a job has ended and no longer changes. */
export const hasEnded = (status: JobStatus): boolean =>
  status === 'complete' || status === 'failed' || status === 'cancelled';

export const JOB_TYPES = ['build_and_program', 'run', 'reset'] as const;
export const JobType = component('JobType', enumOf(JOB_TYPES, { description: 'What a job does.' }));
export type JobType = Static<typeof JobType>;

/** Stages of a job, in order. */
export const STAGES = [
  'queue',
  'scan',
  'synthesis',
  'place',
  'route',
  'pack',
  'program',
  'identify',
  'script',
  'transfer',
] as const;
export type Stage = (typeof STAGES)[number];

/** Options of a submit. */
export const SubmitOptions = Type.Object({
  top: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The module to use when several are Wishbone slaves.',
    }),
  ),
  timing_target_mhz: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 1000,
      description: 'Clock constraint for place and route, MHz; the board’s clock when absent.',
    }),
  ),
  priority: Type.Optional(
    enumOf(['interactive', 'batch'], {
      description:
        'With a build queue: interactive builds go before `batch` builds. The default is `interactive`.',
    }),
  ),
  allow_timing_failure: Type.Optional(
    Type.Boolean({
      description:
        'Programs a real board even if the design misses its clock or the target; without it, such a job fails with `timing_not_met`. Virtual boards only warn.',
    }),
  ),
  addressing: Type.Optional(
    enumOf(['byte', 'word'], {
      description: 'How the design counts addresses, when its ports leave it open.',
    }),
  ),
  sys_clk_freq: Type.Optional(
    Type.Number({
      minimum: 1,
      maximum: 1e12,
      description:
        'The clock that the design was written for, Hz. A board’s clock is fixed: if it differs, the log and the report warn.',
    }),
  ),
  ties: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 255 }), integerOf([0, 1]), {
      maxProperties: 256,
      description:
        'Extra input ports and the level that ties all their bits, as a JSON object, e.g. `{"irq_in": 0}`. An input that the port block reaches can be set later; see also `pins`.',
    }),
  ),
  probes: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8192,
      pattern: PROBES_PATTERN,
      description:
        'Signals for the capture core, separated by commas: names as in docs/signals.md, or bits of them, e.g. `fifo.count, state[1:0], bus.cyc`. Up to 64 bits together.',
    }),
  ),
  pins: Type.Optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: 255 }),
      Type.Union([PinBits('Initial value of the input.'), BoardPins]),
      {
        maxProperties: MAX_PINS,
        description:
          'Ports outside the bus, as a JSON object: initial values of inputs, e.g. `{"sw": 18, "cfg": "0x3"}`, or pins of the board for a port, e.g. `{"led": "LED0 LED1", "btn": "B5"}`.',
      },
    ),
  ),
});
export type SubmitOptions = Static<typeof SubmitOptions>;

export const SubmitDetails = Type.Object({
  filename: Type.String({ description: 'Of a project, the name of its archive.' }),
  size: Type.Integer({
    description: 'Bytes of the source file, or of the project’s archive.',
  }),
  options: SubmitOptions,
  files: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Files of a project; absent if the design is one file.' }),
  ),
  ignored: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Uploaded files that are not part of the project, each with its reason.',
    }),
  ),
});
export type SubmitDetails = Static<typeof SubmitDetails>;

/** One file of a submitted design. */
export const DesignFileView = component(
  'DesignFile',
  Type.Object({
    path: Type.String({ description: 'Relative to the project, with `/` between folders.' }),
    bytes: Type.Integer(),
  }),
);
export type DesignFileView = Static<typeof DesignFileView>;

/** The figures of a build. */
const Figures = Type.Object({
  fmax_mhz: nullable(Type.Number({ description: 'Null if no path leads from register to register.' })),
  luts: nullable(Type.Integer({ description: 'Logic cells or LUTs.' })),
  luts_available: nullable(Type.Integer({ description: 'The number available.' })),
  timing_met: Type.Optional(
    Type.Boolean({ description: 'Whether it meets the timing target; builds of earlier versions lack it.' }),
  ),
});

const basics = {
  job_id: Uuid('The job.'),
  fpga_id: FpgaId,
  type: JobType,
  status: JobStatus,
  created_at: Timestamp('When the job was accepted.'),
  updated_at: Timestamp('When it last changed.'),
};

/** A job with exactly the fields of the specification. */
export const JobResponse = component('JobResponse', Type.Object({ ...basics }));
export type JobResponse = Static<typeof JobResponse>;

/** The node of a job; null for a job that waits for any. */
const MaybeFpgaId = Type.Union([FpgaId, Type.Null()], {
  description: 'The node; null while the job waits for an idle one.',
});

/** The line in which a job without a node waits. */
const line = {
  waiting_for: Type.Union([FpgaId, Type.Null()], {
    description: 'The one node that it waits for; null if any node may take it.',
  }),
  place: nullable(
    Type.Integer({
      minimum: 1,
      description:
        'Its place in line: 1 for the next. Before it are the jobs accepted earlier that wait for the same node or for any; of a course, those of members with fewer minutes today. Null when it has ended.',
    }),
  ),
  expected_wait_s: nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Expected seconds until it has a node, from recent holding times; null if there are too few measurements.',
    }),
  ),
};
/** The same for jobs that may have a node: only those without one have these fields. */
const maybeLine = {
  waiting_for: Type.Optional(line.waiting_for),
  place: Type.Optional(line.place),
  expected_wait_s: Type.Optional(line.expected_wait_s),
};

/** A remote job has no node of this bench. */
const elsewhere = { bench: Type.Optional(JobBench) };

/** The same for a job that may have no node yet. */
export const AnyJobResponse = component(
  'AnyJobResponse',
  Type.Object({ ...basics, fpga_id: MaybeFpgaId, ...maybeLine, ...elsewhere }),
);

const details = {
  started_at: Type.Optional(Timestamp('When it left the queue.')),
  owner: Type.String({ description: 'Its owner. Never an API key of this service.' }),
  cancelled_by: Type.Optional(Type.String({ description: 'Who cancelled it, as owners are recorded.' })),
  stage: Type.Optional(enumOf(STAGES, { description: 'Its current or last stage.' })),
  in_queue: Type.Optional(InQueue),
  fraction: Type.Optional(Type.Number({ description: 'Progress within the stage, 0 to 1.' })),
  submit: Type.Optional(SubmitDetails),
  replaces: Type.Optional(
    Type.Boolean({
      description:
        'The build was submitted with ?replace=1 on a reserved node: the session continues during the build, then the new design replaces it.',
    }),
  ),
  design_id: Type.Optional(
    Type.String({ description: 'The design that a submit is a version of: see /designs/{design_id}.' }),
  ),
  run: Type.Optional(RunDetails),
  failure: Type.Optional(Failure),
  script: Type.Optional(ScriptOutcome),
  build_id: Type.Optional(Type.String({ description: 'Content address of the build, 64 hex digits.' })),
  estimate: Type.Optional(BuildEstimate),
  figures: Type.Optional(Figures),
  cached: Type.Optional(Type.Boolean({ description: 'The build came from the cache.' })),
  ok: Type.Optional(
    Type.Boolean({
      description: 'A run’s answer: false when the design did not acknowledge or the job failed.',
    }),
  ),
  fault: Type.Optional(BusFault),
  summary: Type.Optional(
    Type.String({ description: 'A summary in one line, e.g. `Fmax 63.2 MHz, 14 % LUT`.' }),
  ),
};

/** A job as events and details show it, and as the store has it. */
export const Job = component('JobDetails', Type.Object({ ...basics, ...details }));
export type Job = Static<typeof Job>;

/** A job that waits for an idle node or for one node, or that ended before it had one. */
export const UnplacedJob = component(
  'UnplacedJob',
  Type.Object({
    ...basics,
    fpga_id: Type.Null({ description: 'It has no node.' }),
    owner: details.owner,
    cancelled_by: details.cancelled_by,
    submit: SubmitDetails,
    ...line,
    design_id: details.design_id,
  }),
);
export type UnplacedJob = Static<typeof UnplacedJob>;

/** A job in a list of the whole bench. */
export const AnyJob = component(
  'AnyJobDetails',
  Type.Object({ ...basics, fpga_id: MaybeFpgaId, ...details, ...maybeLine, ...elsewhere }),
);
export type AnyJob = Static<typeof AnyJob>;

const accepted = { job_id: Uuid('The job to poll.'), fpga_id: FpgaId, status: JobStatus };
export const SubmitResponse = component('SubmitResponse', Type.Object({ ...accepted }));
export const RunResponse = component('RunResponse', Type.Object({ ...accepted }));
export const AnySubmitResponse = component(
  'AnySubmitResponse',
  Type.Object({ ...accepted, fpga_id: MaybeFpgaId, ...elsewhere }),
);
/** The answer to a request that creates a job. */
export type Accepted = Static<typeof SubmitResponse>;
