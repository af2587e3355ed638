import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { behindStatement, type Pieces, textAt, Unclosed } from '../statements.ts';
import { type Insertion, Jumps } from './jumps.ts';
import { NewNames } from './new-names.ts';

/** Pieces of a process that is written in another way. */
const LONGEST = 5000;
/** Behind these a variable may be declared. */
const BEFORE_ITEM = /^(?:;|end\w*|generate|begin)$/;

/** The process that begins at an index, written without jumps; null where it has none, or cannot be. */
function writtenProcess(pieces: Pieces, at: number, end: number, names: NewNames): Insertion[] | null {
  const isLabel = textAt(pieces, at - 2) === ':' && /^(?:begin|end\w*)$/.test(textAt(pieces, at - 3));
  if (!BEFORE_ITEM.test(textAt(pieces, at - 1)) && !isLabel) return null;
  const variables: string[] = [];
  const variable = () => {
    const one = names.next();
    variables.push(one);
    return one;
  };
  // What stands in front of its statement: `always_ff @(posedge clk)`.
  let first = at + 1;
  while (/^[@#(*)]|\(\*/.test(textAt(pieces, first))) {
    if (textAt(pieces, first) === '#') return null;
    if (textAt(pieces, first) !== '(' && pieces[first]?.kind !== 'attribute') first++;
    else {
      let depth = 0;
      do {
        if (/^\(/.test(textAt(pieces, first))) depth++;
        else if (textAt(pieces, first) === ')') depth--;
        first++;
      } while (depth > 0 && first < end);
    }
  }
  const jumps = new Jumps(pieces, null, variable);
  const set = jumps.statement(first, end, null, 0);
  if (set === null) return null;
  const text = jumps.changes.map(({ by }) => by).join(' ');
  const used = variables.filter((one) => text.includes(one));
  if (used.length === 0) return null;
  const { start } = pieces[at] as Piece;
  // They keep no value from one time to the next.
  return [{ start, end: start, by: `(* nosync *) logic ${used.join(', ')}; ` }, ...jumps.changes];
}

/**
 * A source in SystemVerilog in which loops of processes are left, and gone on with, by variables that tell it: Yosys reads neither
 * `break` nor `continue`. Lines stay what they are.
 */
export function withoutLoopJumps(text: string): string {
  if (!/\b(?:break|continue)\s{0,100};/.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  const names = new NewNames(text);
  try {
    for (let at = 0; at < pieces.length; at++) {
      if (
        pieces[at]?.kind !== 'word' ||
        !/^(?:always(?:_comb|_ff|_latch)?|initial)$/.test(textAt(pieces, at))
      )
        continue;
      const end = behindStatement(pieces, at + 1);
      if (end === null || end - at > LONGEST) continue;
      const jumps = pieces
        .slice(at, end)
        .some(({ kind, text: word }) => kind === 'word' && /^(?:break|continue)$/.test(word));
      const changes = jumps ? writtenProcess(pieces, at, end, names) : null;
      for (const { start, end: behind, by } of changes ?? []) edits.replace(start, behind, by);
      at = end - 1;
    }
  } catch (error) {
    // The tool says what has no end.
    if (error instanceof Unclosed) return text;
    throw error;
  }
  return edits.apply(text);
}
