import { BenchError } from '../../errors/bench-error.ts';
import type { CommandLine } from '../command-line.ts';
import { CommandError } from '../usage.ts';

/** The commands `backup` and `restore`: the data directory as one file. */
export function declareBackup(line: CommandLine): void {
  line
    .command(
      'backup <FILE>',
      'back up the data directory to a .tar.gz file',
      'wishbench backup bench.tar.gz',
      backup,
    )
    .option('--data <DIR>', 'data directory')
    .addHelpText('after', '\nIt contains sources: protect it like those.\n');
  line
    .command(
      'restore <FILE>',
      'restore a backup; a running service does it at its next start',
      'wishbench restore bench.tar.gz',
      restore,
    )
    .option('--data <DIR>', 'data directory')
    .addHelpText('after', '\nThe previous contents stay next to it.\n');
}

interface FolderOptions {
  data?: string;
}

async function parts() {
  const loaded = [
    import('../../data-folder.ts'),
    import('../../store/backup.ts'),
    import('../../store/lock.ts'),
  ] as const;
  const [folder, store, lock] = await Promise.all(loaded);
  return { ...folder, ...store, ...lock };
}

/** Turns a file error into a CommandError. */
async function withFile<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error instanceof BenchError) throw error;
    throw new CommandError(`${file} cannot be used (${String(error.code)}).`, { cause: error });
  }
}

/** Writes the data directory into a file, also while the service runs on it. */
async function backup(file: string, options: FolderOptions): Promise<number> {
  const { findDataFolder, backUp } = await parts();
  const { folder } = findDataFolder(options.data);
  const files = await withFile(file, () => backUp(folder, file, new Date()));
  process.stdout.write(`${files === 1 ? 'One file' : `${files} files`} of ${folder}: ${file}.\n`);
  return 0;
}

/** Restores the data directory from a backup: at once, or at the next start of a running service. */
async function restore(file: string, options: FolderOptions): Promise<number> {
  const { findDataFolder, prepareRestore, finishRestore, lockFolder } = await parts();
  const { folder } = findDataFolder(options.data);
  const created = await withFile(file, () => prepareRestore(folder, file, new Date()));
  const unlock = await lockFolder(folder).catch((error) => {
    if (error instanceof BenchError && error.code === 'store_locked') return null;
    throw error;
  });
  if (unlock === null) {
    process.stdout.write(
      `The backup of ${created} is ready. Restart the service that runs on ${folder} to use it.\n`,
    );
    return 0;
  }
  try {
    process.stdout.write(`${await finishRestore(folder)}\n`);
  } finally {
    await unlock();
  }
  process.stdout.write(
    'API keys that were revoked after the backup are valid again. Check them with “wishbench keys”.\n',
  );
  return 0;
}
