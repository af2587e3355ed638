import Type, { type Static } from 'typebox';
import { component } from '../component.ts';

/** Registers and constants in the form of LiteX's csr.json (enjoy-digital/litex, litex/soc/integration/export.py). */
export const CsrMap = component(
  'CsrMap',
  Type.Object({
    csr_bases: Type.Record(Type.String(), Type.Integer(), { description: 'Peripheral → byte address.' }),
    csr_registers: Type.Record(
      Type.String(),
      Type.Object({
        addr: Type.Integer({ description: 'Byte address.' }),
        size: Type.Integer({ description: 'Words.' }),
        type: Type.Union([Type.Literal('ro'), Type.Literal('rw')]),
      }),
    ),
    constants: Type.Record(Type.String(), Type.Union([Type.Integer(), Type.String(), Type.Null()])),
    memories: Type.Record(
      Type.String(),
      Type.Object({ base: Type.Integer(), size: Type.Integer(), type: Type.String() }),
    ),
  }),
);
export type CsrMap = Static<typeof CsrMap>;
