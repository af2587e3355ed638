import { looksMinted } from './records.ts';

/** Owners that stand for the service itself and for callers without a name. */
const RESERVED = new Set(['system', 'anonymous', 'operator']);

/** Longest owner that is recorded, characters. */
export const MAX_OWNER_LENGTH = 128;

/** Controls, marks of direction and separators of lines: nothing that can be seen, or more than one line. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a key may stand for this name: one printable line that nobody takes for the service itself. */
export const canOwnKeys = (name: string): boolean =>
  name === name.trim() &&
  name !== '' &&
  [...name].length <= MAX_OWNER_LENGTH &&
  !UNPRINTABLE.test(name) &&
  !RESERVED.has(name.toLowerCase()) &&
  !looksMinted(name);
