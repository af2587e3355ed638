import { Edits } from '../lexer.ts';
import type { Piece } from '../outline-lexer.ts';
import { textAt } from '../statements.ts';
import { isOutside } from './array-values.ts';
import { declaredByPackage } from './imports.ts';
import { oneLine } from './one-line.ts';
import { isPackageAt } from './scopes.ts';
import { type Source, sourceOf } from './sources.ts';
import {
  addStructures,
  type MemberValue,
  memberValues,
  type Structure,
  type StructureVariable,
  structureVariables,
  typesFor,
} from './structures.ts';

/** Values of structures in one text: the module is looked through for some. */
const MOST_VALUES = 300;

/** Before these words and marks a statement begins. */
const BEFORE_STATEMENT = /^(?:;|begin|else|end|\)|:|always_(?:comb|latch)|initial)$/;

/** How the values of a structure are written: what is in front of all, of each but the first, and behind all. */
interface Manner {
  /** The index at which the first change begins. */
  from: number;
  before: string;
  /** In front of a member, with its `=`. */
  member: (name: string) => string;
  between: string;
  /** In place of the brace, and behind the `;`. */
  close: string;
  behind: string;
}

/** The manner of what is given its values at an index; null where it cannot be written. */
function mannerOf(
  { text, pieces }: Source,
  name: number,
  operator: string,
  variable: StructureVariable,
  outside: (at: number) => boolean,
  types: (structure: Structure) => readonly (string | null)[],
): Manner | null {
  const own = textAt(pieces, name);
  const before = textAt(pieces, name - 1);
  const plain = { from: name, between: '; ', close: '' };
  if (name !== variable.at) {
    const member = (one: string) => `${own}.${one} ${operator} `;
    if (before === 'assign') return { ...plain, before: '', member, between: ', ', behind: '' };
    return BEFORE_STATEMENT.test(before) ? { ...plain, before: 'begin ', member, behind: ' end' } : null;
  }
  let first = name;
  while (
    first > 0 &&
    !/^[;]$/.test(textAt(pieces, first - 1)) &&
    !/^(?:begin|end\w*)$/.test(textAt(pieces, first - 1))
  )
    first--;
  const word = textAt(pieces, first);
  if (word === 'localparam' || word === 'parameter') {
    const type = oneLine(text, pieces, first + 1, name);
    const typed = new Map(variable.members.map((one, n) => [one, types(variable)[n] ?? null]));
    if (!type || type.includes('{') || [...typed.values()].includes(null) || text.includes(`${own}__`))
      return null;
    return {
      ...plain,
      from: first,
      before: '',
      member: (one) => `localparam ${typed.get(one)} ${own}__${one} = `,
      close: `; ${word} ${type} ${own} = {${variable.members.map((one) => `${own}__${one}`).join(', ')}}`,
      behind: '',
    };
  }
  const declares = pieces
    .slice(first, name)
    .every(({ text: one }) => !/^(?:input|output|inout|wire|const|[(,])$/.test(one));
  if (!declares || !outside(name)) return null;
  return {
    ...plain,
    from: name + 1,
    before: '; initial begin ',
    member: (one) => `${own}.${one} = `,
    behind: ' end',
  };
}

/** Writes the values of a structure one by one. */
function write(
  { text, pieces }: Source,
  values: readonly MemberValue[],
  manner: Manner,
  close: number,
  edits: Edits,
): boolean {
  const changes: [start: number, end: number, by: string][] = [];
  for (const [n, { members, lead, from, to }] of values.entries()) {
    const [first = '', ...others] = members;
    const value = oneLine(text, pieces, from, to);
    if (others.length > 0 && value === null) return false;
    const start = n === 0 ? pieces[manner.from] : pieces[lead];
    const own = `${n === 0 ? manner.before : manner.between}${manner.member(first)}`;
    changes.push([start?.start ?? 0, (pieces[from] as Piece).start, own]);
    const { end } = pieces[to - 1] as Piece;
    const more = others.map((one) => `${manner.between}${manner.member(one)}${value}`).join('');
    if (more !== '') changes.push([end, end, more]);
  }
  const [brace, semicolon] = [pieces[close] as Piece, pieces[close + 1] as Piece];
  changes.push([brace.start, brace.end, manner.close]);
  if (manner.behind !== '') changes.push([semicolon.end, semicolon.end, manner.behind]);
  for (const [start, end, by] of changes) edits.replace(start, end, by);
  return true;
}

/**
 * Sources in SystemVerilog in which packed structures are given their members one by one: Yosys reads no `'{a: 1, b: 2}`. Lines stay
 * what they are.
 */
export function withoutStructureValues(texts: readonly string[]): string[] {
  if (!texts.some((text) => /=[^;=]{0,200}'\s{0,100}\{/.test(text))) return [...texts];
  const sources = texts.map(sourceOf);
  const structures = new Map<string, Structure | null>();
  for (const { pieces, pairs, scopes } of sources) addStructures(pieces, pairs, scopes, structures);
  const names = new Map(
    sources.flatMap(({ pieces, scopes }) =>
      scopes.map(({ name, from, to }): [string, Set<string>] => [
        name,
        declaredByPackage(pieces.slice(from, to)),
      ]),
    ),
  );
  return sources.map((source) => {
    const { text, pieces, pairs } = source;
    const edits = new Edits();
    let left = MOST_VALUES;
    for (const scope of source.scopes) {
      let variables: Map<string, StructureVariable | null> | null = null;
      for (let open = scope.from; open < scope.to; open++) {
        if (textAt(pieces, open) !== '{' || textAt(pieces, open - 1) !== "'") continue;
        const close = pairs.get(open);
        // `a = '{…}`, `a = t'{…}`, `a = p::t'{…}`
        let equals = open - 2;
        if (pieces[equals]?.kind === 'word') equals -= isPackageAt(pieces, equals - 3) ? 4 : 1;
        const isLater = textAt(pieces, equals - 1) === '<';
        const name = isLater ? equals - 2 : equals - 1;
        if (close === undefined || textAt(pieces, equals) !== '=' || textAt(pieces, close + 1) !== ';')
          continue;
        variables ??= structureVariables(pieces, pairs, scope, structures);
        const variable = variables.get(textAt(pieces, name));
        if (!variable || left-- <= 0) continue;
        const isRead = pieces
          .slice(open, close)
          .some(
            ({ kind, text: word }, at) =>
              kind === 'word' && word === textAt(pieces, name) && textAt(pieces, open + at + 1) !== ':',
          );
        const values = isRead && !isLater ? null : memberValues(pieces, pairs, open, close, variable.members);
        const manner =
          values &&
          mannerOf(
            source,
            name,
            isLater ? '<=' : '=',
            variable,
            (at) => isOutside(pieces, scope.from, at),
            (one) => typesFor(one, scope, names.get(one.of ?? '') ?? new Set()),
          );
        if (values && manner) write(source, values, manner, close, edits);
      }
    }
    return edits.apply(text);
  });
}
