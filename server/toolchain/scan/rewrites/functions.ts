import type { Piece } from '../outline-lexer.ts';
import { behindBrackets, type Pieces, textAt, Unclosed } from '../statements.ts';

/** A function of a text, by the indices of its pieces. */
export interface FunctionBody {
  name: string;
  /** Its name. */
  at: number;
  /** Its first statement or declaration, and its `endfunction`. */
  from: number;
  to: number;
}

/**
 * The function whose word stands at an index; null where it is not to be told, or has no body.
 * @throws Unclosed
 */
export function functionAt(pieces: Pieces, head: number): FunctionBody | null {
  let at = head + 1;
  while (at < pieces.length && !/^[(;]$/.test(textAt(pieces, at))) at++;
  const name = pieces[at - 1];
  if (name?.kind !== 'word') return null;
  const behind = textAt(pieces, at) === '(' ? behindBrackets(pieces, at) : at;
  if (behind === null || textAt(pieces, behind) !== ';') return null;
  for (let to = behind + 1; to < pieces.length; to++) {
    const { kind, text } = pieces[to] as Piece;
    if (kind === 'word' && /^(?:end)?module$/.test(text)) return null;
    if (kind === 'word' && text === 'endfunction')
      return { name: name.text, at: at - 1, from: behind + 1, to };
  }
  throw new Unclosed();
}
