import fs from 'node:fs';
import folders from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * What the store asks of a file system; tests pass one that fails. Small durable writes call the system
 * directly for everything but the waiting for the disk: opening, writing into the cache and renaming take
 * some ten microseconds each, a trip through the thread pool more, and a busy machine's a great deal more.
 */
export interface FileSystem
  extends Pick<typeof fs, 'openSync' | 'writeSync' | 'closeSync' | 'renameSync' | 'ftruncateSync'>,
    Pick<typeof folders, 'mkdir' | 'readFile' | 'readdir' | 'rm' | 'copyFile' | 'access'> {
  fsync(file: number): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  openSync: fs.openSync,
  writeSync: fs.writeSync,
  closeSync: fs.closeSync,
  renameSync: fs.renameSync,
  ftruncateSync: fs.ftruncateSync,
  mkdir: folders.mkdir,
  readFile: folders.readFile,
  readdir: folders.readdir,
  rm: folders.rm,
  copyFile: folders.copyFile,
  access: folders.access,
  fsync: promisify(fs.fsync),
};

/** The code of a system error, e.g. `ENOENT`; empty for anything else. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The system's own words without the call and the path, e.g. `permission denied`. */
export function systemReason(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return /^[A-Z0-9]+: ([^,]+)/.exec(text)?.[1] ?? text;
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

/** Writes all bytes: the system may take fewer at a time, e.g. on a disk that is nearly full. */
export function writeAll(files: FileSystem, handle: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) done += files.writeSync(handle, bytes, done, bytes.length - done);
}

/** Makes names that were created, renamed or removed in a folder durable. */
export async function syncFolder(files: FileSystem, folder: string): Promise<void> {
  // Windows has no such call: NTFS journals its directory entries.
  if (process.platform === 'win32') return;
  const handle = files.openSync(folder, 'r');
  try {
    await files.fsync(handle);
  } finally {
    files.closeSync(handle);
  }
}

/** Creates a file that nobody reads before it is named elsewhere: write and fsync. */
export async function createDurably(files: FileSystem, file: string, bytes: Uint8Array): Promise<void> {
  const handle = files.openSync(file, 'w', 0o600);
  try {
    writeAll(files, handle, bytes);
    await files.fsync(handle);
  } finally {
    files.closeSync(handle);
  }
}

/**
 * Writes a file so that after a crash at any moment its old or its new contents are there, whole, and the new
 * ones once this has resolved: write beside it, fsync, rename over it, fsync the folder.
 */
export async function writeDurably(
  files: FileSystem,
  file: string,
  contents: string | Uint8Array,
): Promise<void> {
  const temporary = `${file}.tmp`;
  await createDurably(files, temporary, typeof contents === 'string' ? Buffer.from(contents) : contents);
  files.renameSync(temporary, file);
  await syncFolder(files, path.dirname(file));
}
