import type { Option } from 'commander';
import { WORD_FORMATS } from '../choices.ts';
import { choice } from '../command-line.ts';

/** A word as eight hex digits. */
export const hex = (word: number): string => word.toString(16).padStart(8, '0').toUpperCase();

/** Format of `--format` → its text for a word. */
export const FORMATS: Record<(typeof WORD_FORMATS)[number], (word: number) => string> = {
  hex: (word) => `0x${hex(word)}`,
  dec: String,
  bin: (word) => `0b${word.toString(2).padStart(32, '0')}`,
};

export const wordFormat = (): Option =>
  choice('--format <FORMAT>', 'format of the words', WORD_FORMATS, 'hex');
