import { type Piece, piecesOf } from '../../languages/verilog/outline-lexer.ts';
import type { ToolFiles } from '../../tool-engine.ts';

/** Macros for the keywords, of the same length: every place in the text stays. */
const MACROS: Readonly<Record<string, string>> = { function: '`WB_FUNC', task: '`WBT' };

/** Options of slang that define the macros; a comment takes the place of the space, which would end the option. */
export const AUTOMATIC_SUBROUTINES = Object.entries(MACROS).flatMap(([keyword, macro]) => [
  '-D',
  `${macro.slice(1)}=${keyword}/**/automatic`,
]);

/** What precedes the keyword where it declares no body, as in a modport, or a method, which is automatic. */
const BEFORE_PROTOTYPE =
  /^(?:import|export|extern|virtual|pure|context|forkjoin|with|static|protected|local|[=,]|".*)$/;

/** `a <= b` in a task: its target may be an argument, which must be static then. */
const assignsLater = (pieces: readonly Piece[], from: number): boolean => {
  const end = pieces.findIndex(({ text }, at) => at > from && text === 'endtask');
  return pieces
    .slice(from, end < 0 ? undefined : end)
    .some(
      ({ text, end }, at, body) => text === '<' && body[at + 1]?.text === '=' && body[at + 1]?.start === end,
    );
};

/**
 * Declares functions and tasks as automatic, which is how every synthesis tool takes them. By the standard their
 * arguments and variables last from call to call, and slang makes registers and latches of them, with one driver for
 * each block that calls.
 */
export function withAutomaticSubroutines(files: ToolFiles): ToolFiles {
  return Object.fromEntries(
    Object.entries(files).map(([path, contents]) => [path, declaredAutomatic(contents)]),
  );
}

function declaredAutomatic(contents: string | Uint8Array): string | Uint8Array {
  // One character for each byte, whatever the encoding.
  const text = typeof contents === 'string' ? contents : Buffer.from(contents).toString('latin1');
  if (!/\b(?:function|task)\b/.test(text)) return contents;
  const pieces = piecesOf(text);
  let [result, at] = ['', 0];
  for (const [n, { kind, text: word, start, end }] of pieces.entries()) {
    const macro = kind === 'word' && Object.hasOwn(MACROS, word) ? MACROS[word] : undefined;
    if (macro === undefined || BEFORE_PROTOTYPE.test(pieces[n - 1]?.text ?? '')) continue;
    if (/^(?:automatic|static)$/.test(pieces[n + 1]?.text ?? '')) continue;
    if (word === 'task' && assignsLater(pieces, n)) continue;
    result += text.slice(at, start) + macro;
    at = end;
  }
  result += text.slice(at);
  return typeof contents === 'string' ? result : Buffer.from(result, 'latin1');
}
