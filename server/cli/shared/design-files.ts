import { readdir, readFile, stat } from 'node:fs/promises';
import native, { basename, join, relative, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isHidden, isOfProject, MAX_PROJECT_FILES } from '../../contract/designs/project-files.ts';
import { uploadOf } from '../../contract/designs/project-upload.ts';
import type { UploadedFile } from '../../contract/designs/uploads.ts';
import { CommandError, UsageError } from '../usage.ts';

/** Turns a file error into a sentence with the path; other errors of `work` pass. */
async function readable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CommandError(`The file ${path} cannot be read (${code}).`, { cause: error });
  }
}

/** The files of a project. */
interface Found {
  /** Paths that a project may need. */
  files: string[];
  /** Paths of the other files below the folder. */
  aside: string[];
}

/**
 * Adds the files below a folder. A wrong folder fails before all of it is read.
 * @throws CommandError
 */
async function addFilesBelow(folder: string, found: Found, root = folder): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isHidden(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await addFilesBelow(path, found, root);
    else if (entry.isFile() && isOfProject(entry.name)) found.files.push(path);
    else if (entry.isFile()) found.aside.push(relative(root, path));
    if (found.files.length > MAX_PROJECT_FILES)
      throw new CommandError(
        `With ${root} the project has more than ${MAX_PROJECT_FILES} sources, headers and data files. Name only the folders that the design needs.`,
      );
  }
}

/**
 * The common folder of all paths. `system` is a parameter for tests.
 * @throws CommandError for files on two drives of Windows.
 */
export function commonFolder(files: readonly string[], system: typeof native.posix = native): string {
  const [first = ''] = files;
  const rootOf = (file: string) => system.parse(file).root;
  const other = files.find((file) => rootOf(file).toLowerCase() !== rootOf(first).toLowerCase());
  if (other !== undefined)
    throw new CommandError(
      `The files are on two drives, ${rootOf(first)} and ${rootOf(other)}, and a project has one folder. Copy them below one folder, and name that.`,
    );
  let common = system.dirname(first);
  while (files.some((file) => system.relative(common, file).startsWith('..')))
    common = system.dirname(common);
  return common;
}

/** The design to upload. */
interface DesignToSend {
  file: UploadedFile | readonly UploadedFile[];
  /** A sentence on the ignored files of a folder; absent without any. */
  note?: string;
}

/** Maximum ignored files to name. */
const NAMED = 5;

/** The sentence on files outside the project. */
function ignoredNote(aside: readonly string[]): { note?: string } {
  if (aside.length === 0) return {};
  const named = aside.slice(0, NAMED);
  const more = aside.length > NAMED ? ` and ${aside.length - NAMED} more` : '';
  return { note: `note: ignored, not needed for a build: ${named.join(', ')}${more}` };
}

/**
 * The design of a command: a file, `-` for standard input, or a project of several files or of a folder, each with its
 * path below the common folder.
 * @throws CommandError, UsageError
 */
export async function designFiles(paths: readonly string[], name: string): Promise<DesignToSend> {
  if (paths.includes('-')) {
    if (paths.length > 1)
      throw new UsageError('A project of several files cannot have one from standard input.');
    return { file: { name, contents: await buffer(process.stdin) } };
  }
  const [first = ''] = paths;
  const isFolder = async (path: string) => (await stat(path)).isDirectory();
  if (paths.length === 1 && !(await readable(first, () => isFolder(first))))
    return { file: { name: basename(first), contents: await readable(first, () => readFile(first)) } };
  const found: Found = { files: [], aside: [] };
  for (const path of paths.map((one) => resolve(one)))
    await readable(path, async () => {
      if (await isFolder(path)) await addFilesBelow(path, found);
      else found.files.push(path);
    });
  const { files, aside } = found;
  if (files.length === 0) throw new CommandError(`The folder ${first} has no HDL file.`);
  const folder = commonFolder(files);
  const uploads = await Promise.all(
    files.map(async (path) => ({
      name: relative(folder, path).split(sep).join('/'),
      contents: await readable(path, () => readFile(path)),
    })),
  );
  return {
    file: await uploadOf(uploads, async (all) => (await import('fflate')).zipSync(all)),
    ...ignoredNote(aside),
  };
}
