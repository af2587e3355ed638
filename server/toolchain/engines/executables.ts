import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { findProgram, isProgram } from '../../process/find-program.ts';

/** Names of programs → paths that the settings give; the others are looked for on the PATH. */
export type ConfiguredPaths = Readonly<Record<string, string>>;

/**
 * Absolute path of a program, links followed; null when it is not there. A configured path that cannot be run
 * is not replaced by another one found on the PATH: null too.
 */
export async function findExecutable(name: string, configured: ConfiguredPaths = {}): Promise<string | null> {
  const given = configured[name];
  if (given !== undefined && given !== '') return (await isProgram(given)) ? given : null;
  return (await findProgram(name)).file;
}

/**
 * The folder that a program is installed under, for the sandbox to show it: `/opt/oss-cad-suite` for
 * `/opt/oss-cad-suite/bin/yosys`.
 */
export async function installationOf(file: string): Promise<string> {
  const folder = path.dirname(await realpath(file));
  return /^(bin|libexec|lib)$/.test(path.basename(folder)) ? path.dirname(folder) : folder;
}
