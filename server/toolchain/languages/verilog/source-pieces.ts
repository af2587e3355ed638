import { type Piece, piecesOf } from './outline-lexer.ts';

/** A text with its pieces and their lines. */
export interface SourcePieces {
  text: string;
  pieces: readonly Piece[];
  /** Line of each piece, from 1. */
  lines: readonly number[];
  /** The last line that is not blank. */
  last: number;
}

/** Splits a source into pieces and finds their lines. */
export function sourcePieces(text: string): SourcePieces {
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
  return { text, pieces, lines, last: lastLine(text) };
}

/** The last line that is not blank, from 1. */
const lastLine = (text: string): number => text.trimEnd().split('\n').length;

/** Text for a message; a long one is cut. */
export const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
