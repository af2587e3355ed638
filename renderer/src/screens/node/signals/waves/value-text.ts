import type { WaveFormat } from '../../../../../../server/contract/signals/waves.ts';
import { formatField } from '../../../../format/words.ts';
import type { WaveValue } from '../recording/samples.ts';

/** Decimal digits of a value → its name. */
export type ValueNames = Readonly<Record<string, string>>;

const grouped = (digits: string, size: number): string =>
  digits.replace(new RegExp(`\\B(?=(.{${size}})+$)`, 'g'), '_');

function wideText(value: bigint, width: number, format: 'hex' | 'decimal' | 'signed' | 'binary'): string {
  switch (format) {
    case 'hex':
      return `0x${grouped(
        value
          .toString(16)
          .toUpperCase()
          .padStart(Math.ceil(width / 4), '0'),
        4,
      )}`;
    case 'decimal':
      return grouped(value.toString(), 3);
    case 'signed': {
      const signed = BigInt.asIntN(width, value);
      return signed < 0n ? `−${grouped((-signed).toString(), 3)}` : grouped(signed.toString(), 3);
    }
    case 'binary':
      return `0b${grouped(value.toString(2).padStart(width, '0'), 4)}`;
  }
}

/** Digits of a value with lost bits, `x` for each affected digit: hexadecimal or binary. */
function uncertainText(value: WaveValue, lost: bigint, width: number, format: WaveFormat): string {
  const size = format === 'binary' || width === 1 ? 1 : 4;
  const mask = (1n << BigInt(size)) - 1n;
  const digits = Array.from({ length: Math.ceil(width / size) }, (_, at) => {
    const shift = BigInt(size * at);
    return (lost >> shift) & mask ? 'x' : ((BigInt(value) >> shift) & mask).toString(16).toUpperCase();
  });
  const text = digits.reverse().join('');
  return width === 1 ? text : `${size === 1 ? '0b' : '0x'}${grouped(text, 4)}`;
}

/**
 * The text of a value of `width` bits; hexadecimal if it has no name.
 * @param lost its lost bits
 */
export function valueText(
  value: WaveValue,
  width: number,
  format: WaveFormat,
  names: ValueNames,
  lost = 0n,
): string {
  if (lost !== 0n) return uncertainText(value, lost, width, format);
  if (format === 'names') {
    const name = names[String(value)];
    if (name !== undefined) return name;
  }
  if (width === 1) return String(value);
  const numeric = format === 'names' ? 'hex' : format;
  return typeof value === 'number' ? formatField(value, width, numeric) : wideText(value, width, numeric);
}

/** The text of a value in limited room: without prefix and groups if needed, then only the last digits. */
export function shortText(
  value: WaveValue,
  width: number,
  format: WaveFormat,
  names: ValueNames,
  room: number,
  lost = 0n,
): string {
  const text = valueText(value, width, format, names, lost);
  // The beginning of a name says most.
  if (text.length <= room || (format === 'names' && names[String(value)] !== undefined)) return text;
  const digits = text.replaceAll('_', '').replace(/^0[xb]0*(?=.)/, '');
  return digits.length <= room ? digits : `…${digits.slice(digits.length - room + 1)}`;
}

/**
 * Parses a value: a number in any notation, also negative, or a name.
 * @returns null for other text, or if it does not fit
 */
export function parseValue(text: string, width: number, names: ValueNames): bigint | null {
  const plain = text.trim();
  const named = Object.entries(names).find(([, name]) => name.toLowerCase() === plain.toLowerCase());
  if (named) return BigInt(named[0]);
  const digits = plain.replaceAll('_', '').replace('−', '-');
  const [, sign, magnitude] = /^(-?)(0x[\da-f]+|0b[01]+|\d+)$/i.exec(digits) ?? [];
  if (magnitude === undefined || magnitude.length > 300) return null;
  const value = BigInt(magnitude);
  if (sign !== '') return value <= 1n << BigInt(width - 1) ? BigInt.asUintN(width, -value) : null;
  return value >> BigInt(width) === 0n ? value : null;
}

/** Parses names of values: `0 idle, 1 run`, `2=stop`, separated by lines or commas. Null for other text. */
export function parseNames(text: string): ValueNames | null {
  const names: Record<string, string> = {};
  for (const line of text.split(/[\n,;]/)) {
    const entry = line.trim();
    if (entry === '') continue;
    const [, digits, name] = /^(0x[\da-f]+|0b[01]+|\d+)\s*[=:\s]\s*(\S.*)$/i.exec(entry) ?? [];
    if (digits === undefined || name === undefined || name.length > 64 || digits.length > 60) return null;
    names[BigInt(digits).toString()] = name;
  }
  return names;
}

export const namesText = (names: ValueNames): string =>
  Object.entries(names)
    .map(([value, name]) => `${value} ${name}`)
    .join('\n');
