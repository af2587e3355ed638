import { withoutComments } from '../languages/verilog/outline-lexer.ts';
import type { ToolFiles } from '../tool-engine.ts';
import { moduleSource } from './module-source.ts';
import type { Module } from './netlist.ts';

const PARAMETER =
  /\bparameter\s+(?:(?:int|integer|logic|bit|signed|unsigned)\s+)*(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*(?:\d*'s?([bdh])\s*)?([\da-f_]+)\s*[,;)\n]/gi;
const RADIX: Readonly<Record<string, number>> = { b: 2, d: 10, h: 16 };

/** Numeric defaults of a module's parameters, such as rates, from its source. A netlist does not have them. */
export function numericParameters(
  { place }: Pick<Module, 'place'>,
  files: ToolFiles,
): Record<string, number> {
  const own = moduleSource(place, files);
  return Object.fromEntries(
    [...withoutComments(own).matchAll(PARAMETER)].flatMap(([, name = '', radix = 'd', digits = '']) => {
      const value = Number.parseInt(digits.replaceAll('_', ''), RADIX[radix.toLowerCase()] ?? 10);
      return Number.isNaN(value) ? [] : [[name, value]];
    }),
  );
}
