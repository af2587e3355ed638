/** Up to so many words of a request or result are part of the record; more go into a file of the job. */
export const INLINE_WORDS = 64;

/** Words as little-endian bytes, the form of requests and results on disk. */
export function wordsToBytes(words: Uint32Array): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [i, word] of words.entries()) bytes.writeUInt32LE(word, i * 4);
  return bytes;
}

/** Ignores trailing bytes that do not fill a word. */
export function bytesToWords(bytes: Buffer): Uint32Array {
  const words = new Uint32Array(bytes.length >> 2);
  for (let i = 0; i < words.length; i++) words[i] = bytes.readUInt32LE(i * 4);
  return words;
}

/** Grouped hexadecimal, e.g. `0xDEAD_BEEF`. */
export function hexWord(word: number): string {
  const digits = (word >>> 0).toString(16).toUpperCase().padStart(8, '0');
  return `0x${digits.slice(0, 4)}_${digits.slice(4)}`;
}
