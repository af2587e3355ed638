import { hexAddress } from '../../../../format/words.ts';
import type { Segment } from './word-file.ts';

/** Words of a range as they were read. */
export interface MemoryImage {
  address: number;
  words: readonly number[];
  /** Indexes of words that differ from the image before, when that was of the same range. */
  changed: ReadonlySet<number>;
  /** Of words that differ from a file, by their index: what the file has. */
  wanted?: ReadonlyMap<number, number>;
}

/** The bytes of a word as characters, lowest byte first; a dot for what is not printable ASCII. */
export const asciiOf = (word: number): string =>
  [0, 8, 16, 24]
    .map((shift) => (word >>> shift) & 0xff)
    .map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    .join('');

/** `DEADBEEF` as a dump has it: eight digits, grouped in fours. */
export const dumpWord = (word: number): string => {
  const digits = (word >>> 0).toString(16).toUpperCase().padStart(8, '0');
  return `${digits.slice(0, 4)}_${digits.slice(4)}`;
};

/** The image with marks on what is not as in `before`. */
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

/** The image with marks on what is not as in a file that begins at the byte address `base`. */
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

/** The whole dump as text: plain values, `perRow` words a line, characters behind them. */
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

/** The words as bytes, lowest byte of a word first. */
export function dumpBytes(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  for (const [index, word] of words.entries()) view.setUint32(4 * index, word >>> 0, true);
  return bytes;
}

/** A name for files of a range. */
export const dumpName = (node: number, { address, words }: Pick<MemoryImage, 'address' | 'words'>): string =>
  `node-${node}-${hexAddress(address).replaceAll('_', '')}-${words.length}-words`;
