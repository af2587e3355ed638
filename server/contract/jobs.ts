import Type, { type Static } from 'typebox';
import { JobBench } from './benches.ts';
import { FpgaId } from './boards.ts';
import { component, enumOf, integerOf, nullable, SentUuid, Timestamp, Uuid } from './component.ts';
import { Failure } from './diagnostics.ts';
import { InQueue } from './in-queue.ts';
import { BoardPins, MOST_PINS, PinBits } from './pins.ts';
import { PROBES_PATTERN } from './probes.ts';
import { ScriptOutcome } from './scripts.ts';

export const JobId = SentUuid('The job.');

export const JOB_STATUSES = ['queued', 'running', 'complete', 'failed', 'cancelled'] as const;
export const JobStatus = component('JobStatus', enumOf(JOB_STATUSES, { description: 'Status of a job.' }));
export type JobStatus = Static<typeof JobStatus>;

/** Whether nothing about a job changes any more. */
export const hasEnded = (status: JobStatus): boolean =>
  status === 'complete' || status === 'failed' || status === 'cancelled';

export const JOB_TYPES = ['build_and_program', 'run', 'reset'] as const;
export const JobType = component('JobType', enumOf(JOB_TYPES, { description: 'What a job does.' }));
export type JobType = Static<typeof JobType>;

/** Stages of a job, in the order in which they pass. */
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
        'Where builds wait for workers: `batch` lets those by that somebody waits for. Interactive when absent; without a build queue it means nothing.',
    }),
  ),
  allow_timing_failure: Type.Optional(
    Type.Boolean({
      description:
        'Programs a real board also with a design that misses its clock or the target; without it such a job fails with `timing_not_met`. Virtual boards only warn.',
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
        'The clock that the design was written for, Hz. A board’s clock is fixed: where it is another one, the log and the report warn.',
    }),
  ),
  ties: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 255 }), integerOf([0, 1]), {
      maxProperties: 256,
      description:
        'Extra input ports and what all their bits are tied to, as a JSON object, e.g. `{"irq_in": 0}`. An input that the port block reaches can be set later; see also `pins`.',
    }),
  ),
  probes: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 8192,
      pattern: PROBES_PATTERN,
      description:
        'Signals for the capture core, with commas between them: names as in docs/signals.md, or parts of them, e.g. `fifo.count, state[1:0], bus.cyc`. Up to 64 bits together.',
    }),
  ),
  pins: Type.Optional(
    Type.Record(
      Type.String({ minLength: 1, maxLength: 255 }),
      Type.Union([PinBits('What the input is at first.'), BoardPins]),
      {
        maxProperties: MOST_PINS,
        description:
          'Ports beside the bus, as a JSON object: what an input is before anybody sets it, e.g. `{"sw": 18, "cfg": "0x3"}`, or the pins of the board that a port is bound to, e.g. `{"led": "LED0 LED1", "btn": "B5"}`.',
      },
    ),
  ),
});
export type SubmitOptions = Static<typeof SubmitOptions>;

export const SubmitDetails = Type.Object({
  filename: Type.String({ description: 'Of a project, the name of its archive.' }),
  size: Type.Integer({
    description: 'Bytes of the source file, or of the archive that a project is kept as.',
  }),
  options: SubmitOptions,
  files: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Files of a project; absent where the design is one file.' }),
  ),
  ignored: Type.Optional(
    Type.Array(Type.String(), {
      description: 'What was sent with a project and is no part of it, each with its reason.',
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

const RunDetails = Type.Object({
  op: integerOf([1, 2], { description: 'Wishbone opcode: 1 = write, 2 = read.' }),
  address: Type.Integer({ description: 'Byte address, multiple of 4.' }),
  count: Type.Integer({ description: 'How many 32-bit words are written or read.' }),
  fixed_address: Type.Boolean(),
  select: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 15,
      description: 'Bytes of the word that were written, a bit each.',
    }),
  ),
  mask: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 0xffff_ffff,
      description:
        'Bits of the field that the run named. A write leaves the others of the word as they are; of a read they alone are answered, from bit 0 on.',
    }),
  ),
});
export type RunDetails = Static<typeof RunDetails>;

/** What a build came to, in figures. */
const Figures = Type.Object({
  fmax_mhz: nullable(Type.Number({ description: 'Null when no path goes from register to register.' })),
  luts: nullable(Type.Integer({ description: 'Logic cells or LUTs.' })),
  luts_available: nullable(Type.Integer({ description: 'Of so many.' })),
});

/** What a design answers instead of acknowledging, as streams name it. */
export const BusFault = Type.Object({
  code: enumOf(['bus_timeout', 'bus_error'], { description: 'No acknowledge, or `err`.' }),
  address: Type.Integer({ description: 'Byte address of the very access that failed.' }),
});
export type BusFault = Static<typeof BusFault>;

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

/** The node of a job that any node may take. */
const MaybeFpgaId = Type.Union([FpgaId, Type.Null()], {
  description: 'The node; null while the job waits for an idle one.',
});

/** The line in which a job without a node waits. */
const line = {
  waiting_for: Type.Union([FpgaId, Type.Null()], {
    description: 'The one node that it waits for; null where any node may take it.',
  }),
  place: nullable(
    Type.Integer({
      minimum: 1,
      description:
        'Its place in line: 1 for the next. Before it are the jobs accepted earlier that wait for the same node or for any. Null when it has ended.',
    }),
  ),
};
/** The same for jobs that may have a node: only those without one have it. */
const maybeLine = { waiting_for: Type.Optional(line.waiting_for), place: Type.Optional(line.place) };

/** Of a job that another bench took: it has no node of this one. */
const elsewhere = { bench: Type.Optional(JobBench) };

/** The same for a job that need not have a node yet. */
export const AnyJobResponse = component(
  'AnyJobResponse',
  Type.Object({ ...basics, fpga_id: MaybeFpgaId, ...maybeLine, ...elsewhere }),
);

const details = {
  started_at: Type.Optional(Timestamp('When it left the queue.')),
  owner: Type.String({ description: 'Who asked for it. Never an API key that this service minted.' }),
  cancelled_by: Type.Optional(Type.String({ description: 'Who cancelled it, as owners are recorded.' })),
  stage: Type.Optional(enumOf(STAGES, { description: 'What it does at the moment, or did last.' })),
  in_queue: Type.Optional(InQueue),
  fraction: Type.Optional(Type.Number({ description: 'Progress within the stage, 0 to 1.' })),
  submit: Type.Optional(SubmitDetails),
  replaces: Type.Optional(
    Type.Boolean({
      description:
        'The build was asked for with ?replace=1 on a reserved node: it goes on beside the session and then takes its place.',
    }),
  ),
  design_id: Type.Optional(
    Type.String({ description: 'The design that a submit is a version of: see /designs/{design_id}.' }),
  ),
  run: Type.Optional(RunDetails),
  failure: Type.Optional(Failure),
  script: Type.Optional(ScriptOutcome),
  build_id: Type.Optional(Type.String({ description: 'Content address of the build, 64 hex digits.' })),
  figures: Type.Optional(Figures),
  cached: Type.Optional(Type.Boolean({ description: 'The build came from the cache.' })),
  ok: Type.Optional(
    Type.Boolean({
      description: 'A run’s answer: false when the design did not acknowledge or the job failed.',
    }),
  ),
  fault: Type.Optional(BusFault),
  summary: Type.Optional(
    Type.String({ description: 'What is worth one line in a list, e.g. `Fmax 63.2 MHz, 14 % LUT`.' }),
  ),
};

/** A job as events and details show it, and as the store keeps it. */
export const Job = component('JobDetails', Type.Object({ ...basics, ...details }));
export type Job = Static<typeof Job>;

/** A job that waits for an idle node or for a certain one, or was cancelled before there was one. */
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
/** What a request that makes a job is answered with. */
export type Accepted = Static<typeof SubmitResponse>;

/** Words are unsigned 32-bit integers. */
export const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

/** Words of one run at most, where the operator has not set it otherwise. */
export const WORDS_PER_RUN = 65_536;

const Select = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 15,
    description:
      'Bytes of the word that are written, a bit each, bit 0 for bits 7 to 0; of a write of one word. All of them where it is not given.',
  }),
);
const Op = integerOf([1, 2], { description: 'Wishbone opcode: 1 = write, 2 = read.' });
const FixedAddress = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Every word goes to or comes from the same address, such as a FIFO register.',
  }),
);

/** The body of a run for a bench that takes so many words at once. */
export const runRequest = (wordsPerRun: number) =>
  component(
    'RunRequest',
    Type.Object(
      {
        op: Op,
        address: Type.Integer({
          minimum: 0,
          maximum: 0xffff_fffc,
          multipleOf: 4,
          description: 'Wishbone byte address. Writes end below 0xF0000000, where the base SoC begins.',
        }),
        data: Type.Optional(
          Type.Array(Word, {
            maxItems: wordsPerRun,
            default: [],
            description:
              '32-bit data words; used for write only. An empty list writes nothing and completes.',
          }),
        ),
        count: Type.Optional(
          Type.Integer({
            default: 1,
            description: `Number of 32-bit words to read, 1 to ${wordsPerRun}; used for read only: that of a write is ignored.`,
          }),
        ),
        fixed_address: FixedAddress,
        select: Select,
      },
      {
        examples: [
          { op: 1, address: 0, data: [1, 2, 3, 4] },
          { op: 2, address: 0, count: 4 },
        ],
      },
    ),
  );
export const RunRequest = runRequest(WORDS_PER_RUN);
export type RunRequest = Static<typeof RunRequest>;

/** A name of the map, and behind a dot that of a field. */
const LONGEST_PLACE = 2 * 64 + 1;

export const NamedRunRequest = component(
  'NamedRunRequest',
  Type.Object(
    {
      op: Op,
      address: Type.String({
        maxLength: LONGEST_PLACE,
        pattern: '^[A-Za-z_]',
        description:
          'A register of the design’s map, or with `REGISTER.FIELD` some of its bits, whatever the case.',
      }),
      data: Type.Optional(
        Type.Array(Type.Union([Word, Type.String({ maxLength: 64 })]), {
          maxItems: WORDS_PER_RUN,
          description:
            'Used for write only: words; of a field its one value, as a number or by the name that the map has for it.',
        }),
      ),
      count: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Words to read; as many as the register has.' }),
      ),
      fixed_address: FixedAddress,
      select: Select,
    },
    {
      examples: [
        { op: 1, address: 'CTRL.EN', data: ['run'] },
        { op: 2, address: 'STATUS' },
      ],
    },
  ),
);
/** The same by the names of the map that is kept with the design. */
export type NamedRunRequest = Static<typeof NamedRunRequest>;

/** What a run may be asked with; which of the two, the kind of its address says. */
export const AnyRunRequest = Type.Union([RunRequest, NamedRunRequest], { 'x-chosen-by': 'address' });

export const RunResult = component(
  'RunResultResponse',
  Type.Object({
    ok: Type.Boolean({
      description: 'False when the design did not acknowledge or the job did not complete.',
    }),
    data: Type.Array(Word, { description: 'Wishbone response words.' }),
  }),
);
export type RunResult = Static<typeof RunResult>;
