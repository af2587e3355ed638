import fs from 'node:fs';
import folders from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as realTime } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BenchError } from '../errors/bench-error.ts';
import { storeError } from '../errors/store.ts';

/**
 * The file system calls of the store; tests pass one that fails. Fast calls are synchronous: opening a file or writing
 * into the cache takes some ten microseconds, less than a trip through the thread pool. Calls that change a folder wait
 * some milliseconds for the journal, so they are promises.
 */
export interface FileSystem {
  /** `r` reads (folders included), `a` appends, `r+` changes an existing file. */
  openSync(file: string, flags: 'r' | 'a' | 'r+', mode?: number): number;
  /** Creates or truncates a file. */
  create(file: string, mode: number): Promise<number>;
  /** Returns the bytes written, which may be fewer. */
  writeSync(handle: number, bytes: Uint8Array, offset: number, length: number): number;
  closeSync(handle: number): void;
  ftruncateSync(handle: number, length: number): void;
  rename(from: string, to: string): Promise<void>;
  /** Gives a file a second name. */
  link(from: string, to: string): Promise<void>;
  fsync(handle: number): Promise<void>;
  /** Resolves with the first folder that was created. */
  mkdir(folder: string, options: { recursive: true; mode?: number }): Promise<string | undefined>;
  readFile(file: string): Promise<Buffer>;
  readdir(folder: string): Promise<string[]>;
  rm(file: string, options: { recursive?: boolean; force: true }): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  access(file: string): Promise<void>;
  /** Size in bytes, and the time of the last change, milliseconds since the epoch. */
  stat(file: string): Promise<{ size: number; mtimeMs: number }>;
  /** Blocks of a disk, blocks free for this user, and bytes a block. */
  statfs(folder: string): Promise<{ blocks: number; bavail: number; bsize: number }>;
}

const openFile = promisify(fs.open);

/**
 * Removes a folder of files in three round trips through the thread pool, where Node's recursive removal takes eight. False
 * where something of it is left.
 */
async function removeFlat(folder: string): Promise<boolean> {
  try {
    await Promise.all((await folders.readdir(folder)).map((name) => folders.unlink(path.join(folder, name))));
    await folders.rmdir(folder);
    return true;
  } catch {
    return false;
  }
}

export const nodeFileSystem: FileSystem = {
  openSync: fs.openSync,
  create: (file, mode) => openFile(file, 'w', mode),
  writeSync: fs.writeSync,
  closeSync: fs.closeSync,
  ftruncateSync: fs.ftruncateSync,
  rename: folders.rename,
  link: folders.link,
  fsync: promisify(fs.fsync),
  mkdir: folders.mkdir,
  readFile: (file) => folders.readFile(file),
  readdir: (folder) => folders.readdir(folder),
  // Most runs have no such files; the system's own call reports that with an error and several round trips.
  rm: async (file, options) => {
    const stat = fs.lstatSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return;
    if (!(stat.isDirectory() && options.recursive && (await removeFlat(file))))
      await folders.rm(file, options);
  },
  copyFile: folders.copyFile,
  access: folders.access,
  stat: (file) => folders.stat(file),
  statfs: (folder) => folders.statfs(folder),
};

/** Errors caused by other users and programs; on Windows also by a virus scanner or indexer with the file open. */
const HELD_BY_OTHERS = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** The code of a system error, e.g. `ENOENT`; empty for anything else. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The system's text without the call and the path, e.g. `permission denied`. */
export function systemReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^[A-Z0-9]+: ([^,]+)/.exec(text)?.[1] ?? text;
}

/**
 * What a caller is told of a change that could not be kept. On Windows the usual reason is another program that has the
 * file open, and no space or right of the disk mends that.
 */
export function storeUnavailable(cause: unknown, platform: NodeJS.Platform = process.platform): BenchError {
  if (platform !== 'win32' || !HELD_BY_OTHERS.has(systemCode(cause)))
    return storeError('store_unavailable', { cause });
  const { dest, path: file } = cause as NodeJS.ErrnoException & { dest?: string };
  const name = path.basename(dest ?? file ?? '') || 'a file';
  return storeError('store_unavailable', {
    message: `The change could not be written to disk, so it was not made: Windows does not allow writing to ${name}.`,
    remedy:
      'Close the program that has it open, such as an editor, a backup or a virus scanner, or exclude the data directory from the scanner. Then try again.',
    cause,
  });
}

/** The contents of a file, or null where there is none. */
export async function readIfPresent(files: FileSystem, file: string): Promise<Buffer | null> {
  try {
    return await files.readFile(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/**
 * The same for a file that the store needs.
 * @throws store_unreadable, e.g. where a folder is in its place or another user owns the file.
 */
export async function readOwn(files: FileSystem, file: string): Promise<Buffer | null> {
  try {
    return await readIfPresent(files, file);
  } catch (error) {
    throw storeError('store_unreadable', {
      message: `${file} in the data directory cannot be read: ${systemReason(error)}.`,
      cause: error,
    });
  }
}

/** Writes all bytes: the system may take fewer at a time, e.g. on a nearly full disk. */
export function writeAll(files: FileSystem, handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += files.writeSync(handle, bytes, done, bytes.length - done);
}

async function syncOpened(files: FileSystem, name: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = files.openSync(name, flags);
  try {
    await files.fsync(handle);
  } finally {
    files.closeSync(handle);
  }
}

/** Codes of Windows file systems that cannot flush a folder. */
const FLUSHES_NO_FOLDERS = new Set(['EPERM', 'EACCES', 'EBUSY', 'EISDIR', 'EINVAL', 'ENOTSUP', 'ENOSYS']);

/**
 * Makes new, renamed and removed names in a folder durable. On Windows FlushFileBuffers needs write access, also to a
 * folder, and a file system may refuse it; then the names are not known to be durable.
 */
export async function syncFolder(
  files: FileSystem,
  folder: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  if (platform !== 'win32') return await syncOpened(files, folder, 'r');
  try {
    await syncOpened(files, folder, 'r+');
  } catch (error) {
    if (!FLUSHES_NO_FOLDERS.has(systemCode(error))) throw error;
  }
}

/**
 * Makes the new name of a renamed file durable. On Windows it also flushes the file under that name: a name is metadata of
 * the file, and Microsoft documents FlushFileBuffers for metadata (learn.microsoft.com/windows/win32/fileio/file-buffering).
 * Node has no MOVEFILE_WRITE_THROUGH.
 */
async function syncRenamed(files: FileSystem, file: string, platform: NodeJS.Platform): Promise<void> {
  if (platform === 'win32') await whileHeld(platform, () => syncOpened(files, file, 'r+'));
  await syncFolder(files, path.dirname(file), platform);
}

/** Makes a folder for this user only, with its parents, and makes their names durable. An existing folder stays. */
export async function makeFolder(files: FileSystem, folder: string): Promise<void> {
  const first = await files.mkdir(folder, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  const top = path.dirname(path.resolve(first));
  for (let name = path.resolve(folder); name !== top; ) {
    name = path.dirname(name);
    await syncFolder(files, name).catch((error) => {
      // A parent may belong to another user, and this process may not open it.
      if (!HELD_BY_OTHERS.has(systemCode(error))) throw error;
    });
  }
}

/** Writes and fsyncs a temporary file: nothing reads it before it gets its final name. */
export async function createDurably(files: FileSystem, file: string, bytes: Uint8Array): Promise<void> {
  const handle = await files.create(file, 0o600);
  try {
    writeAll(files, handle, bytes);
    await files.fsync(handle);
  } finally {
    files.closeSync(handle);
  }
}

/** Pauses between attempts at such a file, ms: one second in all, longer than a scanner has it open. */
const RETRY_PAUSES_MS = [5, 10, 20, 40, 80, 160, 320, 365];

/** Does the work; on Windows retries while another program has the file open. */
async function whileHeld(platform: NodeJS.Platform, work: () => Promise<void>): Promise<void> {
  for (const milliseconds of platform === 'win32' ? RETRY_PAUSES_MS : []) {
    try {
      return await work();
    } catch (error) {
      if (!HELD_BY_OTHERS.has(systemCode(error))) throw error;
    }
    // Other programs run in real time, whatever the injected clock says.
    await realTime(milliseconds);
  }
  return await work();
}

/**
 * Renames a file, over an existing one, or a folder. On Windows it retries while another program has either open. All
 * renames go through this or `renameOverSync`.
 */
export function renameOver(
  files: Pick<FileSystem, 'rename'>,
  from: string,
  to: string,
  platform: NodeJS.Platform = process.platform,
): Promise<void> {
  return whileHeld(platform, () => files.rename(from, to));
}

/** The same for callers that cannot wait for a promise. It blocks the thread, on Windows for up to a second. */
export function renameOverSync(
  from: string,
  to: string,
  platform: NodeJS.Platform = process.platform,
  rename: (from: string, to: string) => void = fs.renameSync,
): void {
  for (const milliseconds of platform === 'win32' ? RETRY_PAUSES_MS : []) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!HELD_BY_OTHERS.has(systemCode(error))) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
  }
  rename(from, to);
}

/**
 * Writes a file atomically: after a crash it has either its old or its new contents, and the new ones once this
 * resolves. Write a temporary file, fsync, rename, fsync the folder. `keepAs` names the file that gets the old
 * contents.
 */
export async function writeDurably(
  files: FileSystem,
  file: string,
  contents: string | Uint8Array,
  options: { keepAs?: string; platform?: NodeJS.Platform } = {},
): Promise<void> {
  const { platform = process.platform } = options;
  const temporary = `${file}.tmp`;
  await createDurably(files, temporary, typeof contents === 'string' ? Buffer.from(contents) : contents);
  if (options.keepAs !== undefined) await keepPrevious(files, file, options.keepAs);
  await renameOver(files, temporary, file, platform);
  await syncRenamed(files, file, platform);
}

/** Gives the present contents of a file the name `previous` as well. This is a second line of defence and may fail. */
async function keepPrevious(files: FileSystem, file: string, previous: string): Promise<void> {
  const temporary = `${previous}.tmp`;
  try {
    try {
      // A link costs no write; a file system without links only lacks the previous generation.
      await files.link(file, temporary);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') return;
      await files.rm(temporary, { force: true });
      await files.link(file, temporary);
    }
    await files.rename(temporary, previous);
  } catch {}
}
