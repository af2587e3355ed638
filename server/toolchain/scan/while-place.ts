import type { Diagnostic } from '../../contract/diagnostics.ts';
import type { PreparedDesign } from './prepared-design.ts';
import { LONGEST, sourcePieces } from './source-pieces.ts';
import { reportedName } from './tool-paths.ts';

/** The lines of the `while` loops of a text: those of processes, then those of functions, which may be constant. */
function whileLines(text: string): number[] {
  const { pieces, lines } = sourcePieces(text);
  const [ofProcesses, ofFunctions]: [number[], number[]] = [[], []];
  let inFunction = false;
  for (const [at, piece] of pieces.entries()) {
    if (piece.kind !== 'word') continue;
    if (piece.text === 'function') inFunction = true;
    else if (piece.text === 'endfunction') inFunction = false;
    else if (piece.text === 'while') (inFunction ? ofFunctions : ofProcesses).push(lines[at] ?? 1);
  }
  return [...ofProcesses, ...ofFunctions];
}

/** An error about a `while` that cannot be built, with its line: Yosys says none. Null for any other, and where it is not found. */
export function whileOf(
  finding: Diagnostic,
  { files, units }: Pick<PreparedDesign, 'files' | 'units'>,
): Diagnostic | null {
  if (finding.line !== undefined || !finding.message.startsWith('a `while` cannot be built')) return null;
  for (const path of units) {
    const text = files[path];
    if (typeof text !== 'string' || text.length > LONGEST) continue;
    const file = reportedName(path);
    const [line] = finding.file === undefined || finding.file === file ? whileLines(text) : [];
    if (line !== undefined) return { ...finding, file, line };
  }
  return null;
}
