/** What a file of a project is for. */
export type FileRole = 'source' | 'header' | 'data' | 'constraints';

const ROLES: Readonly<Record<string, FileRole>> = {
  ...Object.fromEntries(['v', 'verilog', 'sv', 'vhd', 'vhdl'].map((one) => [one, 'source'])),
  ...Object.fromEntries(['vh', 'svh', 'vi', 'svi', 'inc', 'vinc', 'h'].map((one) => [one, 'header'])),
  ...Object.fromEntries(
    ['hex', 'mem', 'dat', 'data', 'rom', 'init', 'bin', 'txt'].map((one) => [one, 'data']),
  ),
  pcf: 'constraints',
};

/** Files that a project has at the most: a repository with many libraries has some 1,500 that a design may need. */
export const MAX_PROJECT_FILES = 2000;

/** Bytes that the files of a project may have together when they come in an archive, as a multiple of what one upload may have. */
export const UNPACKED = 4;

/** What stands behind the last dot of a path, in lower case; empty where there is none. */
export const extensionOf = (path: string): string => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';

/** What a file is for by its extension; undefined for what no project needs. */
export function roleOf(path: string): FileRole | undefined {
  const extension = extensionOf(path);
  return Object.hasOwn(ROLES, extension) ? ROLES[extension] : undefined;
}

/** Whether a computer or a program keeps a file for itself: it, or a folder that it lies in, is hidden. */
export const isHidden = (path: string): boolean =>
  path.split('/').some((name) => name.startsWith('.') || name === '__MACOSX');

/** Whether a project has a use for a file of this path. */
export const isOfProject = (path: string): boolean => !isHidden(path) && roleOf(path) !== undefined;

/**
 * The path by which a project has a file: the scripts of tools take letters, digits and `. _ + -` alone, so every other
 * character becomes `_`, as does a mark in front that would read like an option's.
 */
export const projectPath = (path: string): string =>
  path
    .split('/')
    .map((name) => (/^\.+$/.test(name) ? name : name.replace(/[^\w.+-]/gu, '_').replace(/^[-+]/, '_')))
    .join('/');
