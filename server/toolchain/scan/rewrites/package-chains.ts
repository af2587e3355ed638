import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { declaredByPackage } from './imports.ts';

/** A package of one of the sources. */
interface Package {
  name: string;
  /** Which of the sources, and its pieces. */
  of: number;
  pieces: readonly Piece[];
  /** Behind the `;` of its head, and its `endpackage`. */
  from: number;
  to: number;
  /** Packages that it takes something from. */
  uses: ReadonlySet<string>;
}

/** Characters of what is put into one package. */
const LONGEST = 50_000;
/** Packages that take from each other in a row. */
const MOST_LEVELS = 8;

const isWord = (piece: Piece | undefined, text: string) => piece?.kind === 'word' && piece.text === text;

/** Packages that a text of one source has. */
function packagesIn(pieces: readonly Piece[], of: number): Package[] {
  const found: Package[] = [];
  for (let at = 0; at < pieces.length; at++) {
    if (!isWord(pieces[at], 'package')) continue;
    const name = /^(?:automatic|static)$/.test(pieces[at + 1]?.text ?? '') ? at + 2 : at + 1;
    let to = name;
    while (to < pieces.length && !isWord(pieces[to], 'endpackage')) to++;
    if (pieces[name + 1]?.text !== ';') continue;
    const own = pieces[name]?.text ?? '';
    const uses = new Set<string>();
    for (let one = name + 2; one < to; one++)
      if (isScope(pieces, one) && pieces[one]?.text !== own) uses.add(pieces[one]?.text ?? '');
    found.push({ name: own, of, pieces, from: name + 2, to, uses });
    at = to;
  }
  return found;
}

/** Whether a word stands before `::`. */
const isScope = (pieces: readonly Piece[], at: number): boolean =>
  pieces[at]?.kind === 'word' &&
  pieces[at + 1]?.text === ':' &&
  pieces[at + 2]?.text === ':' &&
  pieces[at + 1]?.end === pieces[at + 2]?.start;

/** What a package declares itself, in one line, with names of others as they are; null where that cannot be written so. */
function declarationsOf(
  { pieces, from, to }: Package,
  packages: ReadonlyMap<string, Package>,
): string | null {
  let text = '';
  let end = -1;
  for (let at = from; at < to; at++) {
    const piece = pieces[at] as Piece;
    if (piece.kind === 'directive' || text.length > LONGEST) return null;
    if (isScope(pieces, at) && packages.has(piece.text)) {
      at += 2;
      end = -1;
      continue;
    }
    text += (piece.start === end ? '' : ' ') + piece.text;
    end = piece.end;
  }
  return text;
}

/** The packages that one takes from, and those that these take from, each behind those that it needs; null in a circle. */
function chainOf(one: Package, packages: ReadonlyMap<string, Package>): Package[] | null {
  const chain = new Set<Package>();
  const open = new Set<Package>();
  const visit = (next: Package): boolean => {
    if (chain.has(next)) return true;
    if (open.has(next) || open.size > MOST_LEVELS) return false;
    open.add(next);
    const others = [...next.uses].flatMap((name) => packages.get(name) ?? []);
    if (!others.every(visit)) return false;
    open.delete(next);
    chain.add(next);
    return true;
  };
  return visit(one) ? [...chain].slice(0, -1) : null;
}

/**
 * Sources in SystemVerilog in which a package has itself what it takes from another one: Yosys reads no `a::B` there. Lines stay
 * what they are.
 */
export function withOwnDeclarations(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\bpackage\b/.test(text) && text.includes('::'))) return [...texts];
  const all = texts.flatMap((text, of) => (/\bpackage\b/.test(text) ? packagesIn(piecesOf(text), of) : []));
  const packages = new Map(all.map((one) => [one.name, one]));
  const edits = texts.map(() => new Edits());
  for (const one of all) {
    const chain = chainOf(one, packages);
    if (!chain || chain.length === 0) continue;
    const taken = chain.map((other) => declarationsOf(other, packages));
    const own = declaredByPackage(one.pieces.slice(one.from, one.to));
    const theirs = chain.flatMap(({ pieces, from, to }) => [...declaredByPackage(pieces.slice(from, to))]);
    // One name would be declared twice.
    if (taken.includes(null) || new Set([...own, ...theirs]).size < own.size + theirs.length) continue;
    const start = one.pieces[one.from - 1]?.end ?? 0;
    edits[one.of]?.replace(start, start, taken.join(''));
    for (let at = one.from; at < one.to; at++)
      if (isScope(one.pieces, at) && packages.has(one.pieces[at]?.text ?? ''))
        edits[one.of]?.replace(one.pieces[at]?.start ?? 0, one.pieces[at + 2]?.end ?? 0, ' ');
  }
  return texts.map((text, of) => edits[of]?.apply(text) ?? text);
}
