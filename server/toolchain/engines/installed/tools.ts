import { existsSync } from 'node:fs';
import path from 'node:path';
import { programEnding } from '../../../process/find-program.ts';
import type { InstalledTool } from '../../families/family.ts';
import { FAMILIES } from '../../families/index.ts';
import type { ConfiguredPaths } from '../executables.ts';

/** All programs of the native engine. */
export const installedTools = (): InstalledTool[] =>
  [...FAMILIES.values()].flatMap(({ installed }) => installed);

/** Tools that the families need, for the doctor's report. */
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

/** Programs in a folder of tools; VHDL also needs GHDL. */
export function toolsIn(folder: string): ConfiguredPaths {
  const names = [...installedTools().map(({ name }) => name), 'ghdl'];
  const files = names.map((tool) => [tool, path.join(folder, tool + programEnding())] as const);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}
