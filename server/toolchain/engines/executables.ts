import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, isProgram } from '../../process/find-program.ts';

/** Paths of the settings by name of program. Other programs are searched on the PATH. */
export type ConfiguredPaths = Readonly<Record<string, string>>;

/**
 * Absolute path of a program, with links resolved; null when it is absent. When a configured path is not executable the
 * result is null too: the PATH is not searched instead.
 */
export async function findExecutable(name: string, configured: ConfiguredPaths = {}): Promise<string | null> {
  const given = configured[name];
  if (given !== undefined && given !== '') return (await isProgram(given)) ? given : null;
  return (await findProgram(name)).file;
}

/** Folder of a program's installation, for the sandbox: `/opt/oss-cad-suite` for `/opt/oss-cad-suite/bin/yosys`. */
export async function installationOf(file: string): Promise<string> {
  const folder = path.dirname(await realpath(file));
  return /^(bin|libexec|lib)$/.test(path.basename(folder)) ? path.dirname(folder) : folder;
}
