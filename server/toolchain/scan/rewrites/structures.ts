import { itemsIn } from '../interface-shapes.ts';
import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';
import { isPackageAt, type Scope } from './scopes.ts';

type Pairs = ReadonlyMap<number, number>;

/** A packed structure. */
export interface Structure {
  /** The names of its members, in their order. */
  members: readonly string[];
  /** The type of each as it is written, with the names of its package; null where it has no name. */
  types: readonly (string | null)[];
  /** The package that declares it. */
  of: string | null;
}

/** Packed structures by the names of their types; null where several types have a name. */
export type Structures = ReadonlyMap<string, Structure | null>;

/** Words and marks of a type in one line. */
const written = (said: readonly string[]): string => said.join(' ').replace(/(?<=\W) | (?=\W)/g, '');

/** The members between two braces; null where they are not to be told. */
function membersIn(
  pieces: Pieces,
  pairs: Pairs,
  open: number,
  close: number,
  of: string | null = null,
): Structure | null {
  const members: string[] = [];
  const types: (string | null)[] = [];
  let from = open + 1;
  for (let at = open + 1; at < close; at = (pairs.get(at) ?? at) + 1) {
    if (/^(?:directive|macro)$/.test(pieces[at]?.kind ?? '')) return null;
    if (!/^[,;]$/.test(textAt(pieces, at))) continue;
    if (pieces[at - 1]?.kind !== 'word') return null;
    const said = pieces.slice(from, at - 1).map(({ text }) => text);
    // `logic a, b;`: the second one has the type of the first.
    types.push(said.length === 0 ? (types.at(-1) ?? null) : said.includes('{') ? null : written(said));
    members.push(textAt(pieces, at - 1));
    from = at + 1;
  }
  return { members, types, of };
}

/** The index of the brace that opens a packed structure whose word is at an index; null where there is none. */
function braceOf(pieces: Pieces, at: number): number | null {
  if (textAt(pieces, at) !== 'struct' || textAt(pieces, at + 1) !== 'packed') return null;
  const brace = /^(?:signed|unsigned)$/.test(textAt(pieces, at + 2)) ? at + 3 : at + 2;
  return textAt(pieces, brace) === '{' ? brace : null;
}

/** Adds the structures that a text gives a name. @param scopes of the text */
export function addStructures(
  pieces: Pieces,
  pairs: Pairs,
  scopes: readonly Scope[],
  structures: Map<string, Structure | null>,
): void {
  for (const [at, { text }] of pieces.entries()) {
    const brace = text === 'typedef' ? braceOf(pieces, at + 1) : null;
    const close = brace === null ? undefined : pairs.get(brace);
    if (brace === null || close === undefined || textAt(pieces, close + 2) !== ';') continue;
    const own = scopes.find(({ kind, from, to }) => kind === 'package' && from < at && at < to);
    const name = textAt(pieces, close + 1);
    for (const one of own ? [name, `${own.name}::${name}`] : [name])
      structures.set(one, structures.has(one) ? null : membersIn(pieces, pairs, brace, close, own?.name));
  }
}

/** A variable or constant that is a structure. */
export interface StructureVariable extends Structure {
  /** The index of its name where it is declared. */
  at: number;
}

/** The variables and constants of a module or package that are structures; null where a name is declared more than once. */
export function structureVariables(
  pieces: Pieces,
  pairs: Pairs,
  { from, to }: Scope,
  structures: Structures,
): Map<string, StructureVariable | null> {
  const found = new Map<string, StructureVariable | null>();
  for (let at = from; at < to; at++) {
    const brace = textAt(pieces, at - 1) === 'typedef' ? null : braceOf(pieces, at);
    const end = brace === null ? at : (pairs.get(brace) ?? at);
    const type = isPackageAt(pieces, at - 3)
      ? `${textAt(pieces, at - 3)}::${textAt(pieces, at)}`
      : textAt(pieces, at);
    const structure = brace === null ? structures.get(type) : membersIn(pieces, pairs, brace, end);
    if (!structure) continue;
    for (let name = end + 1; pieces[name]?.kind === 'word' && /^[,;=)]$/.test(textAt(pieces, name + 1)); ) {
      const own = textAt(pieces, name);
      found.set(own, found.has(own) ? null : { ...structure, at: name });
      let next = name + 1;
      while (!/^[,;)]$/.test(textAt(pieces, next)) && next < to) next = (pairs.get(next) ?? next) + 1;
      if (textAt(pieces, next) !== ',') break;
      name = next + 1;
    }
    at = end;
  }
  return found;
}

/** A value of one member, or of all that are left. Indices of pieces. */
export interface MemberValue {
  members: readonly string[];
  /** What stands in front of the value begins here: a comma, or the value itself. */
  lead: number;
  from: number;
  to: number;
}

/** The values between two braces, each with its members; null where there is not one for each. */
export function memberValues(
  pieces: Pieces,
  pairs: Pairs,
  open: number,
  close: number,
  members: readonly string[],
): MemberValue[] | null {
  const values: MemberValue[] = [];
  const left = new Set(members);
  const items = itemsIn(pieces, pairs, open, close);
  const named = items.map(([from]) => {
    const isKey =
      pieces[from]?.kind === 'word' && textAt(pieces, from + 1) === ':' && !isPackageAt(pieces, from);
    return isKey ? textAt(pieces, from) : null;
  });
  for (const name of named) if (name !== null) left.delete(name);
  const rest = [...left];
  if (named.every((name) => name === null) && items.length !== members.length) return null;
  for (const [n, [from, to]] of items.entries()) {
    const name = named[n] ?? null;
    const first = name === null ? from : from + 2;
    const own = name === null ? [members[n] ?? ''] : name === 'default' ? rest : [name];
    if (name === null ? named.some((one) => one !== null) : name !== 'default' && !members.includes(name))
      return null;
    if (
      first >= to ||
      own.length === 0 ||
      (textAt(pieces, first) === "'" && textAt(pieces, first + 1) === '{')
    )
      return null;
    if (pieces.slice(first, to).some(({ kind }: Piece) => kind === 'directive')) return null;
    values.push({ members: own, lead: n === 0 ? from : from - 1, from: first, to });
  }
  const given = values.flatMap((value) => value.members);
  return given.length === members.length && new Set(given).size === given.length ? values : null;
}

/** The types of a structure's members as they are written in a module or another package. */
export function typesFor(
  { types, of }: Structure,
  scope: Scope,
  names: ReadonlySet<string>,
): readonly (string | null)[] {
  if (of === null || (scope.kind === 'package' && scope.name === of)) return types;
  return types.map((type) =>
    type === null
      ? null
      : type.replace(/(?<!::|\w)[A-Za-z_]\w*/g, (word) => (names.has(word) ? `${of}::${word}` : word)),
  );
}
