import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Clock } from '../../clock.ts';
import type { Finding } from '../../contract/boards.ts';
import { untriedGhdl } from '../../process/ghdl-versions.ts';
import { runProcess } from '../../process/run-process.ts';

/** Installed tools by what they are for, with the argument that makes each say its version. */
const NATIVE = [
  { title: 'Native ECP5 tools', tools: { 'nextpnr-ecp5': '--version', ecppack: '--version' } },
  { title: 'Native Gowin tools', tools: { 'nextpnr-himbaechel': '--version', gowin_pack: null } },
  { title: 'VHDL', tools: { ghdl: '--version' } },
  { title: 'Programmer for ECP5 and Gowin boards', tools: { openFPGALoader: '-V' } },
] as const;

const WHAT_FOR: Record<(typeof NATIVE)[number]['title'], string> = {
  'Native ECP5 tools': 'Needed to build for ECP5 boards only; part of OSS CAD Suite.',
  'Native Gowin tools': 'Needed to build for Gowin boards only; part of OSS CAD Suite.',
  VHDL: 'Needed to build designs in VHDL only (Debian: apt install ghdl).',
  'Programmer for ECP5 and Gowin boards':
    'Needed to program such boards only (Debian: apt install openfpgaloader).',
};

/** Milliseconds for a tool to say its version. */
const VERSION_DEADLINE = 5_000;

/** Which toolchains are found: the built-in one, and installed tools on the PATH. */
export async function checkTools(clock: Clock, searchPath: string): Promise<Finding[]> {
  const native = NATIVE.map(async ({ title, tools }): Promise<Finding> => {
    const about = { id: `tools:${title}`, title };
    const found = await Promise.all(
      Object.entries(tools).map(async ([tool, argument]) => {
        const file = await onPath(tool, searchPath);
        return { tool, file, version: file && argument ? await versionOf(file, argument, clock) : '' };
      }),
    );
    const missing = found.filter(({ file }) => file === null).map(({ tool }) => tool);
    if (missing.length === found.length)
      return { ...about, status: 'skipped', message: `Not installed. ${WHAT_FOR[title]}` };
    const present = found
      .filter(({ file }) => file !== null)
      .map(({ tool, file, version }) => (version ? `${version} (${file})` : `${tool} (${file})`));
    if (missing.length > 0)
      return {
        ...about,
        status: 'warning',
        message: `${present.join('; ')}; missing: ${missing.join(', ')}.`,
        remedy: WHAT_FOR[title],
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

/** The first line with a digit in it that a tool prints, or nothing. Some print their version and end with a failure. */
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
