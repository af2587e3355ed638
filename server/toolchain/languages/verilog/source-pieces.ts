import { type Piece, piecesOf } from './outline-lexer.ts';

/** Splits a source into pieces, with the line of each, from 1. */
export function sourcePieces(text: string): { pieces: readonly Piece[]; lines: readonly number[] } {
  const pieces = piecesOf(text);
  const whole = text.split('\n');
  let [line, end] = [1, whole[0]?.length ?? 0];
  const lines = pieces.map(({ start }) => {
    while (end < start) {
      line++;
      end += 1 + (whole[line - 1]?.length ?? 0);
    }
    return line;
  });
  return { pieces, lines };
}

/** Text for a message; a long one is cut. */
export const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
