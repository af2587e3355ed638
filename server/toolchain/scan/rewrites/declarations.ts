import { type Pieces, textAt } from '../statements.ts';

/** Words with which a declaration begins in a block, a function or a task. */
const DECLARES =
  /^(?:input|output|inout|ref|const|var|automatic|static|logic|bit|reg|byte|int|integer|shortint|longint|real|time|string|enum|struct|union|localparam|parameter|typedef|genvar|event|signed|unsigned)$/;
/** Words that are never the name of a type. */
const STATEMENTS =
  /^(?:begin|if|else|for|foreach|while|repeat|forever|do|case[xz]?|unique0?|priority|return|break|continue|end\w*|disable|wait|fork|assert|assume|cover|assign|force|release|default|module|always\w*|initial|function|task)$/;

/** Whether a declaration begins at an index of a block: `logic [7:0] a;`, `word_t a;`, `p::word_t [3:0] a = 0;`. */
export function isDeclarationAt(pieces: Pieces, pairs: ReadonlyMap<number, number>, at: number): boolean {
  const first = pieces[at];
  if (first?.kind !== 'word' || STATEMENTS.test(first.text)) return false;
  // `signed'(a)` and the like begin no statement.
  if (DECLARES.test(first.text)) return true;
  let next = at + 1;
  if (textAt(pieces, next) === ':' && textAt(pieces, next + 1) === ':') next += 3;
  while (textAt(pieces, next) === '[') next = (pairs.get(next) ?? next) + 1;
  return pieces[next]?.kind === 'word' && /^[;,=[]$/.test(textAt(pieces, next + 1));
}

/** The index behind a declaration. */
export function behindDeclaration(pieces: Pieces, pairs: ReadonlyMap<number, number>, at: number): number {
  let end = at;
  while (end < pieces.length && textAt(pieces, end) !== ';') end = (pairs.get(end) ?? end) + 1;
  return end + 1;
}
