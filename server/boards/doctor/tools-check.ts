import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Finding } from '../../contract/boards/boards.ts';
import { untriedGhdl } from '../../process/ghdl-versions.ts';
import { runProcess } from '../../process/run-process.ts';

/** Installed tools that the bench needs. */
export interface NeededTools {
  title: string;
  /** One sentence: the purpose, and where to get them. */
  purpose: string;
  /** Each with the argument that prints its version; null where there is none. */
  tools: Readonly<Record<string, string | null>>;
}

/** Tools for VHDL and for the programmer; the families of FPGAs add theirs. */
const NEEDED: readonly NeededTools[] = [
  {
    title: 'VHDL',
    purpose: 'Needed to build designs in VHDL only (Debian: apt install ghdl).',
    tools: { ghdl: '--version' },
  },
  {
    title: 'Programmer for ECP5 and Gowin boards',
    purpose: 'Needed to program such boards only (Debian: apt install openfpgaloader).',
    tools: { openFPGALoader: '-V' },
  },
];

/** Time limit for a tool to print its version, ms. */
const VERSION_DEADLINE = 5_000;

/**
 * Checks the toolchains: the built-in one, and installed tools on the PATH.
 * @param families tools that the families of FPGAs need
 */
export async function checkTools(
  clock: Clock,
  searchPath: string,
  families: readonly NeededTools[],
): Promise<Finding[]> {
  const native = [...families, ...NEEDED].map(async ({ title, purpose, tools }): Promise<Finding> => {
    const about = { id: `tools:${title}`, title };
    const found = await Promise.all(
      Object.entries(tools).map(async ([tool, argument]) => {
        const file = await onPath(tool, searchPath);
        return { tool, file, version: file && argument ? await versionOf(file, argument, clock) : '' };
      }),
    );
    const missing = found.filter(({ file }) => file === null).map(({ tool }) => tool);
    if (missing.length === found.length)
      return { ...about, status: 'skipped', message: `Not installed. ${purpose}` };
    const present = found
      .filter(({ file }) => file !== null)
      .map(({ tool, file, version }) => (version ? `${version} (${file})` : `${tool} (${file})`));
    if (missing.length > 0)
      return {
        ...about,
        status: 'warning',
        message: `${present.join('; ')}; missing: ${missing.join(', ')}.`,
        remedy: purpose,
      };
    const untried = title === 'VHDL' ? untriedGhdl(found[0]?.version ?? '') : null;
    if (untried !== null)
      return {
        ...about,
        status: 'warning',
        message: `${present.join('; ')}. ${untried}`,
        remedy: 'Install a version that was tried, or compare what a design answers with its simulation.',
      };
    return { ...about, status: 'ok', message: `${present.join('; ')}.` };
  });
  return [await checkBuiltIn(), ...(await Promise.all(native))];
}

async function checkBuiltIn(): Promise<Finding> {
  const about = { id: 'tools:built-in', title: 'Built-in toolchain (Yosys, and nextpnr for iCE40)' };
  try {
    const versions = await Promise.all(['@yowasp/yosys', '@yowasp/nextpnr-ice40'].map(packageVersion));
    return { ...about, status: 'ok', message: `${versions.join(', ')}.` };
  } catch {
    return {
      ...about,
      status: 'problem',
      message: 'Its packages are missing.',
      remedy: 'Install the program again (in a checkout: npm ci).',
    };
  }
}

async function packageVersion(name: string): Promise<string> {
  const entry = createRequire(import.meta.url).resolve(name);
  const folder = entry.slice(0, entry.lastIndexOf(path.join(...name.split('/'))) + name.length);
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
  return `${name} ${version}`;
}

async function onPath(tool: string, searchPath: string): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${tool}.exe`, `${tool}.cmd`] : [tool];
  for (const folder of searchPath.split(path.delimiter).filter((part) => part !== ''))
    for (const name of names) {
      const file = path.join(folder, name);
      if (
        await access(file, constants.X_OK).then(
          () => true,
          () => false,
        )
      )
        return file;
    }
  return null;
}

/**
 * The first line with a digit that a tool prints, or nothing. Some tools print their version and exit with a failure.
 */
async function versionOf(file: string, argument: string, clock: Clock): Promise<string> {
  let version = '';
  await runProcess({
    command: file,
    args: [argument],
    clock,
    deadline: VERSION_DEADLINE,
    onLine(line) {
      if (version === '' && /\d/.test(line)) version = line.trim().replace(/^"|"$/g, '');
    },
  });
  return version;
}
