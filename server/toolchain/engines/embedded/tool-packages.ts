import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { toolchainError } from '../../../errors/toolchain.ts';
import { distPath } from '../../../paths.ts';
import type { ToolRun } from '../../tool-engine.ts';

/** Tools of the npm packages, as WebAssembly. */
const EMBEDDED_TOOLS = ['yosys', 'nextpnr-ice40', 'icepack'] as const;
export type EmbeddedTool = (typeof EMBEDDED_TOOLS)[number];
/** Those that every build runs, in order. icepack is only for tests, which compare the bench's packer with it. */
export const EVERY_BUILD = ['yosys', 'nextpnr-ice40'] as const satisfies readonly EmbeddedTool[];

/** The tool of a run. @throws tool_missing when the packages do not have it */
export function embeddedTool({ tool }: Pick<ToolRun, 'tool'>): EmbeddedTool {
  const found = EMBEDDED_TOOLS.find((embedded) => embedded === tool);
  if (found) return found;
  throw toolchainError('tool_missing', {
    message: `${tool} is not an embedded tool.`,
    remedy: `Install ${tool} so that it is on the PATH of the service.`,
  });
}

const PACKAGES: Record<EmbeddedTool, { package: string; module: string; upstream: string }> = {
  // The build writes this module for all versions of Node: see resources/yosys/older-exceptions.mjs.
  yosys: { package: '@yowasp/yosys', module: 'yosys.wasm', upstream: 'Yosys' },
  'nextpnr-ice40': {
    package: '@yowasp/nextpnr-ice40',
    module: 'nextpnr-ice40.core.wasm',
    upstream: 'nextpnr-ice40',
  },
  icepack: { package: '@yowasp/nextpnr-ice40', module: 'icepack.core.wasm', upstream: 'icepack' },
};

/**
 * Chip database by device option of nextpnr-ice40.
 * Source: nextpnr `ice40/main.cc` and `ice40/arch.cc` (get_chip_info).
 */
const CHIP_DATABASES: Record<string, string> = {
  '--lp384': '384',
  '--lp1k': '1k',
  '--hx1k': '1k',
  '--lp4k': '8k',
  '--hx4k': '8k',
  '--lp8k': '8k',
  '--hx8k': '8k',
  '--up3k': '5k',
  '--up5k': '5k',
  '--u1k': 'u4k',
  '--u2k': 'u4k',
  '--u4k': 'u4k',
};

/** Path of a file outside the archive of a packaged application. */
function unpacked(file: string): string {
  const outside = file.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked');
  return existsSync(outside) ? outside : file;
}

/** Folder of a package's WebAssembly modules. */
const folderOf = (tool: EmbeddedTool): string =>
  unpacked(path.dirname(createRequire(import.meta.url).resolve(PACKAGES[tool].package)));

/** Absolute path of the tool's WebAssembly module. */
export const modulePath = (tool: EmbeddedTool): string =>
  tool === 'yosys'
    ? unpacked(distPath('server', PACKAGES.yosys.module))
    : path.join(folderOf(tool), PACKAGES[tool].module);

/** Archive (tar) of Yosys's cell libraries. */
export const yosysResources = (): string => path.join(folderOf('yosys'), 'yosys-resources.0.tar');

/** Host files for the tool's file system: host path by path there. */
export function hostFiles(tool: EmbeddedTool, args: readonly string[]): Record<string, string> {
  if (tool !== 'nextpnr-ice40') return {};
  const database = args.map((arg) => CHIP_DATABASES[arg]).find((name) => name !== undefined);
  if (database === undefined) return {};
  const name = `share/ice40/chipdb-${database}.bin`;
  return { [name]: path.join(folderOf(tool), name) };
}

const versions = new Map<EmbeddedTool, string>();

/** `Yosys 0.55 (@yowasp/yosys 0.55.944)`: the package's version begins with the tool's. Read once. */
export function embeddedVersion(tool: EmbeddedTool): string {
  const version = versions.get(tool) ?? readVersion(tool);
  versions.set(tool, version);
  return version;
}

/** The same of all tools. */
export const embeddedVersions = async (): Promise<Record<string, string>> =>
  Object.fromEntries(EMBEDDED_TOOLS.map((tool) => [tool, embeddedVersion(tool)]));

function readVersion(tool: EmbeddedTool): string {
  const { package: name, upstream } = PACKAGES[tool];
  const manifest = path.join(folderOf(tool), '..', 'package.json');
  const contents: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
  if (typeof contents !== 'object' || contents === null || !('version' in contents))
    throw new Error(`The manifest of ${name} has no version.`);
  const version = String(contents.version);
  return `${upstream} ${version.split('.').slice(0, 2).join('.')} (${name} ${version})`;
}
