import type { Diagnostic } from '../../contract/diagnostics.ts';
import { piecesOf } from './outline-lexer.ts';
import { inUpload, type PreparedDesign } from './prepared-design.ts';
import { reportedName } from './tool-paths.ts';

/** Characters of one number, name or string that the scanner of Yosys has room for (0.23 and 0.55). */
const LONGEST_PIECE = 65_535;

/** What may be such a piece: most texts have nothing that long. */
const LONG = new RegExp(`(?<![\\w?'])[\\w?']{${LONGEST_PIECE + 1}}|"[^"\\n]{${LONGEST_PIECE - 1}}`);

/**
 * The number, name or string of a design that is longer than Yosys can read: it ends there, and says nothing of the design.
 * Null where there is none; with conditions of the preprocessor the tool has to decide what is read at all.
 */
export function tooLongPiece(source: PreparedDesign): Diagnostic | null {
  for (const path of source.units) {
    const text = source.files[path];
    if (typeof text !== 'string' || !LONG.test(text) || /`if/.test(text)) continue;
    const found = longestOf(text);
    if (!found || found.length <= LONGEST_PIECE) continue;
    const what = found.given === null ? 'a number, name or string' : `what ${found.given} is given`;
    return {
      severity: 'error',
      code: 'design_invalid',
      message: `${what} has ${found.length.toLocaleString('en-US')} characters, of which the tools read ${LONGEST_PIECE.toLocaleString('en-US')} at most; take a memory in place of a register of so many bits`,
      ...inUpload({ file: reportedName(path), line: found.line }, source),
    };
  }
  return null;
}

function longestOf(text: string): { length: number; line: number; given: string | null } | null {
  const pieces = piecesOf(text);
  let longest: { length: number; at: number } | null = null;
  // A number is two pieces where it says its width: `8'b` and before it the 8.
  for (const [at, { start, end }] of pieces.entries())
    if (end - start > (longest?.length ?? 0)) longest = { length: end - start, at };
  const piece = longest && pieces[longest.at];
  if (!longest || !piece) return null;
  const before = pieces.slice(Math.max(0, longest.at - 4), longest.at);
  const assigned = before.findLastIndex(({ text: mark }) => mark === '=');
  const name = before.slice(0, Math.max(0, assigned)).findLast(({ kind }) => kind === 'word')?.text ?? null;
  return { length: longest.length, line: text.slice(0, piece.start).split('\n').length, given: name };
}
