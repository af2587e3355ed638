import { readdir, readFile, stat } from 'node:fs/promises';
import native, { basename, join, relative, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isHidden, isOfProject, MAX_PROJECT_FILES } from '../../contract/designs/project-files.ts';
import { uploadOf } from '../../contract/designs/project-upload.ts';
import type { UploadedFile } from '../../contract/designs/uploads.ts';
import { CommandError, UsageError } from '../usage.ts';

/** What cannot be read is said in a sentence with its path; what `work` says itself stays as it is. */
async function readable<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new CommandError(`The file ${path} cannot be read (${code}).`, { cause: error });
  }
}

/** What was found for a project. */
interface Found {
  /** Paths of what a project may need. */
  files: string[];
  /** What tools and people left beside it, by its path below its folder. */
  aside: string[];
}

/**
 * Adds what is below a folder. Whoever names the wrong folder is told before all of it is looked through.
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
        `With ${root} there are more than ${MAX_PROJECT_FILES} sources, headers and data files, and a project has no more: name only the folders that the design needs.`,
      );
  }
}

/**
 * The folder that all of these lie in. Tests give the paths of another system.
 * @throws CommandError for files on two drives of Windows, which have none.
 */
export function commonFolder(files: readonly string[], system: typeof native.posix = native): string {
  const [first = ''] = files;
  const rootOf = (file: string) => system.parse(file).root;
  const elsewhere = files.find((file) => rootOf(file).toLowerCase() !== rootOf(first).toLowerCase());
  if (elsewhere !== undefined)
    throw new CommandError(
      `The files are on two drives, ${rootOf(first)} and ${rootOf(elsewhere)}, and a project has one folder. Copy them below one folder, and name that.`,
    );
  let common = system.dirname(first);
  while (files.some((file) => system.relative(common, file).startsWith('..')))
    common = system.dirname(common);
  return common;
}

/** What is sent of a design. */
interface DesignToSend {
  file: UploadedFile | readonly UploadedFile[];
  /** One sentence on what of a folder is not sent; absent where that is nothing. */
  note?: string;
}

/** So many of the files that are left out are named. */
const NAMED = 5;

/** What is said of files that are no part of a project. */
function leftOut(aside: readonly string[]): { note?: string } {
  if (aside.length === 0) return {};
  const named = aside.slice(0, NAMED);
  const more = aside.length > NAMED ? ` and ${aside.length - NAMED} more` : '';
  return { note: `note: left out, for no design needs files of their kind: ${named.join(', ')}${more}` };
}

/**
 * The design that a person means: a file, `-` for standard input, or a project of several files or of all that a folder
 * holds, each by its path below the folder that they share.
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
  if (files.length === 0) throw new CommandError(`The folder ${first} has no file of a design.`);
  const folder = commonFolder(files);
  const sent = await Promise.all(
    files.map(async (path) => ({
      name: relative(folder, path).split(sep).join('/'),
      contents: await readable(path, () => readFile(path)),
    })),
  );
  return {
    file: await uploadOf(sent, async (all) => (await import('fflate')).zipSync(all)),
    ...leftOut(aside),
  };
}
