import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ConfiguredPaths } from './executables.ts';

/** Every program that the native engine runs: place, route and pack of the families that no embedded tool does that for. */
export const NATIVE_TOOLS = ['nextpnr-ecp5', 'ecppack', 'nextpnr-himbaechel', 'gowin_pack'] as const;
export type NativeTool = (typeof NATIVE_TOOLS)[number];

/** The programs that a folder of tools brings; VHDL needs GHDL beside those of the engine. */
export function toolsIn(folder: string): ConfiguredPaths {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const files = [...NATIVE_TOOLS, 'ghdl'].map((tool) => [tool, path.join(folder, tool + suffix)] as const);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}
