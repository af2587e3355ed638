import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';

/** What an `import` makes known without the name of its package, from its end to the end of its scope. */
interface Import {
  pieces: { from: number; to: number };
  scope: { from: number; to: number };
  /** Name → package. */
  names: ReadonlyMap<string, string>;
}

/** Imports of one source: each is looked for to the end of its scope. */
const MOST_IMPORTS = 100;

const BEGINS = new Set(['module', 'interface', 'package']);
const ENDS = new Set(['endmodule', 'endinterface', 'endpackage']);
/** Behind these a name is declared. */
const DECLARES = new Set(
  'logic wire reg bit byte int integer shortint longint genvar parameter localparam input output inout var signed unsigned ]'.split(
    ' ',
  ),
);

const wordAt = (pieces: readonly Piece[], at: number): string | null => {
  const piece = pieces[at];
  return piece?.kind === 'word' ? piece.text : null;
};

const isScoped = (pieces: readonly Piece[], at: number) =>
  pieces[at]?.text === ':' && pieces[at + 1]?.text === ':' && pieces[at]?.end === pieces[at + 1]?.start;

/** The packages of a text, each with the names that it declares. */
function packagesIn(pieces: readonly Piece[]): Map<string, Set<string>> {
  const packages = new Map<string, Set<string>>();
  for (let at = 0; at < pieces.length; at++) {
    if (pieces[at]?.text !== 'package') continue;
    const name = /^(?:automatic|static)$/.test(pieces[at + 1]?.text ?? '') ? at + 2 : at + 1;
    let end = name;
    while (end < pieces.length && pieces[end]?.text !== 'endpackage') end++;
    const own = wordAt(pieces, name);
    if (own !== null) packages.set(own, declaredByPackage(pieces.slice(name + 1, end)));
    at = end;
  }
  return packages;
}

/** Names of parameters, types, values of enumerations, functions and tasks that a package declares. */
export function declaredByPackage(pieces: readonly Piece[]): Set<string> {
  const names = new Set<string>();
  for (let at = 0; at < pieces.length; at++) {
    const word = wordAt(pieces, at);
    if (word === 'parameter' || word === 'localparam') at = listOf(pieces, at, names);
    else if (word === 'typedef') at = typeOf(pieces, at, names);
    else if (word === 'function' || word === 'task') {
      let head = at + 1;
      while (head < pieces.length && !/^[;(]$/.test(pieces[head]?.text ?? '')) head++;
      const name = wordAt(pieces, head - 1);
      if (name !== null) names.add(name);
      while (at < pieces.length && pieces[at]?.text !== `end${word}`) at++;
    }
  }
  return names;
}

/** Adds the name that ends before an index: behind that of an array stands its range. */
function nameBefore(pieces: readonly Piece[], at: number, from: number, names: Set<string>): void {
  let name = at - 1;
  while (pieces[name]?.text === ']') while (name > from && pieces[name--]?.text !== '[');
  const word = wordAt(pieces, name);
  if (word !== null) names.add(word);
}

/** Adds what stands before each `=` of a list; returns the index of its end. */
function listOf(pieces: readonly Piece[], from: number, names: Set<string>): number {
  let depth = 0;
  let value = false;
  let at = from;
  for (; at < pieces.length && !(depth === 0 && pieces[at]?.text === ';'); at++) {
    const { text } = pieces[at] as Piece;
    if (/^[([{]$/.test(text)) depth++;
    else if (/^[)\]}]$/.test(text)) depth--;
    else if (depth === 0 && text === ',') value = false;
    else if (depth === 0 && text === '=' && !value) {
      nameBefore(pieces, at, from, names);
      value = true;
    }
  }
  return at;
}

/** Adds the name of a type, and the values that it enumerates; returns the index of its end. */
function typeOf(pieces: readonly Piece[], from: number, names: Set<string>): number {
  let depth = 0;
  let enumerates = false;
  let at = from;
  for (; at < pieces.length && !(depth === 0 && pieces[at]?.text === ';'); at++) {
    const { text } = pieces[at] as Piece;
    if (text === 'enum' && depth === 0) enumerates = true;
    if (/^[([{]$/.test(text)) depth++;
    else if (/^[)\]}]$/.test(text)) depth--;
    else if (enumerates && depth === 1 && /^[{,]$/.test(pieces[at - 1]?.text ?? '')) {
      const value = wordAt(pieces, at);
      if (value !== null) names.add(value);
    }
  }
  nameBefore(pieces, at, from, names);
  return at;
}

/** The imports of a text; those of packages that are nowhere stay. */
function importsIn(pieces: readonly Piece[], packages: ReadonlyMap<string, ReadonlySet<string>>): Import[] {
  const found: Import[] = [];
  const inner: number[] = [];
  let ends = pieces.length;
  for (let at = 0; at < pieces.length && found.length < MOST_IMPORTS; at++) {
    const word = wordAt(pieces, at);
    if (word !== null && BEGINS.has(word)) inner.push(at);
    if (word !== null && ENDS.has(word)) inner.pop();
    if (word !== 'import') continue;
    let end = at + 1;
    const names = new Map<string, string>();
    let known = true;
    while (isScoped(pieces, end + 1)) {
      const own = pieces[end]?.text ?? '';
      const all = packages.get(own);
      const one = pieces[end + 3]?.text ?? '';
      known &&= all !== undefined;
      for (const name of one === '*' ? (all ?? []) : [one]) names.set(name, own);
      end += 4;
      if (pieces[end]?.text !== ',') break;
      end++;
    }
    if (!known || names.size === 0 || pieces[end]?.text !== ';') continue;
    ends = pieces.length;
    if (inner.length > 0)
      for (let next = end, depth = 1; next < pieces.length && depth > 0; next++) {
        const text = wordAt(pieces, next) ?? '';
        if (BEGINS.has(text)) depth++;
        if (ENDS.has(text)) depth--;
        ends = next;
      }
    found.push({ pieces: { from: at, to: end }, scope: { from: inner.at(-1) ?? at, to: ends }, names });
    at = end;
  }
  return found;
}

/** Whether a word is given a meaning of its own where it stands, and not that of a package: `logic x;`, but not `input x y;`. */
function isDeclared(pieces: readonly Piece[], at: number): boolean {
  const before = pieces[at - 1]?.text ?? '';
  if (!DECLARES.has(before) || wordAt(pieces, at) === null || wordAt(pieces, at + 1) !== null) return false;
  return pieces[at + 1]?.text !== '[' || !/^(?:input|output|inout|parameter|localparam)$/.test(before);
}

/**
 * Sources in SystemVerilog without `import`, which Yosys does not read: each name that comes from a package is written with
 * it. Lines stay what they are.
 */
export function withoutImports(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\bimport\b/.test(text))) return [...texts];
  const all = texts.map(piecesOf);
  const packages = new Map(all.flatMap((pieces) => [...packagesIn(pieces)]));
  return texts.map((text, n) => {
    const pieces = all[n] ?? [];
    const edits = new Edits();
    const done = new Set<number>();
    for (const { pieces: own, scope, names } of importsIn(pieces, packages)) {
      edits.replace(pieces[own.from]?.start ?? 0, pieces[own.to]?.end ?? 0);
      const hidden = new Set<string>();
      // What a module declares itself goes before what it imports, wherever it stands.
      for (let at = scope.from; at < scope.to; at++)
        if (isDeclared(pieces, at)) hidden.add(pieces[at]?.text ?? '');
      for (let at = own.to + 1; at < scope.to; at++) {
        const word = wordAt(pieces, at);
        const from = word === null || hidden.has(word) || done.has(at) ? undefined : names.get(word);
        if (
          from === undefined ||
          pieces[at - 1]?.text === '.' ||
          isScoped(pieces, at - 2) ||
          isScoped(pieces, at + 1)
        )
          continue;
        done.add(at);
        edits.replace(pieces[at]?.start ?? 0, pieces[at]?.end ?? 0, `${from}::${word}`);
      }
    }
    return edits.apply(text);
  });
}
