import { findDataFolder } from '../../data-folder.ts';
import { BenchError } from '../../errors/bench-error.ts';
import { backUp, finishRestore, prepareRestore } from '../../store/backup.ts';
import { lockFolder } from '../../store/lock.ts';
import { CommandError } from '../usage.ts';

interface FolderOptions {
  data?: string;
}

/** A file that cannot be opened is no bug of ours. */
async function withFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error instanceof BenchError) throw error;
    throw new CommandError(`${file} cannot be used (${String(error.code)}).`, { cause: error });
  }
}

/** Writes what the data directory holds into a file, also while the service runs on it. */
export async function backup(file: string, options: FolderOptions): Promise<number> {
  const { folder } = findDataFolder(options.data);
  const files = await withFile(file, () => backUp(folder, file, new Date()));
  process.stdout.write(`${files === 1 ? 'One file' : `${files} files`} of ${folder}: ${file}.\n`);
  return 0;
}

/** Puts a backup in the place of what the data directory holds: at once, or at the next start of a running service. */
export async function restore(file: string, options: FolderOptions): Promise<number> {
  const { folder } = findDataFolder(options.data);
  const created = await withFile(file, () => prepareRestore(folder, file, new Date()));
  const unlock = await lockFolder(folder).catch((error) => {
    if (error instanceof BenchError && error.code === 'store_locked') return null;
    throw error;
  });
  if (unlock === null) {
    process.stdout.write(
      `The backup of ${created} is ready. The service that runs on ${folder} takes it at its next start: restart it.\n`,
    );
    return 0;
  }
  try {
    process.stdout.write(`${await finishRestore(folder)}\n`);
  } finally {
    await unlock();
  }
  process.stdout.write('API keys that were revoked after the backup are valid again: look at them.\n');
  return 0;
}
