/** Limit of a path, characters: paths appear in many file systems and in tools' scripts. */
const MAX_PATH_LENGTH = 200;
/** Limit of nested names. */
const MAX_DEPTH = 16;

/** Device names of Windows, with any extension. Source: Microsoft, "Naming Files, Paths, and Namespaces". */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Why a path leads out of the project or can be confused with another one, as the rest of a sentence; null when it is safe.
 * Every path of an upload is checked, whether it is used or not.
 */
export function dangerOf(path: string): string | null {
  if (path === '') return 'has no name';
  if (path.includes('\\')) return 'has a backslash in its name';
  if (/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(path)) return 'has invisible characters in its name';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.startsWith('~')) return 'has an absolute path';
  const names = path.split('/');
  if (names.includes('..')) return 'has .. in its path';
  if (names.some((name) => name === '' || name === '.')) return 'has an empty folder name in its path';
  if (path.length > MAX_PATH_LENGTH) return `has a path of more than ${MAX_PATH_LENGTH} characters`;
  if (names.length > MAX_DEPTH) return `is nested in more than ${MAX_DEPTH - 1} folders`;
  return null;
}

/** Why a tool's file cannot have this path, as the rest of a sentence; null when it can. */
export const misnamed = (path: string): string | null =>
  path.split('/').some((name) => name.endsWith('.') || DEVICE.test(name))
    ? 'has a name that some systems do not allow'
    : null;

/** Normal form of a path for file systems that ignore case. */
export const folded = (path: string): string => path.normalize('NFC').toLowerCase();
