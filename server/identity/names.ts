import { looksMinted } from './records.ts';

/** Owners that mean the service itself and callers without a name. */
const RESERVED = new Set(['system', 'anonymous', 'operator']);

/** Maximum characters of an owner. */
export const MAX_OWNER_LENGTH = 128;

/** Control characters, direction marks and line separators: invisible, or a second line. */
export const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

/** Whether a key may have this name: one printable line that does not mean the service itself. */
export const canOwnKeys = (name: string): boolean =>
  name === name.trim() &&
  name !== '' &&
  [...name].length <= MAX_OWNER_LENGTH &&
  !UNPRINTABLE.test(name) &&
  !RESERVED.has(name.toLowerCase()) &&
  !looksMinted(name);
