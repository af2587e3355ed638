import type { ToolFiles } from '../tool-engine.ts';
import { PROJECT_FOLDER } from '../tool-paths.ts';
import type { Module } from './netlist.ts';

const PARAMETER =
  /\bparameter\s+(?:(?:int|integer|logic|bit|signed|unsigned)\s+)*(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*(?:\d*'s?([bdh])\s*)?([\da-f_]+)\s*[,;)\n]/gi;
const RADIX: Readonly<Record<string, number>> = { b: 2, d: 10, h: 16 };

/** Numeric defaults of a module's parameters, such as rates, from its source. A netlist does not have them. */
export function numericParameters(
  { place: { file, line = 1 } }: Pick<Module, 'place'>,
  files: ToolFiles,
): Record<string, number> {
  const text = files[file ?? ''] ?? files[PROJECT_FOLDER + file];
  if (typeof text !== 'string') return {};
  const [own = ''] = text
    .split('\n')
    .slice(line - 1)
    .join('\n')
    .split(/\bendmodule\b/);
  return Object.fromEntries(
    [...own.replace(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g, ' ').matchAll(PARAMETER)].flatMap(
      ([, name = '', radix = 'd', digits = '']) => {
        const value = Number.parseInt(digits.replaceAll('_', ''), RADIX[radix.toLowerCase()] ?? 10);
        return Number.isNaN(value) ? [] : [[name, value]];
      },
    ),
  );
}
