import { Edits } from '../lexer.ts';
import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';
import { isPackageAt } from './scopes.ts';
import { type Source, sourceOf } from './sources.ts';

/** Behind these a word is no name that is declared. */
const NO_TYPES =
  /^(?:begin|else|end|return|inside|or|and|case[xz]?|default|if|for|while|repeat|unique0?|priority|assign)$/;

/** The values that enumerations between two indices have. */
function valuesIn({ pieces, pairs }: Source, from: number, to: number): Set<string> {
  const values = new Set<string>();
  for (let at = from; at < to; at++) {
    if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== 'enum') continue;
    let open = at + 1;
    while (open < to && !/^[{;]$/.test(textAt(pieces, open))) open++;
    const close = pairs.get(open);
    if (close === undefined || textAt(pieces, open) !== '{') continue;
    for (let one = open + 1; one < close; one = (pairs.get(one) ?? one) + 1)
      if (pieces[one]?.kind === 'word' && /^[{,]$/.test(textAt(pieces, one - 1)))
        values.add(textAt(pieces, one));
    at = close;
  }
  return values;
}

/** Whether a word at an index is declared there, or is the name of something else's part. */
function isOther(pieces: Pieces, at: number): boolean {
  const before = pieces[at - 1];
  if (before?.text === '.' || before?.text === ']' || isPackageAt(pieces, at)) return true;
  if (before?.text === ':' && isPackageAt(pieces, at - 3)) return true;
  return before?.kind === 'word' && !NO_TYPES.test(before.text);
}

/**
 * A source in SystemVerilog in which functions and tasks of a package name the values of its enumerations with the package: alone
 * such a name is a new wire for Yosys. Lines stay what they are.
 */
export function withPackageEnums(text: string): string {
  if (!/\bpackage\b/.test(text) || !/\benum\b/.test(text)) return text;
  const source = sourceOf(text);
  const { pieces, scopes } = source;
  const edits = new Edits();
  for (const { kind, name, from, to } of scopes) {
    const values = kind === 'package' ? valuesIn(source, from, to) : new Set<string>();
    if (values.size === 0) continue;
    for (let at = from; at < to; at++) {
      const word = textAt(pieces, at);
      if (pieces[at]?.kind !== 'word' || (word !== 'function' && word !== 'task')) continue;
      let end = at;
      while (end < to && textAt(pieces, end) !== `end${word}`) end++;
      const places: number[] = [];
      const own = new Set<string>();
      for (let one = at + 1; one < end; one++)
        if (pieces[one]?.kind === 'word' && values.has(textAt(pieces, one))) {
          if (!isOther(pieces, one)) places.push(one);
          else if (!/^[.:]$/.test(textAt(pieces, one - 1))) own.add(textAt(pieces, one));
        }
      for (const place of places) {
        const { start, text: value } = pieces[place] as Piece;
        if (!own.has(value)) edits.replace(start, start, `${name}::`);
      }
      at = end;
    }
  }
  return edits.apply(text);
}
