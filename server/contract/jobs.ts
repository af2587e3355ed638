import Type, { type Static } from 'typebox';
import { FpgaId } from './boards.ts';
import { component, enumOf, integerOf, SentUuid, Timestamp, Uuid } from './component.ts';
import { Failure } from './diagnostics.ts';

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
const STAGES = [
  'queue',
  'scan',
  'synthesis',
  'place',
  'route',
  'pack',
  'program',
  'identify',
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
  addressing: Type.Optional(
    enumOf(['byte', 'word'], {
      description: 'How the design counts addresses, when its ports leave it open.',
    }),
  ),
  ties: Type.Optional(
    Type.Record(Type.String({ minLength: 1, maxLength: 255 }), integerOf([0, 1]), {
      maxProperties: 256,
      description:
        'Extra input ports and what all their bits are tied to, as a JSON object, e.g. `{"irq_in": 0}`.',
    }),
  ),
});
export type SubmitOptions = Static<typeof SubmitOptions>;

const SubmitDetails = Type.Object({
  filename: Type.String(),
  size: Type.Integer({ description: 'Bytes of the source file.' }),
  options: SubmitOptions,
});

const RunDetails = Type.Object({
  op: integerOf([1, 2], { description: 'Wishbone opcode: 1 = write, 2 = read.' }),
  address: Type.Integer({ description: 'Byte address, multiple of 4.' }),
  count: Type.Integer({ description: 'How many 32-bit words are written or read.' }),
  fixed_address: Type.Boolean(),
});
export type RunDetails = Static<typeof RunDetails>;

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

/** A job as events and details show it, and as the store keeps it. */
export const Job = component(
  'JobDetails',
  Type.Object({
    ...basics,
    started_at: Type.Optional(Timestamp('When it left the queue.')),
    owner: Type.String({ description: 'Who asked for it. Never an API key that this service minted.' }),
    stage: Type.Optional(enumOf(STAGES, { description: 'What it does at the moment, or did last.' })),
    fraction: Type.Optional(Type.Number({ description: 'Progress within the stage, 0 to 1.' })),
    submit: Type.Optional(SubmitDetails),
    run: Type.Optional(RunDetails),
    failure: Type.Optional(Failure),
    build_id: Type.Optional(Type.String({ description: 'Content address of the build, 64 hex digits.' })),
    cached: Type.Optional(Type.Boolean({ description: 'The build came from the cache.' })),
    ok: Type.Optional(
      Type.Boolean({
        description: 'A run’s answer: false when the design did not acknowledge or the job failed.',
      }),
    ),
    summary: Type.Optional(
      Type.String({ description: 'What is worth one line in a list, e.g. `Fmax 63.2 MHz, 14 % LUT`.' }),
    ),
  }),
);
export type Job = Static<typeof Job>;

const accepted = { job_id: Uuid('The job to poll.'), fpga_id: FpgaId, status: JobStatus };
export const SubmitResponse = component('SubmitResponse', Type.Object({ ...accepted }));
export const RunResponse = component('RunResponse', Type.Object({ ...accepted }));
/** What a request that makes a job is answered with. */
export type Accepted = Static<typeof SubmitResponse>;

/** Words are unsigned 32-bit integers. */
export const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

/** Words of one run at most, where the operator has not set it otherwise. */
export const WORDS_PER_RUN = 65_536;

/** The body of a run for a bench that takes so many words at once. */
export const runRequest = (wordsPerRun: number) =>
  component(
    'RunRequest',
    Type.Object(
      {
        op: integerOf([1, 2], { description: 'Wishbone opcode: 1 = write, 2 = read.' }),
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
            minimum: 1,
            maximum: wordsPerRun,
            default: 1,
            description: 'Number of 32-bit words to read; used for read only.',
          }),
        ),
        fixed_address: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Every word goes to or comes from the same address, such as a FIFO register.',
          }),
        ),
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
