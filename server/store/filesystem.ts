import { constants } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';

/** What the store asks of a file system; tests pass one that fails. */
export type FileSystem = Pick<
  typeof fs,
  'open' | 'rename' | 'mkdir' | 'readFile' | 'readdir' | 'rm' | 'copyFile' | 'access' | 'stat'
>;

export const nodeFileSystem: FileSystem = fs;

/** The code of a system error, e.g. `ENOENT`; empty for anything else. */
export const systemCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The contents of a file, or null where there is none. */
export async function readIfPresent(files: FileSystem, file: string): Promise<Buffer | null> {
  try {
    return await files.readFile(file);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Makes names that were created, renamed or removed in a folder durable. */
export async function syncFolder(files: FileSystem, folder: string): Promise<void> {
  // Windows has no such call: NTFS journals its directory entries.
  if (process.platform === 'win32') return;
  const handle = await files.open(folder, constants.O_RDONLY);
  try {
    await handle.sync();
  } finally {
    await handle.close();
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
  const handle = await files.open(temporary, 'w', 0o600);
  try {
    await handle.writeFile(contents);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await files.rename(temporary, file);
  await syncFolder(files, path.dirname(file));
}

/** Creates a file that nobody reads until it is named elsewhere: write and fsync, without the rename. */
export async function createDurably(
  files: FileSystem,
  file: string,
  contents: string | Uint8Array,
): Promise<void> {
  const handle = await files.open(file, 'w', 0o600);
  try {
    await handle.writeFile(contents);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
