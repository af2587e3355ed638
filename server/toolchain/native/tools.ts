import { existsSync } from 'node:fs';
import path from 'node:path';
import type { ToolRun } from '../toolchain.ts';
import type { ConfiguredPaths } from './executables.ts';

/** The reader of SystemVerilog is among the embedded tools alone. */
export type NativeTool = Exclude<ToolRun['tool'], 'slang'>;

/** Every program that the native engine runs. */
export const NATIVE_TOOLS: readonly NativeTool[] = [
  'yosys',
  'nextpnr-ice40',
  'icepack',
  'nextpnr-ecp5',
  'ecppack',
  'nextpnr-himbaechel',
  'gowin_pack',
];

/** The programs that a folder of tools brings; VHDL needs GHDL beside those of the engine. */
export function toolsIn(folder: string): ConfiguredPaths {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const files = [...NATIVE_TOOLS, 'ghdl'].map((tool) => [tool, path.join(folder, tool + suffix)] as const);
  return Object.fromEntries(files.filter(([, file]) => existsSync(file)));
}
