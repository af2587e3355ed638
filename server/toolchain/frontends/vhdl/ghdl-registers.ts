import type { Diagnostic } from '../../../contract/diagnostics.ts';
import type { MemoryCapacity } from '../../families/family.ts';
import type { PreparedDesign } from '../../intake/prepared-design.ts';
import { vhdlSource } from '../../languages/vhdl/vhdl-places.ts';
import { reportedName } from '../../tool-paths.ts';
import type { NetlistModule } from './ghdl-netlist/netlist.ts';

const SIGNALS = new Set(['$signal', '$isignal']);
const REGISTERS = new Set(['$dff', '$idff', '$adff', '$iadff']);

/**
 * Finds a memory that becomes more registers than the part has; Yosys would map it for minutes in vain. GHDL makes
 * memories only of arrays that are written and read as block RAM is.
 * @param source for the place of the declaration
 * @returns null when there is none, or the part is unknown
 */
export function tooManyRegisters(
  modules: readonly NetlistModule[],
  capacity: MemoryCapacity,
  source: PreparedDesign,
): Diagnostic | null {
  if (capacity === null) return null;
  for (const { gates } of modules) {
    const drivers = new Map(gates.flatMap((gate) => gate.outputs.map(({ id }) => [id, gate] as const)));
    for (const { kind, name, inputs, outputs } of gates) {
      const [value] = outputs;
      const register = drivers.get(inputs[0] ?? -1);
      const step = name.at(-1);
      if (!SIGNALS.has(kind) || !REGISTERS.has(register?.kind ?? '') || step?.kind !== 'word') continue;
      if (value === undefined || value.width <= capacity.flipFlops) continue;
      if (!gates.some((gate) => gate.kind === '$dyn_extract' && gate.inputs[0] === value.id)) continue;
      const declared = declarationOf(step.text, source);
      const count = (number: number) => number.toLocaleString('en-US');
      return {
        severity: 'error',
        code: 'build_too_large',
        message: `the memory ${declared?.name ?? step.text} has ${count(value.width)} bits and is used in a way that block RAM does not support; ${capacity.part} has only ${count(capacity.flipFlops)} registers`,
        ...declared?.place,
        net: declared?.name ?? step.text,
      };
    }
  }
  return null;
}

/** Place and spelling of a signal's declaration; GHDL has all names in lower case. */
function declarationOf(
  name: string,
  { units, files }: PreparedDesign,
): { name: string; place: Pick<Diagnostic, 'file' | 'line'> } | null {
  for (const path of units) {
    const source = String(files[path] ?? '');
    let declares = false;
    for (const { kind, text, line, start } of vhdlSource(source).tokens) {
      if (text === 'signal' || text === 'variable') declares = true;
      else if (text === ':') declares = false;
      else if (declares && kind === 'word' && text === name)
        return { name: source.slice(start, start + text.length), place: { file: reportedName(path), line } };
    }
  }
  return null;
}
