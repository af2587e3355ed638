import os from 'node:os';
import path from 'node:path';

/**
 * Folder for data that this machine can make again: WISHBENCH_CACHE, else the user's cache folder.
 * @returns null when WISHBENCH_CACHE is `off`
 */
export function cacheFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = os.homedir(),
): string | null {
  const { resolve, join, isAbsolute } = platform === 'win32' ? path.win32 : path.posix;
  const named = environment['WISHBENCH_CACHE'];
  if (named) return named === 'off' ? null : resolve(named);
  switch (platform) {
    case 'win32':
      return join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Wishbench', 'Cache');
    case 'darwin':
      return join(home, 'Library', 'Caches', 'wishbench');
    default: {
      const caches = environment['XDG_CACHE_HOME'];
      return join(caches && isAbsolute(caches) ? caches : join(home, '.cache'), 'wishbench');
    }
  }
}

/** The folder in which a worker keeps what it has built, unless it is told otherwise. */
export function workerFolder(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home: string = os.homedir(),
): string {
  const { join } = platform === 'win32' ? path.win32 : path.posix;
  return platform === 'win32'
    ? join(environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local'), 'Wishbench', 'Worker')
    : join(home, '.cache', 'wishbench-worker');
}
