import Type, { type Static } from 'typebox';
import { FPGA_STATES, JOB_STATUSES, JOB_TYPES, NODE_COUNT } from '../../nodes/model.ts';
import { component, enumOf, nullable, ref } from './component.ts';

/** The resources of interface.md section 2, field for field. */

export const FpgaId = Type.Integer({
  minimum: 0,
  maximum: NODE_COUNT - 1,
  description: 'The node, 0 to 9.',
  examples: [0],
});

/** RFC 9562 in its canonical form, in either case. */
const UUID_PATTERN = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$';
export const Uuid = (description: string) => Type.String({ format: 'uuid', description });
export const JobId = Type.String({ pattern: UUID_PATTERN, format: 'uuid', description: 'The job.' });
export const Timestamp = (description: string) => Type.String({ format: 'date-time', description });

export const FpgaState = component(
  'FPGAState',
  enumOf(FPGA_STATES, { description: 'State of a node; see the state table of the specification.' }),
);
export const JobStatus = component('JobStatus', enumOf(JOB_STATUSES, { description: 'Status of a job.' }));
export const JobType = component('JobType', enumOf(JOB_TYPES, { description: 'What a job does.' }));

export const SessionResponse = component(
  'SessionResponse',
  Type.Object({
    session_id: Uuid(
      'Identifies the session; under enforcement only its holder sees it, others see the nil UUID.',
    ),
    fpga_id: FpgaId,
    owner: Type.String({ description: 'The caller identity recorded from X-API-Key.' }),
    expires_at: Timestamp('When the session expires; every accepted run renews it.'),
  }),
);

export const FpgaSummary = component(
  'FPGASummary',
  Type.Object({
    fpga_id: FpgaId,
    state: ref(FpgaState),
    session: nullable(ref(SessionResponse)),
    current_job_id: nullable(Uuid('The running job, else the oldest queued one.')),
  }),
);

export const JobResponse = component(
  'JobResponse',
  Type.Object({
    job_id: Uuid('The job.'),
    fpga_id: FpgaId,
    type: ref(JobType),
    status: ref(JobStatus),
    created_at: Timestamp('When the job was accepted.'),
    updated_at: Timestamp('When it last changed.'),
  }),
);

export const SubmitResponse = component(
  'SubmitResponse',
  Type.Object({ job_id: Uuid('The job to poll.'), fpga_id: FpgaId, status: ref(JobStatus) }),
);

export const RunResponse = component(
  'RunResponse',
  Type.Object({ job_id: Uuid('The job to poll.'), fpga_id: FpgaId, status: ref(JobStatus) }),
);

/** Words are unsigned 32-bit integers. */
const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

export const runRequest = (wordsPerRun: number) =>
  component(
    'RunRequest',
    Type.Object(
      {
        op: Type.Integer({ enum: [1, 2], description: 'Wishbone opcode: 1 = write, 2 = read.' }),
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
export type RunRequest = Static<ReturnType<typeof runRequest>>;

export const RunResultResponse = component(
  'RunResultResponse',
  Type.Object({
    ok: Type.Boolean({
      description: 'False when the design did not acknowledge or the job did not complete.',
    }),
    data: Type.Array(Word, { description: 'Wishbone response words.' }),
  }),
);

export const HealthResponse = component(
  'HealthResponse',
  Type.Object({
    status: Type.String({ description: '`ok` when healthy, else `degraded`.' }),
    store: Type.Boolean({ description: 'Whether the state store is reachable.' }),
  }),
);

export const ExchangeRequest = component(
  'ExchangeRequest',
  Type.Object({
    provider_token: Type.String({
      minLength: 1,
      maxLength: 16_384,
      description: 'Access token from the identity provider (device flow or personal access token).',
    }),
  }),
);

export const ExchangeResponse = component(
  'ExchangeResponse',
  Type.Object({
    api_key: Type.String({ description: 'Opaque API key, shown once. Sent as X-API-Key on all requests.' }),
    provider_username: Type.String({ description: 'The username at the identity provider.' }),
  }),
);

export const ErrorResponse = component(
  'ErrorResponse',
  Type.Object({
    error: Type.String({ description: 'Machine-readable error code.' }),
    message: Type.String({ description: 'What happened, and what to do.' }),
    job_id: Type.Optional(nullable(Uuid('The job that the error is about.'))),
  }),
);

export const ErrorEnvelope = component('ErrorEnvelope', Type.Object({ detail: ref(ErrorResponse) }));

export const ValidationEnvelope = component(
  'ValidationErrorEnvelope',
  Type.Object({
    detail: Type.Object({
      ...ErrorResponse.properties,
      errors: Type.Optional(
        Type.Array(
          Type.Object({
            loc: Type.Array(Type.Union([Type.String(), Type.Integer()]), {
              description: 'Where: `path`, `query` or `body`, then the field.',
            }),
            msg: Type.String({ description: 'What is wrong with it.' }),
            type: Type.String({ description: 'Machine-readable kind of the problem.' }),
          }),
        ),
      ),
    }),
  }),
);
