import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';
import { FieldProblem } from '../failures.ts';

const strict = { additionalProperties: false } as const;

/** Maximum registers of one map; a person can't read more. */
export const MAX_REGISTERS = 4096;
/** Maximum words of one register. */
export const MAX_WORDS_OF_REGISTER = 65_536;
export const MAX_NAME_LENGTH = 64;
export const MAX_DESCRIPTION_LENGTH = 500;
/** Maximum bytes of a map as JSON, and of an uploaded file. */
export const MAX_MAP_BYTES = 4 << 20;
/** Maximum named values of one field. */
export const MAX_VALUES = 256;

/** Formats of a map in uploads and answers. */
export const MAP_FORMATS = ['json', 'csv', 'svd', 'ipxact', 'csr.json', 'csr.csv'] as const;
export type MapFormat = (typeof MAP_FORMATS)[number];

export const REGISTER_ACCESSES = ['rw', 'ro', 'wo'] as const;

const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH });
const Description = Type.Optional(Type.String({ maxLength: MAX_DESCRIPTION_LENGTH }));
const Bit = Type.Integer({ minimum: 0, maximum: 31 });
const Access = enumOf(REGISTER_ACCESSES);

export const BitField = Type.Object(
  {
    name: Name,
    msb: Type.Integer({ ...Bit, description: 'Highest bit.' }),
    lsb: Type.Integer({ ...Bit, description: 'Lowest bit.' }),
    access: Type.Optional(Access),
    description: Description,
    values: Type.Optional(
      Type.Record(Type.String({ pattern: '^[0-9]+$' }), Type.String({ maxLength: MAX_NAME_LENGTH }), {
        maxProperties: MAX_VALUES,
        description: 'Names of some of its values.',
      }),
    ),
  },
  strict,
);
/** Some of a register’s bits, with a name. */
export type BitField = Static<typeof BitField>;

const Source = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Name of the file, in a project its path.',
    }),
    line: Type.Integer({ minimum: 1, maximum: 0x7fff_ffff, description: 'Counted from 1.' }),
  },
  strict,
);

export const Register = Type.Object(
  {
    name: Name,
    address: Type.Integer({
      minimum: 0,
      maximum: 0xffff_fffc,
      multipleOf: 4,
      description: 'Byte address.',
    }),
    words: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_WORDS_OF_REGISTER,
        default: 1,
        description: 'Number of 32-bit words, from the address on.',
      }),
    ),
    width: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 32, default: 32, description: 'Implemented bits of a word.' }),
    ),
    access: Access,
    description: Description,
    reset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 0xffff_ffff, description: 'Value after a reset.' }),
    ),
    fields: Type.Array(BitField, { maxItems: 32 }),
    source: Type.Optional({
      ...Source,
      description: 'The place in the source of the design where it was found.',
    }),
    proposed: Type.Optional(
      Type.Boolean({ description: 'It was found in the source, and no user has accepted it yet.' }),
    ),
  },
  strict,
);
/** A register, or an array of consecutive registers with one name. */
export type Register = Static<typeof Register>;

/** Names for the registers of a design. */
export const RegisterMap = component(
  'RegisterMap',
  Type.Object(
    {
      name: Name,
      registers: Type.Array(Register, { maxItems: MAX_REGISTERS }),
      dismissed: Type.Optional(
        Type.Array(Type.Integer({ minimum: 0, maximum: 0xffff_fffc }), {
          maxItems: MAX_REGISTERS,
          description: 'Byte addresses at which no more registers are inferred.',
        }),
      ),
    },
    strict,
  ),
);
export type RegisterMap = Static<typeof RegisterMap>;

/** An uploaded map as it is stored, and the parts of the file that it lacks. */
export const ImportedRegisterMap = component(
  'ImportedRegisterMap',
  Type.Object(
    {
      ...RegisterMap.properties,
      warnings: Type.Optional(
        Type.Array(FieldProblem, {
          description:
            'Parts of the file that are not in the map, each with its line and a remedy. Absent if nothing is missing; not stored.',
        }),
      ),
    },
    strict,
  ),
);
export type ImportedRegisterMap = Static<typeof ImportedRegisterMap>;
