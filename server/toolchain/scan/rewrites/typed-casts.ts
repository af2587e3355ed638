import { Edits } from '../lexer.ts';
import type { Piece } from '../outline-lexer.ts';
import { textAt } from '../statements.ts';
import { isPackageAt } from './scopes.ts';
import { sourceOf, typesOf } from './sources.ts';
import { type BitsType, typeOf } from './types.ts';

/** What is a size or a sign, and no type. */
const NO_TYPE = /^(?:signed|unsigned|const|void|string|real|shortreal|logic|bit|reg)$/;

/**
 * Sources in SystemVerilog in which a value that is cast to a type has its sign: in Yosys `t'(a)` has as many bits as the type, and
 * keeps the sign of what is cast. Lines stay what they are.
 */
export function withSignsOfTypes(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\w\s{0,100}'\s{0,100}\(/.test(text))) return [...texts];
  const sources = texts.map(sourceOf);
  const types = typesOf(sources);
  return sources.map(({ text, pieces, pairs }) => {
    const edits = new Edits();
    for (const [at, { kind, text: word, start }] of pieces.entries()) {
      const close = pairs.get(at + 2);
      if (
        kind !== 'word' ||
        NO_TYPE.test(word) ||
        textAt(pieces, at + 1) !== "'" ||
        textAt(pieces, at + 2) !== '('
      )
        continue;
      const isScoped = isPackageAt(pieces, at - 3);
      const name = isScoped ? [`${textAt(pieces, at - 3)}::${word}`] : [word];
      const type: BitsType | null = typeOf(name, types);
      if (!type || close === undefined) continue;
      const first = isScoped ? (pieces[at - 3] as Piece).start : start;
      const { end } = pieces[close] as Piece;
      const sign = type.isSigned ? '$signed(' : '$unsigned(';
      // In a few places Yosys does not know a type yet.
      if (type.width === null) edits.replace(first, first, sign);
      else edits.replace(first, (pieces[at] as Piece).end, `${sign}${type.width}`);
      edits.replace(end, end, ')');
    }
    return edits.apply(text);
  });
}
