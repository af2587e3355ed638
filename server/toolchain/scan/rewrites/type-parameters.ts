import { itemsIn } from '../interface-shapes.ts';
import { Edits } from '../lexer.ts';
import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';
import { oneLine } from './one-line.ts';
import type { Scope } from './scopes.ts';
import { type Source, sourceOf } from './sources.ts';

/** Modules with types in their heads in one text: each is looked for in all of them. */
const MOST_MODULES = 100;

/** A parameter in the head of a module. */
interface Parameter {
  name: string;
  isType: boolean;
  isLocal: boolean;
  /** Indices of what stands in front of its `=` and behind it. */
  from: number;
  equals: number;
  to: number;
}

/** The parameters between the brackets in the head of a module. */
function parametersIn({ pieces, pairs }: Source, open: number, close: number): Parameter[] {
  const all: Parameter[] = [];
  let [isType, isLocal] = [false, false];
  for (const [from, to] of itemsIn(pieces, pairs, open, close)) {
    const word = textAt(pieces, from);
    if (word === 'parameter' || word === 'localparam')
      [isType, isLocal] = [textAt(pieces, from + 1) === 'type', word === 'localparam'];
    let equals = from;
    while (equals < to && textAt(pieces, equals) !== '=') equals = (pairs.get(equals) ?? equals) + 1;
    all.push({ name: textAt(pieces, equals - 1), isType, isLocal, from, equals, to });
  }
  return all;
}

/** Whether an instance of a module gives one of its types another one, or may. */
const isOverridden = (module: string, types: readonly Parameter[], sources: readonly Source[]): boolean =>
  sources.some(({ pieces }) =>
    pieces.some(({ text }, at) => {
      if (text !== module || textAt(pieces, at + 1) !== '#' || /^module$/.test(textAt(pieces, at - 1)))
        return false;
      if (textAt(pieces, at + 2) !== '(' || !/^[.)]$/.test(textAt(pieces, at + 3))) return true;
      for (let next = at + 3; next < pieces.length && textAt(pieces, next) !== ';'; next++)
        if (textAt(pieces, next) === '.' && types.some(({ name }) => name === textAt(pieces, next + 1)))
          return true;
      return false;
    }),
  );

/** Whether a declaration may stand in front of what is at an index. */
function mayDeclare(pieces: Pieces, at: number): boolean {
  const before = pieces[at - 1];
  if (!before || before.kind === 'directive' || before.text === ';') return true;
  if (before.kind !== 'word') return false;
  return /^end/.test(before.text) || textAt(pieces, at - 2) === ':';
}

/** Writes the types in the head of a module as types in front of it, where they are its own alone. */
function writeHead(
  source: Source,
  { name: module, from, to }: Scope,
  sources: readonly Source[],
  edits: Edits,
): void {
  const { text, pieces, pairs } = source;
  const [open, close] = [from + 1, pairs.get(from + 1)];
  const keyword = pieces.findLastIndex(({ text: word }, at) => at < from && word === 'module');
  if (textAt(pieces, from) !== '#' || close === undefined || !mayDeclare(pieces, keyword)) return;
  const all = parametersIn(source, open, close);
  const types = all.filter(({ isType }) => isType);
  const others = all.filter(({ isType }) => !isType);
  if (types.length === 0 || text.includes(`${module}__`)) return;
  if (
    isOverridden(
      module,
      types.filter(({ isLocal }) => !isLocal),
      sources,
    )
  )
    return;
  const names = new Map(types.map(({ name }) => [name, `${module}__${name}`]));
  const inHead = new Map(names);
  let declared = '';
  for (const { name, equals, to: end } of types) {
    const words = pieces.slice(equals + 1, end).map(({ text: word }) => names.get(word) ?? word);
    const plain = oneLine(text, pieces, equals + 1, end);
    // What depends on a number that an instance gives is no type of its own.
    if (!plain || words.some((word) => others.some((other) => other.name === word))) return;
    if (/^(?:struct|union|enum)$/.test(words[0] ?? '')) return;
    // Yosys takes no name of a type for a parameter there.
    if (/^(?:logic|bit|reg|int|integer|byte|shortint|longint)$/.test(words[0] ?? '')) inHead.set(name, plain);
    declared += `typedef ${plain.replace(/[A-Za-z_]\w*/g, (word) => names.get(word) ?? word)} ${names.get(name)}; `;
  }
  // A parameter without a word has that of the one in front of it.
  const isBare = ({ from: first, isType }: Parameter, n: number) =>
    !isType && all[n - 1]?.isType && !/^(?:parameter|localparam)$/.test(textAt(pieces, first));
  if (all.some(isBare)) return;
  const { start } = pieces[keyword] as Piece;
  edits.replace(start, start, declared);
  for (const { from: first, to: end, isType } of all) {
    if (!isType) continue;
    const behind = others.some((other) => other.from > first) ? end : end - 1;
    const begin = behind === end || others.length === 0 ? first : first - 1;
    edits.replace((pieces[begin] as Piece).start, (pieces[behind] as Piece).end);
  }
  if (others.length === 0) edits.replace((pieces[from] as Piece).start, (pieces[close] as Piece).end);
  for (let at = open + 1; at < to; at++) {
    const { kind, text: word, start: begin, end } = pieces[at] as Piece;
    const alias =
      kind === 'word' && !/^[.:]$/.test(textAt(pieces, at - 1))
        ? (at < close ? inHead : names).get(word)
        : undefined;
    if (alias !== undefined) edits.replace(begin, end, alias);
  }
}

/**
 * Sources in SystemVerilog without parameters that are types, where no instance gives them another one: in the body of a module one
 * is declared by `typedef`, and one in its head in front of it. Yosys reads none. Lines stay what they are.
 */
export function withoutTypeParameters(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\b(?:parameter|localparam)\s{1,100}type\b/.test(text))) return [...texts];
  const sources = texts.map(sourceOf);
  return sources.map((source) => {
    const edits = new Edits();
    let left = MOST_MODULES;
    for (const scope of source.scopes) {
      if (scope.kind === 'module' && hasTypes(source.pieces, scope) && left-- > 0)
        writeHead(source, scope, sources, edits);
      writeBody(source, scope, edits);
    }
    return edits.apply(source.text);
  });
}

/** Whether types may stand in the head of a module. */
function hasTypes(pieces: Pieces, { from, to }: Scope): boolean {
  for (let at = from; at < to && textAt(pieces, at) !== ';'; at++)
    if (textAt(pieces, at) === 'type') return true;
  return false;
}

/** `localparam type t = logic [7:0];` in the body of a module or package. */
function writeBody({ pieces, pairs }: Source, { from, to }: Scope, edits: Edits): void {
  for (let at = from; at < to; at++) {
    if (textAt(pieces, at) !== 'localparam' || textAt(pieces, at + 1) !== 'type') continue;
    const [first, name, equals] = [pieces[at], pieces[at + 2], pieces[at + 3]];
    let end = at + 4;
    while (end < to && !/^[,;)]$/.test(textAt(pieces, end))) end = (pairs.get(end) ?? end) + 1;
    if (!first || name?.kind !== 'word' || equals?.text !== '=' || textAt(pieces, end) !== ';') continue;
    const { start } = pieces[end] as Piece;
    edits.replace(first.start, equals.end, 'typedef');
    edits.replace(start, start, ` ${name.text}`);
  }
}
