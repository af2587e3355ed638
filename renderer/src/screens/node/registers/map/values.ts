import { parseWord } from '../../../../format/words.ts';
import { type BitField, widthOf } from './register-map.ts';

/** Names of values as people type them: whatever the case. */
const plain = (text: string): string => text.trim().toLowerCase();

/**
 * Reads the value of a field: by its name, or as a number that fits in its bits; a negative one as the field's bits
 * have it. Null for what is none.
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

/** The values of a field that have names, lowest first. */
export const namedValues = ({ values = {} }: Pick<BitField, 'values'>): { value: number; name: string }[] =>
  Object.entries(values)
    .map(([value, name]) => ({ value: Number(value), name }))
    .sort((a, b) => a.value - b.value);
