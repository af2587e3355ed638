import { parseWord } from '../../../../format/words.ts';
import { type BitField, widthOf } from './register-map.ts';

/** Normalises the name of a value: case does not matter. */
const plain = (text: string): string => text.trim().toLowerCase();

/**
 * Parses the value of a field: a name, or a number that fits its bits, also a negative one in the field's width. Null
 * for other text.
 */
export function parseFieldValue(
  text: string,
  field: Pick<BitField, 'msb' | 'lsb' | 'values'>,
): number | null {
  const named = Object.entries(field.values ?? {}).find(([, name]) => plain(name) === plain(text));
  if (named) return Number(named[0]);
  const word = parseWord(text);
  if (word === null) return null;
  const bits = widthOf(field);
  const most = 2 ** bits;
  if (!/^\s*[-−]/.test(text)) return word < most ? word : null;
  const signed = word | 0;
  return signed >= -most / 2 ? ((signed % most) + most) % most : null;
}

/** The named values of a field, lowest first. */
export const namedValues = ({ values = {} }: Pick<BitField, 'values'>): { value: number; name: string }[] =>
  Object.entries(values)
    .map(([value, name]) => ({ value: Number(value), name }))
    .sort((a, b) => a.value - b.value);
