import { createHash } from 'node:crypto';
import { zipSync } from 'fflate';
import {
  extensionOf,
  isHidden,
  MAX_PROJECT_FILES,
  projectPath,
  roleOf,
  UNPACKED,
} from '../../contract/designs/project-files.ts';
import type { Language } from '../../contract/designs/uploads.ts';
import { toolchainError } from '../../errors/toolchain.ts';
import { formOf, languageOfName } from '../languages/language.ts';
import { readArchive, shown } from './archive.ts';
import { dangerOf, folded, misnamed } from './paths.ts';

/** A file of a project. */
export interface ProjectFile {
  /** Relative path with `/`; letters, digits and `. _ + -` only: see projectPath. */
  path: string;
  contents: Uint8Array;
}

/** The checked files of a design, by path. */
export interface Project {
  files: readonly ProjectFile[];
  /** Files of the upload that are not part of the project, with reasons. */
  ignored: string[];
  /** Its language; Verilog and SystemVerilog count as one. Undefined for a project in two languages. */
  language: Language | undefined;
}

const ARCHIVES = new Set('zip tar gz tgz bz2 xz zst 7z rar'.split(' '));

/** Limit of listed reasons. */
const MAX_IGNORED_REASONS = 20;
/** Limit of an archive's compression ratio, for projects above SMALL bytes. */
const MAX_RATIO = 200;
const SMALL = 2 ** 20;

/** Why a file is no part of a project; null when it is one. */
function whyIgnored(path: string, isLink: boolean): string | null {
  if (isHidden(path)) return 'a hidden file';
  if (isLink) return 'a link; a project has only files';
  const extension = extensionOf(path);
  if (ARCHIVES.has(extension)) return 'an archive within the project is not unpacked';
  if (extension === 'py') return 'a program; a design in Amaranth is uploaded as a single file';
  return roleOf(path) === undefined ? 'not an HDL source, header, memory data or constraints' : null;
}

/** The folder that contains all files, with its slash; empty when there is none. */
function commonFolder(paths: readonly string[]): string {
  const folder = /^[^/]+\//.exec(paths[0] ?? '')?.[0] ?? '';
  return paths.every((path) => path.startsWith(folder)) ? folder : '';
}

/** A file of an upload, before it is read. */
interface UploadEntry {
  path: string;
  contents: (maxBytes: number) => Promise<Uint8Array>;
  /** Uploaded size, bytes. */
  size: number;
  /** It is a link, which is never followed. */
  isLink: boolean;
}

/** @param uploadBytes limit of one file; all together may have UNPACKED times as much */
async function gather(entries: readonly UploadEntry[], uploadBytes: number): Promise<Project> {
  for (const { path } of entries) {
    const danger = dangerOf(path);
    if (danger !== null)
      throw toolchainError('project_path', { message: `The file ${shown(path)} ${danger}.` });
  }
  // Files that a Mac adds next to the folder do not count.
  const own = entries.filter(({ path }) => !/^(?:__MACOSX\/|\.DS_Store$)/.test(path));
  const top = commonFolder(own.map(({ path }) => path));
  const ignored: string[] = [];
  const used: (UploadEntry & { uploadName: string })[] = [];
  for (const one of own) {
    const path = one.path.slice(top.length);
    const useless = whyIgnored(path, one.isLink);
    if (useless === null) used.push({ ...one, path: projectPath(path), uploadName: path });
    else ignored.push(`${path} (${useless})`);
  }
  checkNames(used);
  if (used.length > MAX_PROJECT_FILES)
    throw toolchainError('project_too_large', {
      message: `The project has ${used.length} sources, headers and data files; the bench takes at most ${MAX_PROJECT_FILES}.`,
      remedy: 'Send only the folders that the design needs.',
    });
  const files = await readAll(used, uploadBytes);
  return {
    files,
    ignored: [
      ...ignored.slice(0, MAX_IGNORED_REASONS),
      ...(ignored.length > MAX_IGNORED_REASONS ? [`${ignored.length - MAX_IGNORED_REASONS} more files`] : []),
    ],
    language: languageOfProject(files, ignored),
  };
}

/** Checks that names are unique, also without case, and that no file has the path of a folder. */
function checkNames(files: readonly { path: string; uploadName: string }[]): void {
  const seen = new Map<string, { path: string; uploadName: string }>();
  for (const file of files) {
    const { path, uploadName } = file;
    const wrong = misnamed(path);
    if (wrong !== null)
      throw toolchainError('project_path', { message: `The file ${shown(uploadName)} ${wrong}.` });
    const other = seen.get(folded(path));
    if (other) throw toolchainError('project_path', { message: sameName(file, other) });
    seen.set(folded(path), file);
  }
  const paths = files.map(({ path }) => path);
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
      const folder = seen.get(folded(path.slice(0, at)));
      if (folder !== undefined)
        throw toolchainError('project_path', {
          message: `${shown(folder.path)} is a file, but ${shown(path)} uses it as a folder.`,
        });
    }
}

function sameName(
  one: { path: string; uploadName: string },
  other: { path: string; uploadName: string },
): string {
  if (one.uploadName === other.uploadName) return `The file ${shown(one.uploadName)} occurs twice.`;
  const both = `The files ${shown(other.uploadName)} and ${shown(one.uploadName)}`;
  return one.path === other.path
    ? `${both} both become ${one.path} for the tools, which take only letters, digits and . _ + -.`
    : `${both} differ only in case, which some computers ignore.`;
}

async function readAll(used: readonly UploadEntry[], uploadBytes: number): Promise<ProjectFile[]> {
  const files: ProjectFile[] = [];
  const most = UNPACKED * uploadBytes;
  const packedBytes = used.reduce((sum, { size }) => sum + size, 0);
  let total = 0;
  for (const { path, contents } of used) {
    // A very repetitive project is refused before it reaches its limit.
    const room = Math.min(most, Math.max(SMALL, packedBytes * MAX_RATIO)) - total;
    const bytes = await contents(Math.max(0, Math.min(uploadBytes, room)));
    total += bytes.length;
    files.push({ path, contents: bytes });
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** Decides a project's language. @throws project_sources without a source */
function languageOfProject(files: readonly ProjectFile[], ignored: readonly string[]): Language | undefined {
  const sources = files.filter(({ path }) => roleOf(path) === 'source').map(({ path }) => path);
  if (sources.length === 0)
    throw toolchainError('project_sources', {
      message:
        ignored.length > 0 && files.length === 0
          ? `The upload has no file of a project: ${ignored[0]}.`
          : 'The project has no HDL source.',
    });
  const languages = sources.map((path) => languageOfName(path) ?? 'verilog');
  const groups = new Set(languages.map((language) => formOf(language).group));
  return groups.size === 1 ? languages[0] : undefined;
}

/**
 * Reads the project in a ZIP archive, without a folder around all files. Paths, types and limits are checked before
 * unpacking, sizes while unpacking.
 * @throws project_archive, project_path, project_too_large, project_sources
 */
export const projectOfArchive = async (archive: Uint8Array, uploadBytes: number): Promise<Project> =>
  gather(
    readArchive(archive).map(({ path, unpack, packed, isLink }) => ({
      path,
      contents: unpack,
      size: packed,
      isLink,
    })),
    uploadBytes,
  );

/** The same for separately uploaded files. */
export const projectOfFiles = (files: readonly ProjectFile[], uploadBytes: number): Promise<Project> =>
  gather(
    files.map(({ path, contents }) => ({
      path,
      size: contents.length,
      isLink: false,
      contents: async (most: number) => {
        if (contents.length <= most) return contents;
        throw toolchainError('project_too_large', {
          message: `${shown(path)} has more than ${most} bytes, the limit for a file of a project.`,
        });
      },
    })),
    uploadBytes,
  );

/** 1 January 1980, the earliest time of an archive. A fixed time makes archives of equal projects equal. */
const NO_TIME = new Date(1980, 0, 1);

/** Packs a project into the archive in which it is stored: its files by path. */
export const packProject = ({ files }: Pick<Project, 'files'>): Uint8Array =>
  zipSync(Object.fromEntries(files.map(({ path, contents }) => [path, contents])), {
    level: 1,
    mtime: NO_TIME,
  });

/** Limit of an archive that the bench itself packed, bytes: more than any upload limit allows. */
const MAX_STORED_BYTES = 2 ** 30;

/** Unpacks an archive of packProject. @throws project_archive when it was changed since */
export const unpackProject = (archive: Uint8Array): Promise<ProjectFile[]> =>
  Promise.all(
    readArchive(archive).map(async ({ path, unpack }) => ({
      path,
      contents: await unpack(MAX_STORED_BYTES),
    })),
  );

/** SHA-256 over all paths and contents, 64 hex digits. */
export function projectDigest(files: readonly ProjectFile[]): string {
  const list = files.map(({ path, contents }) => [path, createHash('sha256').update(contents).digest('hex')]);
  return createHash('sha256').update(JSON.stringify(list)).digest('hex');
}

/** Whether a design of this name is stored as an archive. */
export const isProjectName = (filename: string): boolean => /\.zip$/i.test(filename);
