import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** Names of programs → paths that the settings give; the others are looked for on the PATH. */
export type ConfiguredPaths = Readonly<Record<string, string>>;

/** Folders of the PATH, absolute ones only: a relative entry would depend on where the service was started. */
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
 * Absolute path of a program, links followed; null when it is not there. A configured path that cannot be run
 * is not replaced by another one found on the PATH: null too.
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

/**
 * The folder that a program is installed under, for the sandbox to show it: `/opt/oss-cad-suite` for
 * `/opt/oss-cad-suite/bin/yosys`.
 */
export async function installationOf(file: string): Promise<string> {
  const folder = path.dirname(await realpath(file));
  return /^(bin|libexec|lib)$/.test(path.basename(folder)) ? path.dirname(folder) : folder;
}
