import { hexAddress } from '../../../../format/words.ts';
import type { Segment } from './word-file.ts';

/** The words of a range. */
export interface MemoryImage {
  address: number;
  words: readonly number[];
  /** Indexes of words that changed since the previous image of the same range. */
  changed: ReadonlySet<number>;
  /** Index of a word that differs from a file → the file's word. */
  wanted?: ReadonlyMap<number, number>;
}

/** The bytes of a word as characters, lowest first; a dot for bytes that are not printable ASCII. */
export const asciiOf = (word: number): string =>
  [0, 8, 16, 24]
    .map((shift) => (word >>> shift) & 0xff)
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    .join('');

/** A word as eight digits in groups of four: `DEADBEEF` is `DEAD_BEEF`. */
export const dumpWord = (word: number): string => {
  const digits = (word >>> 0).toString(16).toUpperCase().padStart(8, '0');
  return `${digits.slice(0, 4)}_${digits.slice(4)}`;
};

/** Marks the words of an image that changed since `before`. */
export function compared(
  address: number,
  words: readonly number[],
  before: MemoryImage | undefined,
): MemoryImage {
  const changed = new Set<number>();
  if (before?.address === address)
    words.forEach((word, index) => {
      const old = before.words[index];
      if (old !== undefined && old !== word) changed.add(index);
    });
  return { address, words, changed };
}

/** Marks the words of an image that differ from a file at the byte address `base`. */
export function comparedWith(
  address: number,
  words: readonly number[],
  segments: readonly Segment[],
  base: number,
): MemoryImage {
  const wanted = new Map<number, number>();
  for (const { offset, words: expected } of segments)
    expected.forEach((word, nth) => {
      const index = (base + offset - address) / 4 + nth;
      const found = words[index];
      if (found !== undefined && found !== word) wanted.set(index, word);
    });
  return { address, words, changed: new Set(), wanted };
}

/** The dump as text: plain values, `perRow` words per line, then characters. */
export function dumpText({ address, words }: Pick<MemoryImage, 'address' | 'words'>, perRow: number): string {
  const lines: string[] = [];
  for (let at = 0; at < words.length; at += perRow) {
    const row = words.slice(at, at + perRow);
    const place = (address + 4 * at).toString(16).toUpperCase().padStart(8, '0');
    const digits = row.map((word) => (word >>> 0).toString(16).toUpperCase().padStart(8, '0')).join(' ');
    lines.push(`0x${place}  ${digits.padEnd(9 * perRow - 1)}  |${row.map(asciiOf).join('')}|`);
  }
  return `${lines.join('\n')}\n`;
}

/** The words as bytes, lowest byte first. */
export function dumpBytes(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setUint32(4 * index, word >>> 0, true);
  return bytes;
}

/** File name for a range. */
export const dumpName = (node: number, { address, words }: Pick<MemoryImage, 'address' | 'words'>): string =>
  `node-${node}-${hexAddress(address).replaceAll('_', '')}-${words.length}-words`;
