import Type, { type Static } from 'typebox';
import { FpgaId } from '../boards/boards.ts';
import { component, enumOf, nullable, Timestamp, Uuid } from '../component.ts';
import { Failure } from '../diagnostics.ts';

/** Maximum bits of a capture, of its trigger, and of values read in one request. */
export const MAX_CAPTURED_BITS = 256;
export const MAX_TRIGGER_BITS = 128;
export const MAX_READ_BITS = 4096;
/** Maximum samples of a capture. */
const MAX_SAMPLES = 65_536;
/** Longest wait for a trigger, seconds. */
const MAX_DEADLINE = 3600;
/** Maximum captures that follow one by themselves. */
const MAX_REARM = 10_000;
/** Maximum clocks of one step. */
const MAX_STEPS = 1_000_000;

const strict = { additionalProperties: false } as const;

export const SignalName = Type.String({
  minLength: 1,
  maxLength: 512,
  description:
    'Hierarchical, as in the source, or a part of one: `fifo.count`, `fifo.count[3:0]`. `bus.cyc`, `bus.we`, `bus.adr`, `bus.dat_w`, `bus.dat_r`, `bus.ack` and `bus.err` are the bench’s side of the bus.',
});

/** A signal that synthesis did not remove from the design. */
export const SignalInfo = component(
  'Signal',
  Type.Object({
    name: Type.String(),
    width: Type.Integer({ description: 'Bits.' }),
    kind: enumOf(['register', 'memory', 'net'], {
      description: 'The kind of its bits: flip-flops, outputs of block RAM, or any.',
    }),
    low: Type.Integer({ description: 'The lower end of its range in the source.' }),
    ascending: Type.Boolean({ description: 'Its range counts upwards, as in `[0:7]`.' }),
    lost: Type.Integer({
      description: 'Bits that were optimised away; all bits of a signal that was removed.',
    }),
    probed: Type.Optional(
      Type.Integer({ description: 'Bits that the capture core of the build records; absent if none.' }),
    ),
    file: Type.Optional(Type.String({ description: 'Where it is declared.' })),
    line: Type.Optional(Type.Integer()),
  }),
);
export type SignalInfo = Static<typeof SignalInfo>;

const Using = enumOf(['inside', 'core'], {
  description:
    '`inside`: a virtual board records any signal of any design; `core`: the capture core that was built in for the probes of the submit.',
});
export type CaptureUsing = Static<typeof Using>;

export const SignalList = component(
  'SignalList',
  Type.Object({
    build_id: Type.String(),
    signals: Type.Array(SignalInfo),
    total: Type.Integer({ description: 'Number of signals that fit `match`.' }),
    omitted: Type.Integer({ description: 'Signals of a very large design that are not listed.' }),
    recorded_by: nullable(Using),
    core: Type.Optional(
      Type.Object(
        { bits: Type.Integer(), depth: Type.Integer({ description: 'Samples.' }) },
        { description: 'The capture core of the running build; absent if it has none.' },
      ),
    ),
  }),
);
export type SignalList = Static<typeof SignalList>;

export const SignalListQuery = Type.Object({
  match: Type.Optional(
    Type.String({ maxLength: 512, description: 'Only names that contain this; case is ignored.' }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 20_000, default: 1000, description: 'Maximum number.' }),
  ),
});

export const SignalReadQuery = Type.Object({
  names: Type.Optional(
    Type.Array(SignalName, {
      maxItems: 256,
      description: 'Signals: given once, several times, or with commas.',
    }),
  ),
});

/** Up to 32 bits as a number, else hexadecimal digits. */
const Value = Type.Union([
  Type.Integer({ minimum: 0, maximum: 0xffff_ffff }),
  Type.String({ pattern: '^0x[0-9a-fA-F]{1,128}$' }),
]);
export type SignalValue = Static<typeof Value>;

export const SignalValues = component(
  'SignalValues',
  Type.Object({
    clock: Type.Integer({
      description: 'Board clocks since the design started: all values are from this clock.',
    }),
    paused: Type.Boolean({ description: 'The clock of the board is paused.' }),
    signals: Type.Array(
      Type.Object({
        name: Type.String(),
        width: Type.Integer(),
        value: Value,
        lost: Type.Optional(
          Type.String({ description: 'Bits that were optimised away, as a mask; they read 0.' }),
        ),
      }),
    ),
  }),
);
export type SignalValues = Static<typeof SignalValues>;

/** Maximum steps of a trigger, occurrences of one, and clocks from one to the next. */
const MAX_TRIGGER_STEPS = 4;
const MAX_STEP_COUNT = 1000;
const MAX_STEP_CLOCKS = 1_000_000;

const AccessFields = {
  kind: Type.Literal('access'),
  address: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 0xffff_fffc,
      multipleOf: 4,
      description: 'Byte address; any when absent.',
    }),
  ),
  direction: Type.Optional(enumOf(['read', 'write'], { description: 'Either when absent.' })),
};
const StepFields = {
  count: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STEP_COUNT,
      default: 1,
      description: 'In this many clocks, not necessarily consecutive ones.',
    }),
  ),
  within: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_STEP_CLOCKS,
      description: 'At most this many clocks after the previous step; not in the first step.',
    }),
  ),
};
const Step = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('value'),
      signal: SignalName,
      value: Value,
      mask: Type.Optional(Value),
      ...StepFields,
    },
    strict,
  ),
  Type.Object(
    { kind: Type.Literal('range'), signal: SignalName, min: Value, max: Value, ...StepFields },
    { ...strict, description: 'The signal has a value from `min` to `max`, unsigned.' },
  ),
  Type.Object(
    {
      kind: Type.Union([Type.Literal('rising'), Type.Literal('falling'), Type.Literal('change')]),
      signal: SignalName,
      ...StepFields,
    },
    { ...strict, description: 'An edge of a single bit, or any change of a signal.' },
  ),
  Type.Object({ ...AccessFields, ...StepFields }, strict),
]);
export type TriggerStep = Static<typeof Step>;

const Trigger = Type.Union([
  Type.Object(
    {
      kind: Type.Literal('sequence'),
      steps: Type.Array(Step, { minItems: 1, maxItems: MAX_TRIGGER_STEPS }),
    },
    {
      ...strict,
      description:
        'Steps that occur one after the other; the trigger is in the clock in which the last one is complete. By a virtual board only.',
    },
  ),
  Type.Object({ kind: Type.Literal('now') }, strict),
  Type.Object(
    {
      kind: Type.Literal('value'),
      signal: SignalName,
      value: Value,
      mask: Type.Optional(Value),
    },
    {
      ...strict,
      description: 'The first clock in which the signal has this value, in the bits of the mask.',
    },
  ),
  Type.Object(
    { kind: Type.Union([Type.Literal('rising'), Type.Literal('falling')]), signal: SignalName },
    { ...strict, description: 'A signal of one bit changes.' },
  ),
  Type.Object(AccessFields, { ...strict, description: 'The first clock of an access on the bus.' }),
]);
export type Trigger = Static<typeof Trigger>;

const settings = {
  trigger: Trigger,
  depth: Type.Integer({ minimum: 1, maximum: MAX_SAMPLES, description: 'Samples.' }),
  position: Type.Integer({
    minimum: 0,
    maximum: MAX_SAMPLES - 1,
    description:
      'Samples before the one of the trigger, fewer if it comes sooner; `depth` - `position` samples begin with it. Below `depth`.',
  }),
  every: Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Board clocks from one sample to the next; the trigger is looked for in every clock.',
  }),
  deadline_seconds: Type.Number({
    minimum: 0.1,
    maximum: MAX_DEADLINE,
    description: 'After this time it ends with the samples so far.',
  }),
  rearm: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: MAX_REARM,
      description: 'This many times, another capture with the same request starts when one is complete.',
    }),
  ),
  pause: Type.Boolean({
    description:
      'Pause the board’s clock with the last sample. With `position` = `depth` - 1 that is the clock of the trigger.',
  }),
};

export const CaptureRequest = component(
  'CaptureRequest',
  Type.Object(
    {
      signals: Type.Array(SignalName, { minItems: 1, maxItems: MAX_CAPTURED_BITS }),
      using: Type.Optional(Using),
      trigger: Type.Optional(settings.trigger),
      depth: Type.Optional(settings.depth),
      position: Type.Optional(settings.position),
      every: Type.Optional(settings.every),
      deadline_seconds: Type.Optional(settings.deadline_seconds),
      pause: Type.Optional(settings.pause),
      rearm: settings.rearm,
    },
    {
      ...strict,
      description:
        'Defaults: `inside` on a virtual board, else the core; trigger now; 1024 samples or the depth of the core; none before the trigger; every clock; a deadline of 60 s; no pause.',
    },
  ),
);
export type CaptureRequest = Static<typeof CaptureRequest>;

export const CAPTURE_STATES = ['running', 'complete', 'timed_out', 'cancelled', 'ended'] as const;

/** A capture: its request, its progress, and the times of its samples. */
export const CaptureView = component(
  'Capture',
  Type.Object({
    capture_id: Uuid('The capture.'),
    fpga_id: FpgaId,
    owner: Type.String({ description: 'Who started it.' }),
    build_id: Type.String({ description: 'The build that is recorded.' }),
    design_id: Type.Optional(Type.String({ description: 'Its design.' })),
    using: Type.Optional(Using),
    state: enumOf(CAPTURE_STATES, {
      description:
        '`timed_out`: the trigger did not come; `ended`: the design was replaced or released first. Only `complete` and `timed_out` have samples.',
    }),
    triggered: Type.Boolean({ description: 'Its trigger has occurred.' }),
    started_at: Timestamp('When it began.'),
    ended_at: nullable(Timestamp('When it ended.')),
    failure: nullable(Failure),
    signals: Type.Array(
      Type.Object({
        name: Type.String(),
        width: Type.Integer(),
        offset: Type.Integer({ description: 'Its lowest bit among the bits of a sample.' }),
        lost: Type.Optional(Type.String({ description: 'Bits that were optimised away, as a mask.' })),
        file: Type.Optional(Type.String()),
        line: Type.Optional(Type.Integer()),
      }),
    ),
    ...settings,
    clock_hz: Type.Number({ description: 'Of the board.' }),
    samples: Type.Integer({ description: 'Number of samples.' }),
    words: Type.Integer({ description: 'Words of 32 bits in a sample of samples.bin.' }),
    trigger_sample: nullable(Type.Integer({ description: 'The sample of the trigger, from 0.' })),
    clock: nullable(
      Type.Integer({
        description:
          'Board clocks of that sample since power-up, or of the last without a trigger; a capture core does not count them.',
      }),
    ),
    lag: Type.Integer({
      description:
        'Board clocks from the sample before the trigger’s to it; all others are `every` clocks apart.',
    }),
  }),
);
export type CaptureView = Static<typeof CaptureView>;

export const CAPTURE_FORMATS = ['json', 'vcd', 'bin'] as const;
export type CaptureFormat = (typeof CAPTURE_FORMATS)[number];

export const BoardClock = component(
  'BoardClock',
  Type.Object({
    paused: Type.Boolean(),
    clock: Type.Integer({ description: 'Board clocks since the design started.' }),
    hz: Type.Number({ description: 'The nominal clock of the board.' }),
  }),
);
export type BoardClock = Static<typeof BoardClock>;

export const ClockRequest = component(
  'ClockRequest',
  Type.Object(
    {
      action: enumOf(['pause', 'run', 'step']),
      clocks: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_STEPS,
          default: 1,
          description: 'Of a step; a capture that pauses the clock may end it sooner.',
        }),
      ),
    },
    strict,
  ),
);
export type ClockRequest = Static<typeof ClockRequest>;
