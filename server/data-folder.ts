import { existsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Facts about this user's system; tests pass their own. */
export interface Surroundings {
  platform: NodeJS.Platform;
  environment: NodeJS.ProcessEnv;
  home: string;
  exists(file: string): boolean;
}

const thisSystem = (): Surroundings => ({
  platform: process.platform,
  environment: process.env,
  home: os.homedir(),
  exists: existsSync,
});

/** The data directory in use, with notices for the user. */
export interface DataFolder {
  folder: string;
  /** Sentences: another directory has a bench that is not used, and how to use it. */
  notices: string[];
}

interface Places {
  /** The bench that command line and desktop application share. */
  shared: string;
  /** The place of a separate bench in earlier versions. */
  earlier: string;
}

const pathOf = (platform: NodeJS.Platform) => (platform === 'win32' ? path.win32 : path.posix);

function places({ platform, environment, home }: Surroundings): Places {
  const { join, isAbsolute } = pathOf(platform);
  // The XDG Base Directory Specification has relative paths ignored.
  const absolute = (value: string | undefined, otherwise: string) =>
    value && isAbsolute(value) ? value : otherwise;
  switch (platform) {
    case 'win32': {
      const local = environment['LOCALAPPDATA'] ?? join(home, 'AppData', 'Local');
      const roaming = environment['APPDATA'] ?? join(home, 'AppData', 'Roaming');
      return { shared: join(local, 'Wishbench'), earlier: join(roaming, 'Wishbench', 'bench') };
    }
    case 'darwin': {
      // The folder itself belongs to the desktop application: its settings and Chromium's caches.
      const support = join(home, 'Library', 'Application Support', 'Wishbench');
      return { shared: join(support, 'bench'), earlier: support };
    }
    default: {
      const data = absolute(environment['XDG_DATA_HOME'], join(home, '.local', 'share'));
      const config = absolute(environment['XDG_CONFIG_HOME'], join(home, '.config'));
      return { shared: join(data, 'wishbench'), earlier: join(config, 'Wishbench', 'bench') };
    }
  }
}

/**
 * Windows removes dots and spaces at the end of a name. Node can make a folder with them, which no other program can then
 * open or remove (learn.microsoft.com/windows/win32/fileio/naming-a-file).
 */
const withoutTrailingDots = (folder: string) => folder.replace(/[. ]+(?=\\|$)/g, '');

/**
 * Finds the data directory for command line and desktop application alike: `given`, else WISHBENCH_DATA, else the
 * user's shared one. A bench of an earlier version elsewhere stays in use while the shared place has none. If both have
 * one, a notice names the unused one.
 * @param also further places of benches of earlier versions
 */
export function findDataFolder(
  given: string | undefined,
  also: readonly string[] = [],
  surroundings: Surroundings = thisSystem(),
): DataFolder {
  const { resolve, join } = pathOf(surroundings.platform);
  const named = given ?? (surroundings.environment['WISHBENCH_DATA'] || undefined);
  if (named !== undefined) {
    const folder = resolve(named);
    return { folder: surroundings.platform === 'win32' ? withoutTrailingDots(folder) : folder, notices: [] };
  }
  const { shared, earlier } = places(surroundings);
  const holdsBench = (folder: string) => surroundings.exists(join(folder, 'bench.json'));
  const others = [...new Set([...also, earlier])].filter((folder) => folder !== shared && holdsBench(folder));
  const folder = holdsBench(shared) ? shared : (others[0] ?? shared);
  return {
    folder,
    notices: others
      .filter((other) => other !== folder)
      .map(
        (other) =>
          `The bench in ${other} is not used: this one is in ${folder}. To use the other one, stop this one, then set WISHBENCH_DATA to that directory or start “serve” with --data. To silence this notice, move that directory away.`,
      ),
  };
}
