import os from 'node:os';
import path from 'node:path';

/** Where programs of this system keep a user's data. */
export function defaultDataFolder(
  platform: NodeJS.Platform = process.platform,
  environment: NodeJS.ProcessEnv = process.env,
  home: string = os.homedir(),
): string {
  if (environment.WISHBENCH_DATA) return path.resolve(environment.WISHBENCH_DATA);
  if (platform === 'win32')
    return path.join(environment.LOCALAPPDATA ?? path.join(home, 'AppData', 'Local'), 'Wishbench');
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support', 'Wishbench');
  // XDG Base Directory Specification: a relative path there is to be ignored.
  const base = environment.XDG_DATA_HOME;
  return path.join(base && path.isAbsolute(base) ? base : path.join(home, '.local', 'share'), 'wishbench');
}
