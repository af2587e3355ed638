import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { isPackageAt, scopesOf } from './scopes.ts';

/** Where types are declared: name → the end of each declaration; `package::name` where a package has it. */
type Declared = Map<string, { source: number; end: number }[]>;

/** The name in `$bits(name)` at an index, with its package; null where anything else stands there. */
function nameAt(pieces: Pieces, at: number): { name: string; last: number } | null {
  const isScoped = isPackageAt(pieces, at + 2);
  const last = isScoped ? at + 5 : at + 2;
  if (textAt(pieces, at) !== '$bits' || textAt(pieces, at + 1) !== '(' || textAt(pieces, last + 1) !== ')')
    return null;
  const name = isScoped ? `${textAt(pieces, at + 2)}::${textAt(pieces, last)}` : textAt(pieces, last);
  return pieces[last]?.kind === 'word' ? { name, last } : null;
}

/**
 * Sources in SystemVerilog in which the size of a type is that of a constant which has the type: Yosys reads no type in `$bits(t)`.
 * Lines stay what they are.
 */
export function withSizesOfTypes(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\$bits\b/.test(text)) || !texts.some((text) => /\btypedef\b/.test(text)))
    return [...texts];
  const sources = texts.map(piecesOf);
  const edits = texts.map(() => new Edits());
  const declared: Declared = new Map();
  for (const [source, pieces] of sources.entries()) {
    const pairs = bracketPairs(pieces);
    for (const scope of scopesOf(pieces))
      for (let at = scope.from; at < scope.to; at++) {
        if (textAt(pieces, at) !== 'typedef') continue;
        while (at < scope.to && textAt(pieces, at) !== ';') at = (pairs.get(at) ?? at) + 1;
        const [name, end] = [textAt(pieces, at - 1), (pieces[at] as Piece).end];
        for (const one of scope.kind === 'package' ? [name, `${scope.name}::${name}`] : [name])
          declared.set(one, [...(declared.get(one) ?? []), { source, end }]);
      }
  }
  if (texts.some((text) => text.includes('__bits'))) return [...texts];
  const written = new Set<string>();
  for (const [source, pieces] of sources.entries())
    for (const at of pieces.keys()) {
      const named = nameAt(pieces, at);
      const [place, ...others] = (named && declared.get(named.name)) ?? [];
      if (!named || !place || others.length > 0) continue;
      const name = named.name.replace(/^\w+::/, '');
      const size = `${name}__bits`;
      const { end } = pieces[named.last] as Piece;
      edits[source]?.replace(end, end, '__bits');
      const key = `${place.source}:${place.end}`;
      if (!written.has(key))
        edits[place.source]?.replace(place.end, place.end, ` localparam ${name} ${size} = 0;`);
      written.add(key);
    }
  return texts.map((text, n) => edits[n]?.apply(text) ?? text);
}
