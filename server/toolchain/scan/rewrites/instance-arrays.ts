import { Edits } from '../lexer.ts';
import { piecesOf } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';

/** `u[2] (`, as text: nothing but an array of instances looks like it. */
const MAY_HAVE = /\w\s{0,100}\[[^[\]:;]{1,200}\]\s{0,100}\(/;
/** Pieces of a number of instances. */
const LONGEST = 100;
/** Behind these a range belongs to a type. */
const TYPES = /^(?:input|output|inout|ref|wire|tri|reg|logic|bit|byte|int|integer|signed|unsigned|var)$/;

/** Whether a name with a number in brackets behind it is that of instances: `sub u[2] (…)`, `sub #(8) u[2] (…)`. */
function isInstance(pieces: Pieces, at: number): boolean {
  const [before, name] = [pieces[at - 1], pieces[at]];
  if (name?.kind !== 'word' || TYPES.test(name.text)) return false;
  return before?.kind === 'word' ? !TYPES.test(before.text) : /^[),]$/.test(before?.text ?? '');
}

/** The index of the `]` behind a number of instances; null where there is a range already, or anything else. */
function closeOf(pieces: Pieces, open: number): number | null {
  for (let at = open + 1; at < open + LONGEST; at++) {
    const text = textAt(pieces, at);
    if (text === ']') return at > open + 1 && textAt(pieces, at + 1) === '(' ? at : null;
    if (/^[[:;]?$/.test(text)) return null;
  }
  return null;
}

/**
 * A source in SystemVerilog in which arrays of instances have a range: Yosys takes `u[2]` for the one instance with that number,
 * and leaves the others out. Lines stay what they are.
 */
export function withInstanceRanges(text: string): string {
  if (!MAY_HAVE.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  for (const [at, { text: mark, end: open }] of pieces.entries()) {
    if (mark !== '[' || !isInstance(pieces, at - 1)) continue;
    const close = closeOf(pieces, at);
    if (close === null) continue;
    edits.replace(open, open, '0:(');
    const { end } = pieces[close - 1] ?? { end: open };
    edits.replace(end, end, ')-1');
  }
  return edits.apply(text);
}
