import Type from 'typebox';
import { STAGES } from '../../nodes/model.ts';
import { component, enumOf, nullable, ref } from './component.ts';
import { FpgaId, FpgaState, JobStatus, JobType, SessionResponse, Timestamp, Uuid } from './contract.ts';

/** What the GUI shows beyond the contract: nodes, jobs, boards and reports in full. */

export const Failure = component(
  'Failure',
  Type.Object({
    error: Type.String({ description: 'A code of docs/errors.md.' }),
    message: Type.String({ description: 'What happened.' }),
    remedy: Type.String({ description: 'What to do.' }),
  }),
);

export const BoardView = component(
  'BoardView',
  Type.Object({
    slot: FpgaId,
    id: Type.String({ description: 'Stable identity: `virtual:3`, `usb:<serial>` or `port:<path>`.' }),
    kind: enumOf(['virtual', 'usb']),
    definition: Type.String({ description: 'Id in the catalogue of boards.' }),
    name: Type.String(),
    present: Type.Boolean(),
    reason: Type.Optional(Type.String({ description: 'Why it cannot be used, when it cannot.' })),
  }),
);

export const NodeDetails = component(
  'NodeDetails',
  Type.Object({
    fpga_id: FpgaId,
    state: ref(FpgaState),
    session: nullable(ref(SessionResponse)),
    current_job_id: nullable(Uuid('The running job, else the oldest queued one.')),
    error: nullable(ref(Failure)),
    resetting: Type.Boolean({ description: 'A reset or release is queued or running.' }),
    board: ref(BoardView),
    design: nullable(
      Type.Object({ filename: Type.String(), build_id: Type.String(), module: Type.String() }),
    ),
    last_job_id: nullable(Uuid('The last ended job.')),
  }),
);

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
    Type.Record(
      Type.String({ minLength: 1, maxLength: 255 }),
      Type.Unsafe<0 | 1>({ type: 'integer', enum: [0, 1] }),
      {
        maxProperties: 256,
        description:
          'Extra input ports and what all their bits are tied to, as a JSON object, e.g. `{"irq_in": 0}`.',
      },
    ),
  ),
});

export const JobDetails = component(
  'JobDetails',
  Type.Object({
    job_id: Uuid('The job.'),
    fpga_id: FpgaId,
    type: ref(JobType),
    status: ref(JobStatus),
    created_at: Timestamp('When the job was accepted.'),
    updated_at: Timestamp('When it last changed.'),
    started_at: Type.Optional(Timestamp('When it left the queue.')),
    owner: Type.String({ description: 'Who asked for it.' }),
    stage: Type.Optional(enumOf(STAGES, { description: 'What it does at the moment, or did last.' })),
    fraction: Type.Optional(Type.Number({ description: 'Progress within the stage, 0 to 1.' })),
    submit: Type.Optional(
      Type.Object({ filename: Type.String(), size: Type.Integer(), options: SubmitOptions }),
    ),
    run: Type.Optional(
      Type.Object({
        op: Type.Integer(),
        address: Type.Integer(),
        count: Type.Integer(),
        fixed_address: Type.Boolean(),
      }),
    ),
    failure: Type.Optional(ref(Failure)),
    build_id: Type.Optional(Type.String({ description: 'Content address of the build, 64 hex digits.' })),
    cached: Type.Optional(Type.Boolean({ description: 'The build came from the cache.' })),
    ok: Type.Optional(Type.Boolean({ description: 'A run’s answer.' })),
    summary: Type.Optional(Type.String()),
  }),
);

const Port = Type.Object({
  name: Type.String(),
  direction: enumOf(['input', 'output', 'inout']),
  width: Type.Integer(),
  offset: Type.Integer(),
});

export const MatchedDesign = component(
  'MatchedDesign',
  Type.Object({
    module: Type.String(),
    roles: Type.Record(Type.String(), Type.String(), {
      description: 'Role on the bus to the design’s port, e.g. `ack` to `wb_ack_o`.',
    }),
    dataWidth: Type.Integer({ description: '8, 16 or 32.' }),
    addressWidth: Type.Integer(),
    addressing: enumOf(['byte', 'word']),
    addressingReason: Type.String({ description: 'How the addressing was decided.' }),
    resetActiveLow: Type.Boolean(),
    handshake: enumOf(['classic', 'pipelined']),
    ties: Type.Array(
      Type.Object({
        port: Type.String(),
        width: Type.Integer(),
        value: Type.Integer(),
        reason: Type.String(),
      }),
    ),
    open: Type.Array(Type.String(), { description: 'Outputs left open and inouts left unconnected.' }),
    ports: Type.Array(Port),
  }),
);

export const Diagnostic = component(
  'Diagnostic',
  Type.Object({
    level: enumOf(['error', 'warning']),
    file: Type.String(),
    line: Type.Integer(),
    message: Type.String(),
  }),
);

export const ScanResult = component(
  'ScanResult',
  Type.Object({
    matched: nullable(ref(MatchedDesign)),
    modules: Type.Array(
      Type.Object({
        name: Type.String(),
        ports: Type.Array(Port),
        problem: nullable(Type.String({ description: 'Why it is no candidate.' })),
      }),
    ),
    diagnostics: Type.Array(ref(Diagnostic)),
  }),
);

export const BuildReport = component(
  'BuildReport',
  Type.Object({
    build_id: Type.String(),
    board: Type.String(),
    part: Type.String(),
    engine: Type.String(),
    cached: Type.Boolean(),
    design: ref(MatchedDesign),
    utilisation: Type.Array(
      Type.Object({ resource: Type.String(), used: Type.Integer(), available: Type.Integer() }),
    ),
    timing: Type.Object({
      fmax_mhz: nullable(Type.Number()),
      target_mhz: Type.Number(),
      met: Type.Boolean(),
      critical_path: Type.Array(
        Type.Object({
          from: Type.String(),
          to: Type.String(),
          delay_ns: Type.Number(),
          type: Type.String(),
        }),
      ),
    }),
    seconds: Type.Record(Type.String(), Type.Number(), { description: 'Stage to seconds.' }),
    versions: Type.Record(Type.String(), Type.String(), { description: 'Tool to version.' }),
    peak_memory_bytes: Type.Optional(Type.Integer()),
    diagnostics: Type.Array(ref(Diagnostic)),
    bitstream_size: Type.Integer({ description: 'Bytes.' }),
  }),
);
