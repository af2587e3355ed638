/** Formats of 32-bit words: one choice for the whole GUI. */
export const NUMBER_FORMATS = ['hex', 'decimal', 'signed', 'binary'] as const;
export type NumberFormat = (typeof NUMBER_FORMATS)[number];

const groups = (digits: string, size: number): string =>
  digits.replace(new RegExp(`\\B(?=(.{${size}})+$)`, 'g'), '_');

/** `0xDEAD_BEEF`: eight hex digits in two groups of four. */
export const hexWord = (word: number): string =>
  `0x${groups((word >>> 0).toString(16).toUpperCase().padStart(8, '0'), 4)}`;

/** A byte address: at least four digits, grouped in fours, e.g. `0x0010` or `0xF000_0004`. */
export function hexAddress(address: number): string {
  const digits = (address >>> 0).toString(16).toUpperCase();
  return `0x${groups(digits.padStart(digits.length > 4 ? 8 : 4, '0'), 4)}`;
}

/** An unsigned 32-bit word in the chosen format, grouped for reading. */
export function formatWord(word: number, format: NumberFormat): string {
  switch (format) {
    case 'hex':
      return hexWord(word);
    case 'decimal':
      return groups((word >>> 0).toString(), 3);
    case 'signed': {
      const value = word | 0;
      return (value < 0 ? '−' : '') + groups(Math.abs(value).toString(), 3);
    }
    case 'binary':
      return `0b${groups((word >>> 0).toString(2).padStart(32, '0'), 4)}`;
  }
}

/** The value for the clipboard: no groups, an ASCII minus. */
export function plainWord(word: number, format: NumberFormat): string {
  return formatWord(word, format).replaceAll('_', '').replace('−', '-');
}

/** A field of `bits` bits in the chosen format. */
export function formatField(value: number, bits: number, format: NumberFormat): string {
  const unsigned = value >>> 0;
  switch (format) {
    case 'hex':
      return `0x${groups(
        unsigned
          .toString(16)
          .toUpperCase()
          .padStart(Math.ceil(bits / 4), '0'),
        4,
      )}`;
    case 'decimal':
      return groups(unsigned.toString(), 3);
    case 'signed': {
      const signed = bits < 32 && unsigned >= 2 ** (bits - 1) ? unsigned - 2 ** bits : unsigned | 0;
      return (signed < 0 ? '−' : '') + groups(Math.abs(signed).toString(), 3);
    }
    case 'binary':
      return `0b${groups(unsigned.toString(2).padStart(bits, '0'), 4)}`;
  }
}

/** The bits of a port of any width in the chosen format: `0x00FF`, `255`, `−1`, `0b1111_1111`. */
export function formatBits(bits: bigint, width: number, format: NumberFormat): string {
  switch (format) {
    case 'hex':
      return `0x${bits
        .toString(16)
        .toUpperCase()
        .padStart(Math.ceil(width / 4), '0')}`;
    case 'decimal':
      return bits.toString();
    case 'signed':
      return BigInt.asIntN(width, bits).toString().replace('-', '−');
    case 'binary':
      return `0b${groups(bits.toString(2).padStart(width, '0'), 4)}`;
  }
}

/**
 * Parses a 32-bit word: `0x10`, `16`, `-1`, `0b1010`, `10h`, with `_` between digits. Returns the unsigned word, or
 * null if it is not a number of 32 bits.
 */
export function parseWord(text: string): number | null {
  const plain = text.trim().replaceAll('_', '').replace('−', '-').toLowerCase();
  const match =
    /^(-)?0x([0-9a-f]+)$/.exec(plain) ??
    /^(-)?0b([01]+)$/.exec(plain) ??
    /^(-)?(\d[0-9a-f]*)h$/.exec(plain) ??
    /^(-)?(\d+)$/.exec(plain);
  if (!match) return null;
  const radix = plain.includes('0x') || plain.endsWith('h') ? 16 : /^-?0b/.test(plain) ? 2 : 10;
  const magnitude = Number.parseInt(match[2] ?? '', radix);
  const value = match[1] ? -magnitude : magnitude;
  if (!Number.isSafeInteger(value) || value > 0xffff_ffff || value < -0x8000_0000) return null;
  return value >>> 0;
}

/** Parses a byte address: a word that is a multiple of 4. */
export function parseAddress(text: string): { address: number } | { problem: 'no-number' | 'unaligned' } {
  const address = parseWord(text);
  if (address === null || text.trim().startsWith('-')) return { problem: 'no-number' };
  return address % 4 === 0 ? { address } : { problem: 'unaligned' };
}

/** Parses words separated by white space, commas or semicolons; null if one of them is not a word. */
export function parseWords(text: string): number[] | null {
  const parts = text.split(/[\s,;]+/).filter((part) => part !== '');
  const words = parts.map(parseWord);
  return words.some((word) => word === null) ? null : (words as number[]);
}
