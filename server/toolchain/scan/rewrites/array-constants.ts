import { Edits } from '../lexer.ts';
import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';
import { type ArrayItems, type Dimension, dimensionsAt, itemsOfArray } from './array-items.ts';
import { isPackageAt, type Scope } from './scopes.ts';
import { type Source, sourceOf, typesOf } from './sources.ts';
import { type BitsType, type Types, typeOf } from './types.ts';

interface WordedSource extends Source {
  /** Where each word stands. */
  words: ReadonlyMap<string, readonly number[]>;
}

/** A constant that is an array. */
interface ArrayConstant {
  name: string;
  scope: Scope;
  /** Indices of its word, its name, the brace that opens its values and the one that closes them. */
  word: number;
  at: number;
  open: number;
  close: number;
  dimensions: readonly Dimension[];
  items: ArrayItems;
  type: BitsType;
  /** It stands in the head of a module. */
  inHead: boolean;
}

function wordsIn(pieces: Pieces): Map<string, number[]> {
  const words = new Map<string, number[]>();
  for (const [at, { kind, text }] of pieces.entries())
    if (kind === 'word') {
      const places = words.get(text);
      if (places) places.push(at);
      else words.set(text, [at]);
    }
  return words;
}

/** What changes in the text with an index. */
interface Change {
  source: number;
  start: number;
  end: number;
  by: string;
}

/** Arrays of one source: each is looked for in all of them. */
const MOST_ARRAYS = 100;

/** Before these a name is read: behind any other word one is declared. */
const READS = /^(?:return|inside|or|and|else|begin|assert|iff|case)$/;

/** The constant that is declared at an index; null where it is none, or is not to be followed. */
function constantAt(source: Source, word: number, scope: Scope, types: Types): ArrayConstant | null {
  const { text, pieces, pairs } = source;
  let equals = word + 1;
  while (equals < scope.to && !/^[=;,)]$/.test(textAt(pieces, equals)))
    equals = (pairs.get(equals) ?? equals) + 1;
  const open = equals + 2;
  const close = pairs.get(open);
  if (textAt(pieces, equals) !== '=' || textAt(pieces, equals + 1) !== "'" || textAt(pieces, open) !== '{')
    return null;
  let at = equals - 1;
  while (textAt(pieces, at) === ']') while (at > word && textAt(pieces, at--) !== '[');
  if (at <= word + 1 || close === undefined || pieces[at]?.kind !== 'word') return null;
  const dimensions = dimensionsAt(pieces, pairs, at + 1, equals);
  const type = typeOf(
    pieces.slice(word + 1, at).map((piece) => piece.text),
    types,
  );
  if (!dimensions || dimensions.length === 0 || !type) return null;
  const items = itemsOfArray(pieces, pairs, open, dimensions);
  const [next, behind] = [textAt(pieces, close + 1), textAt(pieces, close + 2)];
  const inHead = next !== ';';
  if (!items || (inHead && next !== ')' && !(next === ',' && /^(?:parameter|localparam)$/.test(behind))))
    return null;
  const name = textAt(pieces, at);
  if (new RegExp(`\\b${name}__(?:\\d+|w)\\b`).test(text)) return null;
  return { name, scope, word, at, open, close, dimensions, items, type, inHead };
}

/** Whether instances may give a constant another value. */
function isOverridden(
  { name, scope, word }: ArrayConstant,
  own: Source,
  sources: readonly Source[],
): boolean {
  if (textAt(own.pieces, word) !== 'parameter' || scope.kind === 'package') return false;
  return sources.some(({ pieces }) =>
    pieces.some(({ text }, at) => {
      const [next, behind] = [textAt(pieces, at + 1), textAt(pieces, at + 2)];
      if (text === '.' && next === name && behind === '(') return true;
      if (text !== scope.name || next !== '#' || textAt(pieces, at - 1) === 'module') return false;
      return behind !== '(' || !/^[.)]$/.test(textAt(pieces, at + 3));
    }),
  );
}

/** Where a constant is declared: each value for itself, and all of them as one vector, the first one lowest. */
function declaration(constant: ArrayConstant, { pieces }: Source, source: number): Change[] {
  const { name, word, at, open, close, items, inHead } = constant;
  const changes: Change[] = [];
  const change = (from: number, to: number, by: string) => {
    const [first, last] = [pieces[from] as Piece, pieces[to] as Piece];
    changes.push({ source, start: first.start, end: last.end, by });
  };
  if (textAt(pieces, word) !== 'localparam') change(word, word, 'localparam');
  let item = 0;
  change(at, items.marks[0]?.to ?? open, `${name}__${item++} =`);
  for (const { from, to, isNext } of items.marks.slice(1))
    change(from, to, isNext ? `, ${name}__${item++} =` : ' ');
  const all = items.repeats
    ? `{${items.count}{${name}__0}}`
    : `{${Array.from({ length: items.count }, (_, n) => `${name}__${items.count - 1 - n}`).join(', ')}}`;
  const mark = inHead ? ',' : ';';
  change(
    close,
    close,
    `${mark} localparam int ${name}__w = $bits(${name}__0)${mark} localparam [${items.count}*${name}__w-1:0] ${name} = ${all}`,
  );
  return changes;
}

/** Whether brackets take several values of an array, as in `[0:3]` and `[i +: 2]`. */
function isRange(pieces: Pieces, pairs: ReadonlyMap<number, number>, open: number, close: number): boolean {
  let asks = 0;
  for (let at = open + 1; at < close; at = (pairs.get(at) ?? at) + 1) {
    if (textAt(pieces, at) === '?') asks++;
    else if (isPackageAt(pieces, at)) at += 2;
    else if (textAt(pieces, at) === ':' && asks-- === 0) return true;
  }
  return false;
}

/** What changes where a constant is read; null where that cannot be written. */
function reading(
  constant: ArrayConstant,
  { pieces, pairs }: Source,
  source: number,
  at: number,
): Change[] | null {
  const { name, dimensions, items, type } = constant;
  const scope = isPackageAt(pieces, at - 3) ? `${textAt(pieces, at - 3)}::` : '';
  const first = scope === '' ? at : at - 3;
  const groups: [open: number, close: number][] = [];
  let next = at + 1;
  for (let n = 0; n < dimensions.length; n++) {
    const close = pairs.get(next);
    if (textAt(pieces, next) !== '[' || close === undefined) return null;
    groups.push([next, close]);
    next = close + 1;
  }
  const [start, end] = [(pieces[at] as Piece).start, (pieces[next - 1] as Piece).end];
  const numbers = groups.map(([open, close]) =>
    close === open + 2 && /^\d+$/.test(textAt(pieces, open + 1)) ? Number(textAt(pieces, open + 1)) : null,
  );
  if (numbers.every((number) => number !== null)) {
    let place = 0;
    for (const [n, { left, right }] of dimensions.entries()) {
      const index = Math.abs((numbers[n] ?? 0) - left);
      if (index > Math.abs(right - left) || (numbers[n] ?? 0) < Math.min(left, right)) return null;
      place = place * (Math.abs(right - left) + 1) + index;
    }
    return [{ source, start, end, by: `${name}__${items.repeats ? 0 : place}` }];
  }
  const width = `${scope}${name}__w`;
  const changes: Change[] = [];
  let before = `${name}[`;
  let from = start;
  for (const [n, [open, close]] of groups.entries()) {
    if (isRange(pieces, pairs, open, close)) return null;
    const { left, right } = dimensions[n] as Dimension;
    const size = Math.abs(right - left) + 1;
    before += n > 0 ? `*${size}+(` : '('.repeat(dimensions.length);
    before += left > right ? `${left}-{` : '{';
    changes.push({ source, start: from, end: (pieces[open] as Piece).end, by: before });
    from = (pieces[close] as Piece).start;
    before = `}${left > right || left === 0 ? '' : `-${left}`}${n > 0 ? '))' : ')'}`;
  }
  before += `*${width}`;
  const select = pairs.get(next);
  if (textAt(pieces, next) === '.') return null;
  if (textAt(pieces, next) !== '[' || select === undefined) {
    changes.push({ source, start: from, end, by: `${before} +: ${width}]${type.isSigned ? ')' : ''}` });
    if (type.isSigned) {
      const { start: begin } = pieces[first] as Piece;
      if (first === at) (changes[0] as Change).by = `$signed(${changes[0]?.by}`;
      else changes.unshift({ source, start: begin, end: begin, by: '$signed(' });
    }
    return changes;
  }
  // The bits of one value.
  if (!type.isPlain || textAt(pieces, select + 1) === '[') return null;
  let colon = next + 1;
  while (colon < select && textAt(pieces, colon) !== ':') colon = (pairs.get(colon) ?? colon) + 1;
  const opening: Change = { source, start: from, end: (pieces[next] as Piece).end, by: `${before} + {` };
  const closing = (pieces[select] as Piece).start;
  if (colon >= select) return [...changes, opening, { source, start: closing, end: closing, by: '}' }];
  const sign = textAt(pieces, colon - 1);
  if (/^[+-]$/.test(sign)) {
    const { start: mark } = pieces[colon - 1] as Piece;
    return [...changes, opening, { source, start: mark, end: mark, by: '} ' }];
  }
  const bounds = [next + 1, colon + 1].map((one) => textAt(pieces, one));
  if (colon !== next + 2 || select !== colon + 2 || !bounds.every((bound) => /^\w+$/.test(bound)))
    return null;
  const [high, low] = bounds;
  return [
    ...changes,
    {
      source,
      start: from,
      end: (pieces[select] as Piece).end,
      by: `${before} + ${low} +: ${high}-${low}+1]`,
    },
  ];
}

/** All that changes for a constant; null where one of its uses cannot be written. */
function changesFor(
  constant: ArrayConstant,
  source: number,
  sources: readonly WordedSource[],
): Change[] | null {
  const own = sources[source] as WordedSource;
  if (isOverridden(constant, own, sources)) return null;
  const { scope, name } = constant;
  const changes = declaration(constant, own, source);
  for (const [n, one] of sources.entries())
    for (const at of one.words.get(name) ?? []) {
      if (n === source && at === constant.at) continue;
      const before = one.pieces[at - 1];
      const isScoped = isPackageAt(one.pieces, at - 3);
      const isMeant = isScoped
        ? scope.kind === 'package' && textAt(one.pieces, at - 3) === scope.name
        : n === source && at > scope.from && at < scope.to && before?.text !== '.';
      if (!isMeant) continue;
      if (!isScoped && (before?.text === ']' || (before?.kind === 'word' && !READS.test(before.text))))
        return null;
      const read = reading(constant, one, n, at);
      if (!read) return null;
      changes.push(...read);
    }
  return changes;
}

/**
 * Sources in SystemVerilog in which constants that are arrays, as in `localparam int A [2] = '{1, 2};`, are vectors, of which each
 * value is taken where it is read: Yosys reads no others. Lines stay what they are.
 */
export function withoutArrayConstants(texts: readonly string[]): string[] {
  if (!texts.some((text) => /\]\s{0,100}=\s{0,100}'\s{0,100}\{/.test(text))) return [...texts];
  const sources = texts.map((text): WordedSource => {
    const source = sourceOf(text);
    return { ...source, words: wordsIn(source.pieces) };
  });
  const types = typesOf(sources);
  const edits = texts.map(() => new Edits());
  const found = texts.map(() => 0);
  for (const [n, source] of sources.entries())
    for (const scope of source.scopes)
      for (let at = scope.from; at < scope.to; at++) {
        if (
          source.pieces[at]?.kind !== 'word' ||
          !/^(?:localparam|parameter|const)$/.test(textAt(source.pieces, at))
        )
          continue;
        const constant = (found[n] ?? 0) < MOST_ARRAYS ? constantAt(source, at, scope, types) : null;
        if (constant) found[n] = (found[n] ?? 0) + 1;
        const changes = constant && changesFor(constant, n, sources);
        for (const { source: of, start, end, by } of changes ?? []) edits[of]?.replace(start, end, by);
        if (constant) at = constant.close;
      }
  return texts.map((text, n) => edits[n]?.apply(text) ?? text);
}
