import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';
import { declaredByPackage } from './imports.ts';
import { isPackageAt, type Scope, scopesOf } from './scopes.ts';

/** Packages of a design with an `export`. */
const MOST_PACKAGES = 200;

/** A name of a package, or `*` for all of them. */
interface Named {
  of: string;
  name: string;
}

/** A package with what it gives to others. */
interface Package {
  declares: ReadonlySet<string>;
  exports: readonly Named[];
}

/** What stands behind an `import` or `export`: `p::a, q::*`. @returns null where it is anything else */
function listAt(pieces: Pieces, at: number): { items: Named[]; end: number } | null {
  const items: Named[] = [];
  for (let next = at + 1; ; next += 5) {
    const isAll = textAt(pieces, next) === '*' && textAt(pieces, next + 1) === ':';
    if (!isAll && !isPackageAt(pieces, next)) return null;
    items.push({ of: textAt(pieces, next), name: textAt(pieces, next + 3) });
    if (textAt(pieces, next + 4) !== ',') return { items, end: next + 4 };
  }
}

/** The indices at which a word stands in a part of a text. */
const wordsIn = (pieces: Pieces, word: string, from = 0, to = pieces.length): number[] =>
  pieces.flatMap(({ kind, text }, at) =>
    at >= from && at < to && kind === 'word' && text === word ? [at] : [],
  );

function packageOf(pieces: Pieces, { from, to }: Scope): Package {
  const listed = (word: string) =>
    wordsIn(pieces, word, from, to).flatMap((at) => listAt(pieces, at)?.items ?? []);
  const exports = listed('export').flatMap((one) => (one.of === '*' ? listed('import') : [one]));
  return { declares: declaredByPackage(pieces.slice(from, to)), exports };
}

/** All that a package gives on of others, of which they may have it from others again. */
function givenBy(name: string, packages: ReadonlyMap<string, Package>, seen = new Set<string>()): Named[] {
  if (seen.has(name)) return [];
  seen.add(name);
  return (packages.get(name)?.exports ?? []).flatMap((one) => [
    one,
    ...(one.name === '*' ? givenBy(one.of, packages, seen) : []),
  ]);
}

/** The package that declares a name which another one gives on; null where it has it itself, or nothing is known of it. */
function ownerOf(of: string, name: string, packages: ReadonlyMap<string, Package>): string | null {
  if (packages.get(of)?.declares.has(name)) return null;
  const from = givenBy(of, packages).filter(
    (one) => (one.name === '*' || one.name === name) && packages.get(one.of)?.declares.has(name),
  );
  return from[0]?.of ?? null;
}

/**
 * Sources in SystemVerilog without `export`, which Yosys does not read: who takes something from a package that has it of another
 * one takes it from there. Lines stay what they are.
 */
export function withoutExports(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\bexport\b/.test(text))) return [...texts];
  const all = texts.map(piecesOf);
  const packages = new Map(
    all.flatMap((pieces) =>
      scopesOf(pieces)
        .slice(0, MOST_PACKAGES + 1)
        .flatMap((scope): [string, Package][] =>
          scope.kind === 'package' ? [[scope.name, packageOf(pieces, scope)]] : [],
        ),
    ),
  );
  if (packages.size > MOST_PACKAGES) return [...texts];
  return texts.map((text, n) => {
    const pieces = all[n] ?? [];
    const edits = new Edits();
    for (const at of wordsIn(pieces, 'export')) {
      const list = listAt(pieces, at);
      if (
        list &&
        textAt(pieces, list.end) === ';' &&
        list.items.every(({ of }) => of === '*' || packages.has(of))
      )
        edits.replace((pieces[at] as Piece).start, (pieces[list.end] as Piece).end);
    }
    for (const at of wordsIn(pieces, 'import')) {
      const list = listAt(pieces, at);
      const more = (list?.items ?? []).flatMap(({ of, name }) => (name === '*' ? givenBy(of, packages) : []));
      if (!list || more.length === 0) continue;
      const { end } = pieces[list.end - 1] as Piece;
      edits.replace(end, end, more.map(({ of, name }) => `, ${of}::${name}`).join(''));
    }
    for (const [at, { start, end, text: of }] of pieces.entries()) {
      const owner = isPackageAt(pieces, at) ? ownerOf(of, textAt(pieces, at + 3), packages) : null;
      if (owner !== null) edits.replace(start, end, owner);
    }
    return edits.apply(text);
  });
}
