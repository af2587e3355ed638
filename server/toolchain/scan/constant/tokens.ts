import type { Piece } from '../outline-lexer.ts';

/** Operators of more than one character, the longest first. */
const OPERATORS =
  '<<<= >>>= === !== ==? !=? <<< >>> <<= >>= << >> <= >= == != && || ** ~& ~| ~^ ^~ += -= *= /= %= &= |= ^= ++ -- +: -:'.split(
    ' ',
  );
const LONGEST = 4;

/** The pieces with the characters of an operator in one. */
export function joined(pieces: readonly Piece[]): Piece[] {
  const tokens: Piece[] = [];
  for (let at = 0; at < pieces.length; ) {
    const piece = pieces[at] as Piece;
    const operator = piece.kind === 'mark' ? operatorAt(pieces, at) : null;
    if (operator === null) {
      tokens.push(piece);
      at++;
    } else {
      tokens.push({ ...piece, text: operator, end: piece.start + operator.length });
      at += operator.length;
    }
  }
  return tokens;
}

function operatorAt(pieces: readonly Piece[], at: number): string | null {
  let text = '';
  for (let next = at; next < at + LONGEST; next++) {
    const piece = pieces[next];
    const before = pieces[next - 1];
    if (piece?.kind !== 'mark' || (next > at && before?.end !== piece.start)) break;
    text += piece.text;
  }
  return OPERATORS.find((operator) => text.startsWith(operator)) ?? null;
}
