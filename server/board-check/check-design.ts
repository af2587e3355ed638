import { readFile } from 'node:fs/promises';
import { resourcePath } from '../paths.ts';

/** The check design as it is submitted; the file itself describes its registers. */
export const CHECK_DESIGN = 'board_check.v';

export const readCheckDesign = (): Promise<Uint8Array> => readFile(resourcePath('check', CHECK_DESIGN));

/** Byte addresses of the check design's registers. */
export const REGISTER = { memory: 0x0000, sequence: 0x1000, wrong: 0x1004, words: 0x1008 } as const;

/** Words of the check design's memory. */
export const MEMORY_WORDS = 512;

/** First word of the sequence: "WBCH". */
const FIRST = 0x5742_4348;

/** The first `count` words of the check design's sequence: Marsaglia's xorshift32 with the shifts 13, 17 and 5. */
export function sequence(count: number, first = FIRST): Uint32Array {
  const words = new Uint32Array(count);
  let word = first;
  for (let at = 0; at < count; at++) {
    words[at] = word;
    word ^= word << 13;
    word ^= word >>> 17;
    word ^= word << 5;
  }
  return words;
}
