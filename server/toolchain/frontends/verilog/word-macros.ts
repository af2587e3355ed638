import { type Piece, piecesOf } from '../../languages/verilog/outline-lexer.ts';
import type { ToolFiles } from '../../tool-engine.ts';

/** Macros for words, of the same length: every place in the text stays. */
const MACROS: Readonly<Record<string, string>> = {
  function: '`WB_FUNC',
  task: '`WBT',
  repeat: '`WBREP',
  $onehot: '`WBONEH',
  $onehot0: '`WBONEH0',
};

/**
 * Options of slang that define the macros; a comment takes the place of a space, which would end the option. The count of
 * a `repeat` has its own width and sign: a negative one gives no pass.
 */
export const WORD_MACROS = [
  'WB_FUNC=function/**/automatic',
  'WBT=task/**/automatic',
  "WBREP(n)=for(integer/**/wb_n=(n)<(1'sb0)?0:$unsigned(n);wb_n!=0;wb_n--)",
  'WBONEH(x)=($countones(x)==1)',
  'WBONEH0(x)=($countones(x)<=1)',
].flatMap((macro) => ['-D', macro]);

/** A `repeat` that waits: it is for simulation only. */
const WAITS = /^repeat\s*\([^()]*\)\s*[@#]/;

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

/** Whether a function or a task is declared as automatic here. */
function isDeclared(pieces: readonly Piece[], at: number): boolean {
  if (BEFORE_PROTOTYPE.test(pieces[at - 1]?.text ?? '')) return false;
  if (/^(?:automatic|static)$/.test(pieces[at + 1]?.text ?? '')) return false;
  return pieces[at]?.text !== 'task' || !assignsLater(pieces, at);
}

/**
 * Writes with macros what slang does otherwise or not at all:
 *
 * - Functions and tasks are automatic, which is how every synthesis tool takes them. By the standard their arguments and
 *   variables last from call to call, and slang makes registers and latches of them, with one driver for each block that
 *   calls.
 * - `repeat` becomes a `for`, `$onehot` and `$onehot0` count ones.
 */
export function withWordMacros(files: ToolFiles): ToolFiles {
  return Object.fromEntries(Object.entries(files).map(([path, contents]) => [path, rewritten(contents)]));
}

function rewritten(contents: string | Uint8Array): string | Uint8Array {
  // One character for each byte, whatever the encoding.
  const text = typeof contents === 'string' ? contents : Buffer.from(contents).toString('latin1');
  if (!/\b(?:function|task|repeat)\b|\$onehot/.test(text)) return contents;
  const pieces = piecesOf(text);
  let [result, at] = ['', 0];
  for (const [n, { kind, text: word, start, end }] of pieces.entries()) {
    const macro = /^(?:word|other)$/.test(kind) && Object.hasOwn(MACROS, word) ? MACROS[word] : undefined;
    if (macro === undefined) continue;
    if (word === 'repeat' ? WAITS.test(text.slice(start)) : kind === 'word' && !isDeclared(pieces, n))
      continue;
    result += text.slice(at, start) + macro;
    at = end;
  }
  result += text.slice(at);
  return typeof contents === 'string' ? result : Buffer.from(result, 'latin1');
}
