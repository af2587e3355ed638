import { existsSync } from 'node:fs';
import path from 'node:path';
import { programEnding } from '../../../process/find-program.ts';
import type { InstalledTool } from '../../families/family.ts';
import { FAMILIES } from '../../families/index.ts';
import type { ConfiguredPaths } from '../executables.ts';

/** Every program that the native engine runs. */
export const installedTools = (): InstalledTool[] =>
  [...FAMILIES.values()].flatMap(({ installed }) => installed);

/** What the families need of the computer, for people who have none of it. */
export const neededByFamilies = (): {
  title: string;
  purpose: string;
  tools: Record<string, string | null>;
}[] =>
  [...FAMILIES.values()]
    .filter(({ installed }) => installed.length > 0)
    .map(({ title, installed }) => ({
      title: `Native ${title} tools`,
      purpose: `Needed to build for ${title} boards only; part of OSS CAD Suite.`,
      tools: Object.fromEntries(installed.map(({ name, versionArgument }) => [name, versionArgument])),
    }));

/** The programs that a folder of tools brings; VHDL needs GHDL beside those of the families. */
export function toolsIn(folder: string): ConfiguredPaths {
  const names = [...installedTools().map(({ name }) => name), 'ghdl'];
  const files = names.map((tool) => [tool, path.join(folder, tool + programEnding())] as const);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}
