import Type, { type Static } from 'typebox';
import { checkOf } from '../contract/check.ts';
import type { Register } from '../contract/designs/register-map.ts';
import { descriptionOf, fileProblem, MapDraft, type ReadMap } from './draft.ts';
import { numberIn } from './numbers.ts';
import { bitsIn } from './table.ts';

/** The format mark in files that earlier versions of the GUI exported. */
const FORMAT = 'wishbench-register-map';

const NumberOrText = Type.Union([Type.Number(), Type.String()]);

const MapFile = Type.Object({
  format: Type.Literal(FORMAT),
  name: Type.Optional(Type.String()),
  registers: Type.Array(
    Type.Object({
      name: Type.String(),
      address: NumberOrText,
      access: Type.Optional(Type.Union([Type.Literal('rw'), Type.Literal('ro'), Type.Literal('wo')])),
      description: Type.Optional(Type.String()),
      fields: Type.Optional(
        Type.Array(
          Type.Object({
            name: Type.String(),
            bits: NumberOrText,
            description: Type.Optional(Type.String()),
            values: Type.Optional(Type.Record(Type.String(), Type.String())),
          }),
        ),
      ),
    }),
  ),
});
type FieldInFile = NonNullable<Static<typeof MapFile>['registers'][number]['fields']>[number];

const isMapFile = checkOf(MapFile);

/** True for a file exported by the GUI, even one with errors. */
export const looksLikeMapFile = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT;

const numberFrom = (value: number | string): number =>
  typeof value === 'number' ? value : (numberIn(value) ?? -1);

/** Reads a file of an earlier GUI, with addresses as hex text and bits as `7:4`. */
export function readMapFile(value: unknown, name: string): ReadMap {
  if (!isMapFile(value)) return { problems: [fileProblem(null, `it is not a file of the format ${FORMAT}`)] };
  const draft = new MapDraft();
  const fieldOf = (
    { name: field, bits, description, values }: FieldInFile,
    owner: string,
  ): Register['fields'] => {
    const place = bitsIn(String(bits));
    if (!place) {
      draft.say(null, `the bits of ${owner.slice(0, 64)}.${field.slice(0, 64)} are not within 31 to 0`);
      return [];
    }
    const named = Object.entries(values ?? {}).map(([key, text]) => {
      const number = numberIn(key);
      if (number === null)
        draft.say(null, `${field.slice(0, 64)} names ${key.slice(0, 20)}, which is not a number`);
      return [String(number), text] as const;
    });
    return [
      {
        name: field,
        ...place,
        ...descriptionOf(description),
        ...(named.length > 0 ? { values: Object.fromEntries(named) } : {}),
      },
    ];
  };
  for (const { name: register, address, access = 'rw', description, fields = [] } of value.registers) {
    const sent = {
      name: register,
      address: numberFrom(address),
      access,
      ...descriptionOf(description),
      fields: fields.flatMap((field) => fieldOf(field, register)),
    };
    if (!draft.add(sent, null)) break;
  }
  return draft.finish(value.name ?? name);
}
