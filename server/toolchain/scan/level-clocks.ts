import type { Diagnostic } from '../../contract/diagnostics.ts';
import { textOf } from './copies.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST, sourcePieces } from './source-pieces.ts';
import { behindStatement, modulesOf, type Pieces, textAt, Unclosed } from './statements.ts';
import { reportedName } from './tool-paths.ts';

/** `always @(clk)`, as text: a list with one name alone. */
const MAY_HAVE = /\balways\s{0,100}@\s{0,100}\(\s{0,100}\w+\s{0,100}\)/;

/** Whether a process that begins at an index gives its values as registers have them, and does not read the signal it waits for. */
function isOfRegisters(pieces: Pieces, from: number, to: number, clock: string): boolean {
  let assigned = false;
  for (let at = from; at < to; at++) {
    const text = textAt(pieces, at);
    if (text === clock) return false;
    if (text !== '=' || /^[=!<>]$/.test(textAt(pieces, at + 1))) continue;
    const before = textAt(pieces, at - 1);
    if (before === '<') assigned = true;
    else if (!/^[=!>]$/.test(before)) return false;
  }
  return assigned;
}

/** Warnings for processes that wait for a clock without an edge: a simulation makes registers of them, and a circuit has gates. */
export function levelClocks(below: ReadonlySet<string>, { files, units }: PreparedDesign): Diagnostic[] {
  return units.flatMap((path) => {
    const text = textOf(files, path);
    if (text.length > LONGEST || !MAY_HAVE.test(text)) return [];
    const { pieces, lines } = sourcePieces(text);
    const found: Diagnostic[] = [];
    for (const [module, from, to] of modulesOf(pieces)) {
      if (!below.has(module)) continue;
      const clocks = new Set<string>();
      for (let at = from; at < to; at++)
        if (/^(?:posedge|negedge)$/.test(textAt(pieces, at))) clocks.add(textAt(pieces, at + 1));
      for (let at = from; at < to; at++) {
        const [word, wait, open, name, close] = [0, 1, 2, 3, 4].map((n) => textAt(pieces, at + n));
        const isList = word === 'always' && wait === '@' && open === '(' && close === ')';
        if (!isList || !name || !clocks.has(name)) continue;
        const end = endOf(pieces, at + 5);
        if (end === null || !isOfRegisters(pieces, at + 5, end, name)) continue;
        found.push({
          severity: 'warning',
          code: 'design_invalid',
          message: `in ${module}, \`always @(${name})\` has no edge, and becomes gates without a clock: write \`always @(posedge ${name})\` for registers`,
          file: reportedName(path),
          line: lines[at] ?? 1,
          module,
        });
      }
    }
    return found;
  });
}

/** The index behind a statement; null where it has no end. */
function endOf(pieces: Pieces, from: number): number | null {
  try {
    return behindStatement(pieces, from);
  } catch (error) {
    if (error instanceof Unclosed) return null;
    throw error;
  }
}
