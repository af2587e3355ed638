import { type Piece, piecesOf } from './outline-lexer.ts';

/** Larger sources are not looked through for what a tool says of them, characters. */
export const LONGEST = 1 << 18;

/** A text in its pieces, with where each stands. */
export interface SourcePieces {
  text: string;
  pieces: readonly Piece[];
  /** The line of each piece, from 1. */
  lines: readonly number[];
  /** Columns before the first character of each line. */
  indents: readonly number[];
  /** The last line in which there is anything. */
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
  return { text, pieces, lines, indents: whole.map(columnsBefore), last: lastLine(text) };
}

/** The last line of a text in which there is anything, from 1. */
export const lastLine = (text: string): number => text.trimEnd().split('\n').length;

const TAB = 4;

/** Columns of white space with which a line begins. */
function columnsBefore(line: string): number {
  let columns = 0;
  for (let at = 0; line[at] === ' ' || line[at] === '\t'; at++) columns += line[at] === '\t' ? TAB : 1;
  return columns;
}

/** Index of the first piece in a line, or behind it. */
export function firstIn({ lines }: SourcePieces, line: number): number {
  const at = lines.findIndex((one) => one >= line);
  return at < 0 ? lines.length : at;
}

/** Whether nothing stands before a piece in its line. */
export const leads = ({ lines }: SourcePieces, at: number): boolean => lines[at - 1] !== lines[at];

/** Columns before the first character of the line in which a piece stands. */
export const indentOf = ({ lines, indents }: SourcePieces, at: number): number =>
  indents[(lines[at] ?? 1) - 1] ?? 0;

/** A piece as it is shown: a long one is cut. */
export const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** A piece as it is shown, a number with its size. */
export function shownAt({ pieces }: SourcePieces, at: number): string {
  const [piece, next] = [pieces[at], pieces[at + 1]];
  const sized = /^\d/.test(piece?.text ?? '') && next?.text.startsWith("'") && next.start === piece?.end;
  return shortened((piece?.text ?? '') + (sized ? next?.text : ''));
}

/** Marks at which two pieces may always be parted. */
const PARTS = new Set([';', ',', '(', ')', '[', ']', '{', '}']);

/** Whether a line may end between two pieces that stand in one, without making others of them. */
function mayPart(left: Piece, right: Piece): boolean {
  if (left.text === '*' || right.text === '*' || right.text.startsWith("'") || left.text === "'")
    return false;
  if (right.start > left.end || PARTS.has(left.text) || PARTS.has(right.text)) return true;
  return (left.kind === 'mark') !== (right.kind === 'mark') && left.text !== '`';
}

/**
 * The text with the pieces of one line in a line each, so that a tool which names the line alone says at which of them it
 * stopped. Null where that would make another text of it.
 * @returns also the index of the piece that begins in each of these lines
 */
export function oneALine(source: SourcePieces, line: number): { text: string; starts: number[] } | null {
  const { text, pieces } = source;
  const [from, to] = [firstIn(source, line), firstIn(source, line + 1)];
  const all = pieces.slice(from, to);
  const [first, last] = [all[0], all.at(-1)];
  if (!first || !last || last.end - first.start > 1000) return null;
  if (all.some(({ kind }) => kind === 'directive') || text.slice(first.start, last.end).includes('\n'))
    return null;
  const starts = [from];
  let parted = text.slice(first.start, first.end);
  for (const [n, piece] of all.entries()) {
    const before = all[n - 1];
    if (!before) continue;
    const parts = mayPart(before, piece);
    if (parts) starts.push(from + n);
    parted += (parts ? '\n' : text.slice(before.end, piece.start)) + piece.text;
  }
  return { text: text.slice(0, first.start) + parted + text.slice(last.end), starts };
}
