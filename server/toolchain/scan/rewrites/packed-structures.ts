import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { declaresArray } from './array-values.ts';

/** Behind these a range belongs to the type. */
const TYPES = /^(?:logic|bit|reg|wire|byte|int|integer|shortint|longint|signed|unsigned|enum|packed)$/;
/** Members that are no bits. */
const NO_BITS = /^(?:real|shortreal|realtime|time|string|event|chandle)$/;
/** Pieces of a structure that is looked at. */
const LONGEST = 5000;

/** Whether a `[` stands behind the name of an array of words: `logic [7:0] a [4]`, `word_t a [4]`, but not `word_t [3:0] a`. */
function isOfArray(pieces: Pieces, at: number): boolean {
  const name = pieces[at - 1];
  if (name?.kind !== 'word' || TYPES.test(name.text)) return false;
  const before = pieces[at - 2];
  return before?.text === ']' || before?.text === '}' || before?.kind === 'word';
}

/** Whether all members between two braces are bits, and none is an array of words. */
function isOfBits(pieces: Pieces, open: number, close: number): boolean {
  if (close - open > LONGEST) return false;
  for (let at = open + 1; at < close; at++) {
    const { kind, text } = pieces[at] as Piece;
    if (kind === 'directive' || kind === 'macro' || NO_BITS.test(text)) return false;
    if (text === '[' && isOfArray(pieces, at)) return false;
  }
  return true;
}

/** Names that are declared as arrays of words somewhere in a text. */
const arraysIn = (pieces: Pieces): Set<string> =>
  new Set(
    pieces.flatMap(({ text }, at) =>
      text === '[' && isOfArray(pieces, at) && declaresArray(pieces, at) ? [textAt(pieces, at - 1)] : [],
    ),
  );

/** The name that a value at an index is given to; null where it is not told. */
function targetOf(pieces: Pieces, at: number): string | null {
  let before = at - 1;
  if (textAt(pieces, before) !== '=') return null;
  before--;
  if (textAt(pieces, before) === '<') before--;
  if (pieces[before]?.kind !== 'word') return null;
  while (textAt(pieces, before - 1) === '.' && pieces[before - 2]?.kind === 'word') before -= 2;
  return textAt(pieces, before);
}

/** `'0` or `'1` for what `'{default: …}` says; null where that is anything else. */
function filling(pieces: Pieces, open: number, close: number): string | null {
  if (textAt(pieces, open + 1) !== 'default' || textAt(pieces, open + 2) !== ':') return null;
  const value = pieces
    .slice(open + 3, close)
    .map(({ text }) => text)
    .join('')
    .replace(/\s/g, '');
  if (/^(?:'0|0|\d*'[bdh]0+)$/.test(value)) return "'0";
  return /^(?:'1|1'b1)$/.test(value) ? "'1" : null;
}

/**
 * A source in SystemVerilog in which a structure of bits is `packed`, and `'{default: '0}` for what is no array of words is `'0`:
 * Yosys reads no others, and in a circuit there is no difference. Lines stay what they are.
 */
export function withPackedStructures(text: string): string {
  if (!/\bstruct\s{0,100}\{|'\s{0,100}\{/.test(text)) return text;
  const pieces = piecesOf(text);
  const edits = new Edits();
  let arrays: Set<string> | null = null;
  for (const [open, close] of bracketPairs(pieces)) {
    if (textAt(pieces, open) !== '{') continue;
    const before = pieces[open - 1];
    if (before?.kind === 'word' && before.text === 'struct' && isOfBits(pieces, open, close))
      edits.replace(before.end, before.end, ' packed');
    if (before?.text !== "'") continue;
    const bits = filling(pieces, open, close);
    const target = bits === null ? null : targetOf(pieces, open - 1);
    arrays ??= arraysIn(pieces);
    if (bits !== null && target !== null && !arrays.has(target))
      edits.replace(before.start, pieces[close]?.end ?? before.end, bits);
  }
  return edits.apply(text);
}
