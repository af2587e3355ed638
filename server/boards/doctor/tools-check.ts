import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Finding } from '../../contract/boards/boards.ts';
import { findProgram } from '../../process/find-program.ts';
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

/** Where to get a tool. */
function source(platform: NodeJS.Platform, tool: 'ghdl' | 'openfpgaloader'): string {
  if (platform === 'linux') return `Debian: apt install ${tool}`;
  if (tool === 'ghdl') return 'github.com/ghdl/ghdl/releases';
  return platform === 'darwin' ? 'brew install openfpgaloader' : 'part of OSS CAD Suite';
}

/** Tools for VHDL and for the programmer; the families of FPGAs add theirs. */
const needed = (platform: NodeJS.Platform): NeededTools[] => [
  {
    title: 'VHDL',
    purpose: `Needed to build designs in VHDL only (${source(platform, 'ghdl')}).`,
    tools: { ghdl: '--version' },
  },
  {
    title: 'Programmer for ECP5 and Gowin boards',
    purpose: `Needed to program such boards only (${source(platform, 'openfpgaloader')}).`,
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
  platform: NodeJS.Platform,
): Promise<Finding[]> {
  const native = [...families, ...needed(platform)].map(
    async ({ title, purpose, tools }): Promise<Finding> => {
      const about = { id: `tools:${title}`, title };
      const found = await Promise.all(
        Object.entries(tools).map(async ([tool, argument]) => {
          const { file, batch } = await findProgram(tool, searchPath, platform);
          const version = file && argument ? await versionOf(file, argument, clock) : '';
          return { tool, file, batch, version };
        }),
      );
      const missing = found
        .filter(({ file }) => file === null)
        .map(({ tool, batch }) =>
          batch ? `${tool} (${batch} is a batch file, which the bench does not run)` : tool,
        );
      const batches = found.some(({ batch }) => batch !== null);
      if (missing.length === found.length && !batches)
        return { ...about, status: 'skipped', message: `Not installed. ${purpose}` };
      const present = found
        .filter(({ file }) => file !== null)
        .map(({ tool, file, version }) => (version ? `${version} (${file})` : `${tool} (${file})`));
      if (missing.length > 0)
        return {
          ...about,
          status: 'warning',
          message: `${[...present, `missing: ${missing.join(', ')}`].join('; ')}.`,
          remedy: batches ? `Put the folder of the program itself, a .exe, on the PATH. ${purpose}` : purpose,
        };
      const untried = title === 'VHDL' ? untriedGhdl(found[0]?.version ?? '') : null;
      if (untried !== null)
        return {
          ...about,
          status: 'warning',
          message: `${present.join('; ')}. ${untried}`,
          remedy: 'Install a tested version, or compare the design’s answers with its simulation.',
        };
      return { ...about, status: 'ok', message: `${present.join('; ')}.` };
    },
  );
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
