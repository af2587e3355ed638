/** The role of a file in a project. */
export type FileRole = 'source' | 'header' | 'data' | 'constraints';

const ROLES: Readonly<Record<string, FileRole>> = {
  ...Object.fromEntries(['v', 'verilog', 'sv', 'vhd', 'vhdl'].map((one) => [one, 'source'])),
  ...Object.fromEntries(['vh', 'svh', 'vi', 'svi', 'inc', 'vinc', 'h'].map((one) => [one, 'header'])),
  ...Object.fromEntries(
    ['hex', 'mem', 'dat', 'data', 'rom', 'init', 'bin', 'txt'].map((one) => [one, 'data']),
  ),
  pcf: 'constraints',
};

/** Maximum files of a project: a repository with many libraries has some 1,500 that a design may need. */
export const MAX_PROJECT_FILES = 2000;

/** Maximum bytes of the unpacked files of an archive, as a multiple of the upload limit. */
export const UNPACKED = 4;

/** The text after the last dot of a path, in lower case; empty where there is none. */
export const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** The role of a file, by its extension; undefined for a file that no project needs. */
export function roleOf(path: string): FileRole | undefined {
  const extension = extensionOf(path);
  return Object.hasOwn(ROLES, extension) ? ROLES[extension] : undefined;
}

/** Whether a file or one of its folders is hidden. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((name) => name.startsWith('.') || name === '__MACOSX');

/** Whether a project uses a file of this path. */
export const isOfProject = (path: string): boolean => !isHidden(path) && roleOf(path) !== undefined;

/**
 * The path of a file in a project. The tools' scripts accept letters, digits and `. _ + -` only, so every other
 * character becomes `_`. So does a leading mark that would look like an option.
 */
export const projectPath = (path: string): string =>
  path
    .split('/')
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/[^\w.+-]/gu, '_').replace(/^[-+]/, '_')))
    .join('/');
