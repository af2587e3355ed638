import Type, { type Static } from 'typebox';
import { component, enumOf } from '../component.ts';

/** What a module of a design declares, as the tools read it. */
export const Declaration = component(
  'Declaration',
  Type.Object({
    name: Type.String(),
    kind: enumOf(['module', 'port', 'signal', 'memory', 'instance']),
    module: Type.String({ description: 'The module that declares it; its own name for a module.' }),
    direction: Type.Optional(enumOf(['input', 'output', 'inout'])),
    width: Type.Optional(Type.Integer({ description: 'Bits, of a word for a memory.' })),
    words: Type.Optional(Type.Integer({ description: 'Words of a memory.' })),
    of: Type.Optional(Type.String({ description: 'The module of an instance.' })),
    file: Type.Optional(Type.String({ description: 'Where it is declared, as it was uploaded.' })),
    line: Type.Optional(Type.Integer({ minimum: 1, description: 'Counted from 1.' })),
  }),
);
export type Declaration = Static<typeof Declaration>;

/** Maximum declarations of a scan: the first ones, as the tools list them. */
export const MAX_DECLARATIONS = 5000;
