import type { Diagnostic } from '../../contract/diagnostics.ts';
import { reportedName } from '../scan/tool-paths.ts';
import { NO_ELSE } from '../scan/vhdl-name-words.ts';

/** An edge of a clock that is used as a value, in the Verilog of GHDL, with the place above it. */
const EDGE = /^ *\/\* *([\w.+/-]+?):(\d+):\d+ *\*\/\n {2}assign (n\d+_o) = 1'b0; \/\/ (?:pos|neg)edge$/gm;

/**
 * Where a design uses an edge of a clock as a value, as in an `else` behind `rising_edge`: GHDL 2 refuses that where the signal
 * begins with no value; else it writes a constant in its place, and the design would be built without a word.
 * @param verilog as GHDL writes it
 */
export function edgesAsValues(verilog: string): Diagnostic[] {
  return [...verilog.matchAll(EDGE)]
    .filter(([, , , net = '']) => verilog.match(new RegExp(`\\b${net}\\b`, 'g'))?.length !== 2)
    .map(([, file = '', line]) => ({
      severity: 'error',
      code: 'ghdl_error',
      message: NO_ELSE,
      file: reportedName(file),
      line: Number(line),
    }));
}
