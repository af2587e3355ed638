import { Edits } from '../lexer.ts';
import { piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { oneLine } from './one-line.ts';

/** Pieces of a value that is compared, and of a list of values. */
const LONGEST_VALUE = 40;
const LONGEST_LIST = 500;

/** Before these the value that is compared has begun; `<=` is one where it assigns. */
const BEFORE = /^(?:[(,{?:]|return)$/;
const BEFORE_STATEMENT = /^(?:;|begin|else|end|\)|)$/;
const NAME = /^[A-Za-z_][\w$]*(?:(?:\.|::)[A-Za-z_][\w$]*)*$/;
const NUMBER = /^-?(?:\d[\d_]*|(?:\d+ ?)?'[sS]?[dD] ?[\d_]+|(?:\d+ ?)?'[sS]?[bBoOhH] ?[\da-fA-F_]+)$/;

/** The index at which a name with indices, or a value in brackets, begins that ends before another; null for anything else. */
function beginOf(pieces: Pieces, opens: ReadonlyMap<number, number>, end: number): number | null {
  let at = end - 1;
  if (textAt(pieces, at) === ')') return opens.get(at) ?? null;
  for (;;) {
    while (textAt(pieces, at) === ']') at = (opens.get(at) ?? 0) - 1;
    if (pieces[at]?.kind !== 'word') return null;
    if (textAt(pieces, at - 1) === '.') at -= 2;
    else if (textAt(pieces, at - 1) === ':' && textAt(pieces, at - 2) === ':') at -= 3;
    else return at;
  }
}

/** Whether nothing that binds as tightly as `inside` stands before a value. */
function isAlone(pieces: Pieces, opens: ReadonlyMap<number, number>, begin: number): boolean {
  const [one, other] = [textAt(pieces, begin - 1), textAt(pieces, begin - 2)];
  if (BEFORE.test(one)) return true;
  if (/^[&|]$/.test(one))
    return (
      other === one &&
      pieces[begin - 2]?.end === pieces[begin - 1]?.start &&
      textAt(pieces, begin - 3) !== one
    );
  if (one !== '=' || other === '>') return false;
  if (other !== '<') return true;
  // `q <= a inside {1, 2}` gives q a value only where a statement begins with it.
  const target = beginOf(pieces, opens, begin - 2);
  return target !== null && BEFORE_STATEMENT.test(textAt(pieces, target - 1));
}

/** What it means that a value is one of those between two braces; null where one of them is not plain. */
function comparisons(
  text: string,
  pieces: Pieces,
  value: string,
  open: number,
  close: number,
): string | null {
  const all: string[] = [];
  for (let from = open + 1; from < close; ) {
    let to = from;
    while (to < close && textAt(pieces, to) !== ',') to++;
    const isRange = textAt(pieces, from) === '[' && textAt(pieces, to - 1) === ']';
    const written = oneLine(text, pieces, isRange ? from + 1 : from, isRange ? to - 1 : to);
    // `a::b` has colons as well.
    const parts = isRange ? (written?.split(/ ?(?<!:):(?!:) ?/) ?? []) : [written ?? ''];
    if (parts.length !== (isRange ? 2 : 1) || !parts.every((part) => NAME.test(part) || NUMBER.test(part)))
      return null;
    const [low, high] = parts;
    all.push(isRange ? `(${value} >= ${low} && ${value} <= ${high})` : `${value} == ${low}`);
    from = to + 1;
  }
  return all.length > 0 ? `(${all.join(' || ')})` : null;
}

/**
 * A source in SystemVerilog in which `a inside {1, [4:7]}` is written as comparisons, where its values are names and numbers: Yosys
 * does not read it. Lines stay what they are.
 */
export function withoutInside(text: string): string {
  if (!/\binside\b/.test(text)) return text;
  const pieces = piecesOf(text);
  const pairs = bracketPairs(pieces);
  const opens = new Map([...pairs].map(([open, close]) => [close, open]));
  const edits = new Edits();
  for (const [at, { kind, text: word }] of pieces.entries()) {
    const close = kind === 'word' && word === 'inside' ? pairs.get(at + 1) : undefined;
    if (close === undefined || textAt(pieces, at + 1) !== '{' || close - at > LONGEST_LIST) continue;
    const begin = beginOf(pieces, opens, at);
    if (begin === null || at - begin > LONGEST_VALUE || !isAlone(pieces, opens, begin)) continue;
    const value = oneLine(text, pieces, begin, at);
    const written = value === null ? null : comparisons(text, pieces, value, at + 1, close);
    const [first, last] = [pieces[begin], pieces[close]];
    if (written !== null && first && last) edits.replace(first.start, last.end, written);
  }
  return edits.apply(text);
}
