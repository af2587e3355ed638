import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { nodeFileSystem, renameOver } from '../store/filesystem.ts';
import { CommandError } from './usage.ts';

/** A bench with a name on this computer. */
export interface NamedBench {
  /** Origin of the service, without a slash at the end. */
  url: string;
  /** Sent as X-API-Key. */
  key?: string;
  /**
   * For an address behind another bench, such as http://hall-a:8000/benches/hall-b: sent as X-Bench-Key, only for
   * hall-b.
   */
  bench_key?: string;
  /** The service made the key for this computer: `logout` revokes it. */
  minted?: boolean;
  /** SHA-256 of the service's certificate; no other certificate is trusted. */
  fingerprint?: string;
  /** PEM file of the service's certificate, or of its authority. */
  ca?: string;
}

/** The contents of the configuration file. */
export interface BenchFile {
  /** The bench for commands that name none. */
  default?: string;
  benches: Record<string, NamedBench>;
}

/** Path of the configuration file: XDG_CONFIG_HOME, APPDATA, or the system's usual place. */
function benchFilePath(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
  home = os.homedir(),
): string {
  const { join, isAbsolute } = platform === 'win32' ? path.win32 : path.posix;
  const configHome = environment['XDG_CONFIG_HOME'];
  const folder =
    platform === 'win32'
      ? (environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'))
      : // The XDG Base Directory Specification has relative paths ignored.
        configHome && isAbsolute(configHome)
        ? configHome
        : platform === 'darwin'
          ? join(home, 'Library', 'Application Support')
          : join(home, '.config');
  return join(folder, 'wishbench', 'benches.json');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTextOrAbsent = (value: unknown) => value === undefined || typeof value === 'string';

const isNamedBench = (value: unknown): value is NamedBench =>
  isRecord(value) &&
  typeof value['url'] === 'string' &&
  ['key', 'bench_key', 'fingerprint', 'ca'].every((name) => isTextOrAbsent(value[name])) &&
  (value['minted'] === undefined || typeof value['minted'] === 'boolean');

const isBenchFile = (value: unknown): value is BenchFile =>
  isRecord(value) &&
  isTextOrAbsent(value['default']) &&
  isRecord(value['benches']) &&
  Object.values(value['benches']).every(isNamedBench);

/** The named benches; none without a file. @throws CommandError if the file is not valid */
export async function readBenchFile(file = benchFilePath()): Promise<BenchFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (code === 'ENOENT' || code === 'ENOTDIR') return { benches: {} };
    throw new CommandError(`The file of named benches, ${file}, cannot be read (${code}).`, { cause: error });
  }
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    // The error is below, with the expected form.
  }
  if (!isBenchFile(value))
    throw new CommandError(
      `The file of named benches, ${file}, is not {"default": NAME, "benches": {NAME: {"url": …}}}. Correct it or delete it.`,
    );
  return value;
}

/** Writes the named benches. Only this user can read the file, whatever its mode was before. */
export async function writeBenchFile(benches: BenchFile, file = benchFilePath()): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  await writeFile(next, `${JSON.stringify(benches, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  await chmod(next, 0o600);
  await renameOver(nodeFileSystem, next, file);
}

/** The bench of a name. @throws CommandError that lists the names, if there is none */
export function namedBench({ benches }: BenchFile, name: string): NamedBench {
  const bench = Object.hasOwn(benches, name) ? benches[name] : undefined;
  if (bench) return bench;
  const names = Object.keys(benches);
  throw new CommandError(
    names.length === 0
      ? `No bench has the name “${name}”. “wishbench login URL --bench ${name}” gives one that name.`
      : `No bench has the name “${name}”. Known names: ${names.join(', ')}.`,
  );
}
