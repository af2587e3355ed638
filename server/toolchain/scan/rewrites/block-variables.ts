import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { behindDeclaration, isDeclarationAt } from './declarations.ts';

/** Words of declarations that have no value of their own, or keep it. */
const NO_VARIABLE = /^(?:input|output|inout|ref|const|static|localparam|parameter|typedef|genvar)$/;

/** Where the declarations of a function, a task or a block begin. */
interface Block {
  from: number;
  /** Its variables are made anew each time that it is come to. */
  isAutomatic: boolean;
}

/** What begins a function, a task or a block at an index; null where nothing does. */
function blockAt(pieces: Pieces, at: number, isAutomaticModule: boolean): Block | null {
  const { kind, text } = pieces[at] as Piece;
  if (kind !== 'word') return null;
  if (text === 'begin') return { from: textAt(pieces, at + 1) === ':' ? at + 3 : at + 1, isAutomatic: false };
  if (text !== 'function' && text !== 'task') return null;
  let head = at + 1;
  while (head < pieces.length && textAt(pieces, head) !== ';') head++;
  return { from: head + 1, isAutomatic: isAutomaticModule || textAt(pieces, at + 1) === 'automatic' };
}

/** The names with their values in a declaration: `int a = 1, b;` has `a`. Null where it is not to be followed. */
function valuesIn(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  from: number,
  to: number,
): { name: number; equals: number; end: number }[] | null {
  const values: { name: number; equals: number; end: number }[] = [];
  for (let at = from; at < to; at = (pairs.get(at) ?? at) + 1) {
    if (textAt(pieces, at) !== '=') continue;
    if (pieces[at - 1]?.kind !== 'word') return null;
    let end = at + 1;
    while (!/^[,;]$/.test(textAt(pieces, end))) end = (pairs.get(end) ?? end) + 1;
    values.push({ name: at - 1, equals: at, end });
    at = end - 1;
  }
  return values;
}

/**
 * A source in SystemVerilog in which variables of blocks, functions and tasks are declared without the word `automatic`, and given
 * the values that stand there by statements: Yosys reads neither. Lines stay what they are.
 */
export function withoutAutomatic(text: string): string {
  if (!/\bautomatic\b/.test(text)) return text;
  const pieces = piecesOf(text);
  const pairs = bracketPairs(pieces);
  const edits = new Edits();
  let isAutomaticModule = false;
  for (let at = 0; at < pieces.length; at++) {
    const { kind, text: word } = pieces[at] as Piece;
    if (kind === 'word' && /^(?:module|package|interface)$/.test(word)) {
      const next = pieces[at + 1];
      isAutomaticModule = next?.text === 'automatic';
      if (isAutomaticModule && next) edits.replace(next.start, next.end);
    }
    const block = blockAt(pieces, at, isAutomaticModule);
    if (block) writeBlock(text, pieces, pairs, block, edits);
  }
  return edits.apply(text);
}

function writeBlock(
  text: string,
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  { from, isAutomatic }: Block,
  edits: Edits,
): void {
  let given = '';
  let at = from;
  const changes: [start: number, end: number, by: string][] = [];
  while (isDeclarationAt(pieces, pairs, at)) {
    const end = behindDeclaration(pieces, pairs, at);
    const first = pieces[at] as Piece;
    const isOwn = first.text === 'automatic';
    const values = NO_VARIABLE.test(first.text) ? [] : valuesIn(pieces, pairs, at, end - 1);
    // Without the word a value is given once, before anything else.
    if (!values || (values.length > 0 && !isOwn && !isAutomatic)) return;
    const isBlock = isOwn && !isAutomatic;
    // A variable that is not given a value in all branches keeps none: it is made anew.
    if (isOwn) changes.push([first.start, first.end, isBlock ? '(* nosync *)' : '']);
    for (const { name, equals, end: behind } of values) {
      const [mark, last] = [pieces[equals] as Piece, pieces[behind - 1] as Piece];
      const value = text.slice(mark.end, last.end);
      if (/\/\/|\/\*|`/.test(value)) return;
      given += `${textAt(pieces, name)} = ${value.replace(/\s+/g, ' ').trim()}; `;
      changes.push([mark.start, last.end, '']);
    }
    at = end;
  }
  const next = pieces[at];
  if (!next || /^end/.test(next.text)) return;
  for (const [start, end, by] of changes) edits.replace(start, end, by);
  if (given !== '') edits.replace(next.start, next.start, given);
}
