import { textOfToken, type UnexpectedToken } from '../diagnostics/syntax-words.ts';
import { type Piece, piecesOf } from './outline-lexer.ts';

/** A text that a source may lack, and what is to be said where it does. */
export interface Missing {
  /** Offset at which it would stand. */
  at: number;
  text: string;
  /** "a `;` is probably missing at the end of line 11" */
  said: string;
  /** What the tool did not expect, as it stands in the source; empty at the end of it. */
  before: string;
}

/** What opens and is not closed. */
interface Open {
  text: string;
  /** From 1. */
  line: number;
}

/** Places in one line that are looked at. */
const MOST_PLACES = 8;

const BRACKETS: Readonly<Record<string, string>> = { '(': ')', '(*': '*)', '[': ']', '{': '}' };
const BLOCKS: Readonly<Record<string, string>> = {
  begin: 'end',
  case: 'endcase',
  casex: 'endcase',
  casez: 'endcase',
  function: 'endfunction',
  task: 'endtask',
  generate: 'endgenerate',
  module: 'endmodule',
};
const ENDS = new Set(Object.values(BLOCKS));
/** Behind these a statement has ended, or not begun. */
const COMPLETE = new Set([';', ',', '(', 'begin', 'else', 'generate', ...ENDS]);

/**
 * What may be missing in a source before the token that Yosys did not expect: the likelier first. Whether it is, is to be
 * tried. Empty where that token is not found in the line, as behind a macro.
 * @param line that Yosys names, from 1
 */
export function missingBefore({ unexpected }: UnexpectedToken, text: string, line: number): Missing[] {
  const pieces = piecesOf(text);
  const lines = linesOf(text, pieces);
  if (unexpected === 'end of file') return missingAt(pieces.length, pieces, lines);
  const [first, end] = [firstIn(lines, line), firstIn(lines, line + 1)];
  const places: number[] = [];
  for (let at = first; at < end && places.length < MOST_PLACES; at++)
    if (isToken(pieces, at, unexpected)) places.push(at);
  return places.flatMap((at) => missingAt(at, pieces, lines));
}

/** The last line of a source in which there is anything, from 1. */
export const lastLine = (text: string): number => text.trimEnd().split('\n').length;

/** The line of each piece, from 1. */
function linesOf(text: string, pieces: readonly Piece[]): number[] {
  let [line, from] = [1, 0];
  return pieces.map(({ start }) => {
    for (let end = text.indexOf('\n', from); end >= 0 && end < start; end = text.indexOf('\n', from)) {
      line++;
      from = end + 1;
    }
    return line;
  });
}

/** Index of the first piece in a line, or behind it. */
function firstIn(lines: readonly number[], line: number): number {
  const at = lines.findIndex((one) => one >= line);
  return at < 0 ? lines.length : at;
}

function isToken(pieces: readonly Piece[], at: number, token: string): boolean {
  const { kind, text, start } = pieces[at] as Piece;
  const wanted = textOfToken(token);
  if (wanted === null)
    return token.endsWith('CONSTVAL')
      ? kind === 'other' && /^[\d']/.test(text)
      : (kind === 'word' || (kind === 'other' && text.startsWith('\\'))) && /(?:_ID|_TYPE)$/.test(token);
  if (kind !== 'mark') return text === wanted;
  // Operators are several marks without anything between them.
  const marks = pieces.slice(at, at + wanted.length);
  return (
    marks.map((mark) => mark.text).join('') === wanted &&
    marks.every((mark, n) => mark.start === start + n) &&
    (wanted.length > 1 || pieces[at + 1]?.start !== start + 1 || !/^[<>=&|]$/.test(wanted))
  );
}

function missingAt(index: number, pieces: readonly Piece[], lines: readonly number[]): Missing[] {
  const last = pieces[index - 1];
  if (!last || last.kind === 'directive') return [];
  const before = pieces[index]?.text ?? '';
  const [lastAt, nowAt] = [lines[index - 1] ?? 1, lines[index] ?? 0];
  const where = lastAt === nowAt ? `in line ${lastAt}, before \`${before}\`` : `at the end of line ${lastAt}`;
  const missing = (text: string, said: string): Missing => ({
    at: last.end,
    text: ` ${text} `,
    said,
    before,
  });
  const one = (text: string) => missing(text, `a \`${text}\` is probably missing ${where}`);
  const { brackets, blocks } = openBefore(index, pieces, lines);
  const bracket = brackets.at(-1);
  if (bracket) {
    const close = BRACKETS[bracket.text] ?? ')';
    const said = `a \`${close}\` is probably missing before it: the \`${bracket.text}\` of line ${bracket.line} is not closed`;
    return [missing(close, said), one(',')];
  }
  const found = COMPLETE.has(last.text) ? [] : [...(lastAt === nowAt ? [] : [one(';')]), one(',')];
  if (BLOCKS[blocks.at(-1)?.text ?? ''] === 'endcase') found.push(one(':'));
  const closing = closersFor(before, blocks).map((open) => missing(closersOf(open), unclosed(open)));
  return [...found, ...closing];
}

/** Brackets and blocks that are open before a piece, the outermost first. */
function openBefore(index: number, pieces: readonly Piece[], lines: readonly number[]) {
  let [brackets, blocks]: [Open[], Open[]] = [[], []];
  for (let at = 0; at < index; at++) {
    const { kind, text } = pieces[at] as Piece;
    const here = { text, line: lines[at] ?? 1 };
    if (kind === 'mark' || kind === 'attribute') {
      if (Object.hasOwn(BRACKETS, text)) brackets.push(here);
      else if (/^[)\]}]$/.test(text)) brackets.pop();
    } else if (kind === 'word') {
      if (text === 'module') [brackets, blocks] = [[], []];
      if (Object.hasOwn(BLOCKS, text)) blocks.push(here);
      else if (ENDS.has(text)) closeIn(blocks, text);
    }
  }
  return { brackets, blocks };
}

/** Takes away the block that a word ends. What is open in it was not seen well, and goes with it. */
function closeIn(blocks: Open[], end: string): void {
  const at = blocks.findLastIndex(({ text }) => BLOCKS[text] === end);
  if (at >= 0) blocks.length = at;
}

/** Blocks that may have to be closed before a word, each with all that are in it. */
function closersFor(word: string, blocks: readonly Open[]): Open[][] {
  const innermost = blocks.at(-1);
  if (!innermost) return [];
  if (word === '' || word === 'module') return [[...blocks]];
  if (ENDS.has(word)) {
    const own = blocks.findLastIndex(({ text }) => BLOCKS[text] === word);
    return own >= 0 && own < blocks.length - 1 ? [blocks.slice(own + 1)] : [];
  }
  const inModule = blocks.filter(({ text }) => text !== 'module');
  if (inModule.length === 0) return [];
  return inModule.length === 1 ? [inModule] : [[innermost], inModule];
}

const closersOf = (open: readonly Open[]) =>
  open
    .map(({ text }) => BLOCKS[text])
    .reverse()
    .join(' ');

function unclosed(open: readonly Open[]): string {
  const [first] = open as [Open, ...Open[]];
  const ends = closersOf(open).split(' ');
  const of = `the \`${first.text}\` of line ${first.line}`;
  return ends.length === 1
    ? `an \`${ends[0]}\` is probably missing before it: ${of} has none`
    : `\`${ends.join(' ')}\` is probably missing before it: ${of} is not ended, nor what is in it`;
}
