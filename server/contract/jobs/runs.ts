import Type, { type Static } from 'typebox';
import { component, enumOf, integerOf } from '../component.ts';
import { SETTING_FIELDS } from '../setting-fields.ts';

/** Words are unsigned 32-bit integers. */
export const Word = Type.Integer({ minimum: 0, maximum: 0xffff_ffff });

/** Default maximum words of one run. */
export const WORDS_PER_RUN = SETTING_FIELDS.limits.words_per_run.default;

const Select = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: 15,
    description:
      'Bytes to write, one bit each; bit 0 is for bits 7 to 0. Only for a write of one word. By default all bytes.',
  }),
);
const Op = integerOf([1, 2], { description: 'Wishbone opcode: 1 = write, 2 = read.' });
const FixedAddress = Type.Optional(
  Type.Boolean({
    default: false,
    description: 'Every word is written to or read from the same address, such as a FIFO register.',
  }),
);

/** The body of a run on a bench with this maximum of words. */
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
            description: `Number of 32-bit words to read, 1 to ${wordsPerRun}; used for read only, ignored for a write.`,
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

/** A name of the map, optionally followed by a dot and a field's name. */
const MAX_PLACE_LENGTH = 2 * 64 + 1;

export const NamedRunRequest = component(
  'NamedRunRequest',
  Type.Object(
    {
      op: Op,
      address: Type.String({
        maxLength: MAX_PLACE_LENGTH,
        pattern: '^[A-Za-z_]',
        description: 'A register of the design’s map, or a field as `REGISTER.FIELD`. Case is ignored.',
      }),
      data: Type.Optional(
        Type.Array(Type.Union([Word, Type.String({ maxLength: 64 })]), {
          maxItems: WORDS_PER_RUN,
          description:
            'Used for write only: words; for a field its one value, as a number or by its name in the map.',
        }),
      ),
      count: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Words to read; by default as many as the register has.' }),
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
/** The same with names from the design's register map. */
export type NamedRunRequest = Static<typeof NamedRunRequest>;

/** The body of a run; the type of its address selects the form. */
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

/** A run as its job has it. */
export const RunDetails = Type.Object({
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
        'Bits of the named field. A write leaves the other bits of the word as they are; a read answers only these bits, from bit 0.',
    }),
  ),
});
export type RunDetails = Static<typeof RunDetails>;

/** The design's answer instead of an acknowledgement, as streams name it. */
export const BusFault = Type.Object({
  code: enumOf(['bus_timeout', 'bus_error'], { description: 'No acknowledge, or `err`.' }),
  address: Type.Integer({ description: 'Byte address of the access that failed.' }),
});
export type BusFault = Static<typeof BusFault>;
