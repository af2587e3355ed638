/** Characters of a path, which goes to many file systems in backups and to the scripts of tools. */
const MAX_PATH_LENGTH = 200;
/** Folders within folders. */
const DEEPEST = 16;

/**
 * Names that Windows takes for devices, whatever stands behind a dot (Microsoft, "Naming Files, Paths, and Namespaces").
 */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * Why a path leads out of the project or cannot be told apart from another one, as the rest of a sentence; null where it
 * is safe. It is asked of everything that was sent, used or not.
 */
export function dangerOf(path: string): string | null {
  if (path === '') return 'has no name';
  if (path.includes('\\')) return 'has a backslash in its name';
  if (/\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/u.test(path)) return 'has characters in its name that are not shown';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path) || path.startsWith('~')) return 'has an absolute path';
  const names = path.split('/');
  if (names.includes('..')) return 'has .. in its path';
  if (names.some((name) => name === '' || name === '.')) return 'has an empty folder name in its path';
  if (path.length > MAX_PATH_LENGTH) return `has a path of more than ${MAX_PATH_LENGTH} characters`;
  if (names.length > DEEPEST) return `lies in more than ${DEEPEST - 1} folders`;
  return null;
}

/** Why a file that is to be given to tools cannot have this path, as the rest of a sentence; null where it can. */
export const misnamed = (path: string): string | null =>
  path.split('/').some((name) => name.endsWith('.') || DEVICE.test(name))
    ? 'has a name that some computers cannot write'
    : null;

/** The form in which two paths are the same file on a computer that does not tell cases apart. */
export const folded = (path: string): string => path.normalize('NFC').toLowerCase();
