import Type, { type Static } from 'typebox';
import { enumOf } from '../component.ts';

/** Maximum decoded registers of a design. */
export const MAX_DECODED = 256;

const Compared = Type.Array(
  Type.Object({
    value: Type.Integer({ minimum: 0 }),
    file: Type.Optional(Type.String()),
    line: Type.Optional(Type.Integer({ minimum: 1 })),
  }),
  { description: 'Constants that the design compares it with, and the places of what depends on it.' },
);
export type Compared = Static<typeof Compared>;

const DecodedField = Type.Object({
  name: Type.String({ description: 'The signal.' }),
  msb: Type.Integer({ minimum: 0, maximum: 31 }),
  lsb: Type.Integer({ minimum: 0, maximum: 31 }),
  compared: Type.Optional(Compared),
});
export type DecodedField = Static<typeof DecodedField>;

/** A register as the design's own logic decodes it. */
export const DecodedRegister = Type.Object({
  address: Type.Integer({ minimum: 0, maximum: 0xffff_fffc, description: 'Byte address.' }),
  words: Type.Optional(Type.Integer({ minimum: 1, description: 'Words of a memory, from the address on.' })),
  memory: Type.Optional(Type.String({ description: 'The memory that answers.' })),
  file: Type.Optional(Type.String({ description: 'Where what answers is declared or assigned.' })),
  line: Type.Optional(Type.Integer({ minimum: 1 })),
  access: enumOf(['rw', 'ro', 'wo']),
  fields: Type.Array(DecodedField),
  compared: Compared,
});
export type DecodedRegister = Static<typeof DecodedRegister>;
