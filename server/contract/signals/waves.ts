import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';
import { DecoderRow } from './decoders.ts';
import { SignalName } from './signals.ts';
import { CURVES, WAVE_FORMATS } from './wave-formats.ts';

const strict = { additionalProperties: false } as const;

export type WaveFormat = (typeof WAVE_FORMATS)[number];
export type WaveCurve = (typeof CURVES)[number];

/** Maximum rows: as many signals as a capture has, and as many titles. */
const MAX_ROWS = 512;
/** Maximum named values of one signal. */
const MAX_NAMES = 256;
/** Maximum named times. */
const MAX_MARKERS = 64;

const WaveSignal = Type.Object(
  {
    kind: Type.Literal('signal'),
    name: SignalName,
    format: Type.Optional(
      enumOf(WAVE_FORMATS, {
        description:
          'When absent: names if the register map of the design or `names` has some, else hexadecimal. A single bit is drawn as a line.',
      }),
    ),
    curve: Type.Optional(enumOf(CURVES, { description: 'Drawn as a curve, in a row three times as high.' })),
    names: Type.Optional(
      Type.Record(Type.String({ pattern: '^[0-9]{1,78}$' }), Type.String({ minLength: 1, maxLength: 64 }), {
        ...strict,
        maxProperties: MAX_NAMES,
        description: 'Names of some of its values, by their decimal digits.',
      }),
    ),
  },
  strict,
);

const WaveGroup = Type.Object(
  {
    kind: Type.Literal('group'),
    title: Type.String({ minLength: 1, maxLength: 64 }),
    folded: Type.Optional(Type.Boolean({ description: 'Its signals are not shown.' })),
  },
  { ...strict, description: 'A title; the signals that follow, up to the next one, are its group.' },
);

const WaveMarker = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 24 }),
    clocks: Type.Integer({
      minimum: -(2 ** 40),
      maximum: 2 ** 40,
      description: 'Board clocks from the trigger, or from the first sample of a capture without one.',
    }),
  },
  strict,
);

/** The waveform view of a design: its signals and decoders in order, with groups and formats, and named times. */
export const Waves = component(
  'Waves',
  Type.Object(
    {
      rows: Type.Array(Type.Union([WaveSignal, WaveGroup, DecoderRow]), { maxItems: MAX_ROWS }),
      markers: Type.Optional(Type.Array(WaveMarker, { maxItems: MAX_MARKERS })),
    },
    {
      ...strict,
      examples: [
        {
          rows: [
            { kind: 'group', title: 'Counter' },
            { kind: 'signal', name: 'count', format: 'decimal' },
          ],
        },
      ],
    },
  ),
);
export type Waves = Static<typeof Waves>;
export type WaveRow = Waves['rows'][number];
export type WaveMarker = Static<typeof WaveMarker>;
