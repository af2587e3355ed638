import { parseWord } from '../../../../format/words.ts';
import { type BitField, formatBits, parseBits } from './register-map.ts';

/** Named values at the start of a text, quoted if they contain spaces. */
const VALUES = /^(?:"([^"]*)"|((?:0x[\da-f_]+|0b[01_]+|\d+)=\S+))(?:\s+|$)(.*)$/i;

/** The rest of a bit range, as in `7 : 4`. */
const PLACE = /^:/;

/** Formats bit fields as lines: `MODE 2:1 0=off|1=on What it does`. */
export const fieldsToText = (fields: readonly BitField[]): string =>
  fields
    .map((field) => {
      const values = Object.entries(field.values ?? {})
        .map(([value, name]) => `${value}=${name}`)
        .join('|');
      const about = (field.description ?? '').replace(/\s+/g, ' ').trim();
      // A description that looks like values, or like part of a bit range, needs empty values before it.
      const isMistakable = values === '' && (VALUES.test(about) || PLACE.test(about));
      const quoted = /\s/.test(values) || isMistakable ? `"${values}"` : values;
      return [field.name, formatBits(field), quoted, about].filter((part) => part !== '').join(' ');
    })
    .join('\n');

/** Parses named values such as `0=off|1=on`; null if a pair is not valid. */
function parseValues(text: string): Record<number, string> | null {
  const values: Record<number, string> = {};
  for (const part of text.split('|').filter((one) => one.trim() !== '')) {
    const [number = '', ...name] = part.split('=');
    const value = parseWord(number);
    if (value === null || name.length !== 1) return null;
    values[value] = name[0]?.trim() ?? '';
  }
  return values;
}

/** Parses the lines of `fieldsToText`; otherwise the number of the first bad line, from 1. */
export function fieldsFromText(text: string): { fields: BitField[] } | { line: number } {
  const fields: BitField[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, name = '', place = '', rest = ''] =
      /^\s*(\S+)\s+(\[?\d+(?:\s*:\s*\d+)?\]?)(?:\s+(.*))?$/.exec(line) ?? [];
    const bits = parseBits(place);
    if (name === '' || !bits) return { line: index + 1 };
    const [, quoted, plain, after] = VALUES.exec(rest.trim()) ?? [];
    const values = parseValues(quoted ?? plain ?? '');
    if (values === null) return { line: index + 1 };
    const description = (after ?? rest).trim();
    fields.push({
      name,
      ...bits,
      ...(description && { description }),
      ...(Object.keys(values).length > 0 && { values }),
    });
  }
  return { fields };
}
