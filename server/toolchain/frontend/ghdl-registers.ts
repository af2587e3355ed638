import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from '../scan/prepared-design.ts';
import { reportedName } from '../scan/tool-paths.ts';
import { vhdlSource } from '../scan/vhdl-places.ts';
import type { MemoryCapacity } from '../slave/memories.ts';

/** A signal that GHDL makes registers of, in its Verilog: `assign s_mem = n88_q; // (signal)`, and without `assign` where it begins with a value. */
const REGISTERS = /^ +(?:assign )?(\w+) = (n\d+_q); \/\/ \(i?signal\)$/gm;
/** Of a memory every word is taken out in a line of its own: so many of them that nothing but an address chooses one. */
const LEAST_WORDS = 32;

/**
 * The memory of a design in VHDL that GHDL makes registers of, more of them than the part has: Yosys would map them for minutes, to
 * no end. GHDL makes memories of arrays that are written and read as block RAM is, and registers of any other.
 * @param verilog as GHDL writes it
 * @param source whose declaration has the place
 * @returns null where there is none, or the part is not known
 */
export function tooManyRegisters(
  verilog: string,
  capacity: MemoryCapacity,
  { units, files }: PreparedDesign,
): Diagnostic | null {
  if (capacity === null) return null;
  for (const [, name = '', register = ''] of verilog.matchAll(REGISTERS)) {
    const [, high] = new RegExp(`^ {2}reg \\[(\\d+):0\\] ${register};$`, 'm').exec(verilog) ?? [];
    const bits = Number(high ?? 0) + 1;
    if (bits <= capacity.flipFlops || verilog.split(` = ${name}[`).length <= LEAST_WORDS) continue;
    const declared = declarationOf(name, units, files);
    const count = (value: number) => value.toLocaleString('en-US');
    return {
      severity: 'error',
      code: 'build_too_large',
      message: `the memory ${declared?.name ?? name} has ${count(bits)} bits and is used as no block RAM can be, and ${capacity.part} has ${count(capacity.flipFlops)} registers`,
      ...declared?.place,
      net: declared?.name ?? name,
    };
  }
  return null;
}

/** Where a signal is declared, and as what it is written there: GHDL has all names in lower case. */
function declarationOf(
  name: string,
  units: PreparedDesign['units'],
  files: PreparedDesign['files'],
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
