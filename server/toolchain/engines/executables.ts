import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Paths of the settings by name of program. Other programs are searched on the PATH. */
export type ConfiguredPaths = Readonly<Record<string, string>>;

/** Absolute folders of the PATH. A relative one would depend on the folder in which the service was started. */
function searchPath(): string[] {
  return (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

const EXTENSIONS = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/**
 * Absolute path of a program, with links resolved; null when it is absent. When a configured path is not executable the
 * result is null too: the PATH is not searched instead.
 */
export async function findExecutable(name: string, configured: ConfiguredPaths = {}): Promise<string | null> {
  const given = configured[name];
  if (given !== undefined && given !== '')
    return path.isAbsolute(given) && (await isExecutable(given)) ? given : null;
  for (const folder of searchPath()) {
    for (const extension of EXTENSIONS) {
      const file = path.join(folder, name + extension);
      if (await isExecutable(file)) return file;
    }
  }
  return null;
}

/** Folder of a program's installation, for the sandbox: `/opt/oss-cad-suite` for `/opt/oss-cad-suite/bin/yosys`. */
export async function installationOf(file: string): Promise<string> {
  const folder = path.dirname(await realpath(file));
  return /^(bin|libexec|lib)$/.test(path.basename(folder)) ? path.dirname(folder) : folder;
}
