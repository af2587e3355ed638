import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { dimensionsAt, fillingAt, itemsOfArray } from './array-items.ts';
import { oneLine } from './one-line.ts';
import { type Scope, scopesOf } from './scopes.ts';

/** Values of arrays in one text: the module is looked through for each. */
const MOST_VALUES = 100;

/** Before these words and marks a statement begins. */
const BEFORE_STATEMENT = /^(?:;|begin|else|end|\)|:|always_(?:comb|latch)|initial)$/;
/** Behind these a name with an index is read, and not declared. */
const NO_TYPES =
  /^(?:begin|else|end|return|assign|always\w*|initial|inside|or|and|not|posedge|negedge|case[xz]?|default|generate|if|for)$/;

/** An array as it is declared: the bounds of each of its dimensions, indices of pieces. */
interface DeclaredArray {
  at: number;
  from: number;
  to: number;
}

/** Whether a `[` stands behind the name of an array that is declared: `logic [7:0] a [4]`, `word_t a [4]`, but not `word_t [3:0] a`. */
export function declaresArray(pieces: Pieces, open: number): boolean {
  const [before, name] = [pieces[open - 2], pieces[open - 1]];
  if (name?.kind !== 'word' || before === undefined) return false;
  return (
    before.text === ']' || before.text === '}' || (before.kind === 'word' && !NO_TYPES.test(before.text))
  );
}

/** The arrays that are declared in a module, each by its name; null where several have it. */
function arraysOf(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  scope: Scope,
): Map<string, DeclaredArray | null> {
  const arrays = new Map<string, DeclaredArray | null>();
  for (let at = scope.from; at < scope.to; at++) {
    if (textAt(pieces, at) !== '[' || !declaresArray(pieces, at)) continue;
    let to = at;
    while (textAt(pieces, to) === '[') to = (pairs.get(to) ?? to) + 1;
    const name = textAt(pieces, at - 1);
    // `logic [7:0] a` is none, and `logic [7:0] a [4], b` is told by what follows.
    if (!/^[;,=)]$/.test(textAt(pieces, to))) continue;
    arrays.set(name, arrays.has(name) ? null : { at: at - 1, from: at, to });
    at = to - 1;
  }
  return arrays;
}

/** The first and the last index of each dimension, as text; null where they cannot be told apart. */
function boundsOf(
  text: string,
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  { from, to }: DeclaredArray,
): [low: string, high: string][] | null {
  const numbers = dimensionsAt(pieces, pairs, from, to);
  if (numbers)
    return numbers.map(({ left, right }) => [`${Math.min(left, right)}`, `${Math.max(left, right)}`]);
  const bounds: [string, string][] = [];
  for (let open = from; open < to; open = (pairs.get(open) ?? to) + 1) {
    const close = pairs.get(open);
    if (close === undefined) return null;
    let colon = open + 1;
    while (colon < close && textAt(pieces, colon) !== ':') colon = (pairs.get(colon) ?? colon) + 1;
    const [left, right] = [oneLine(text, pieces, open + 1, colon), oneLine(text, pieces, colon + 1, close)];
    if (left === null || right === null || left === '' || textAt(pieces, colon + 1) === ':') return null;
    if (colon === close) bounds.push(['0', `(${left})-1`]);
    else if (right === '0') bounds.push(['0', left]);
    else if (left === '0') bounds.push(['0', right]);
    else return null;
  }
  return bounds;
}

/** What gives all words of an array one value, up to that. */
function loops(name: string, bounds: readonly [low: string, high: string][], operator: string): string {
  const index = (n: number) => `${name}__${n}`;
  const each = bounds.map(
    ([low, high], n) => `for (int ${index(n)} = ${low}; ${index(n)} <= ${high}; ${index(n)}++) `,
  );
  return `${each.join('')}${name}${bounds.map((_, n) => `[${index(n)}]`).join('')} ${operator} `;
}

/** The index of a word among those of an array, in the order of its values: `[1][0]`. */
function placeOf(dimensions: readonly { left: number; right: number }[], n: number): string {
  let [place, rest] = ['', n];
  for (const { left, right } of [...dimensions].reverse()) {
    const size = Math.abs(left - right) + 1;
    const at = rest % size;
    place = `[${left > right ? left - at : left + at}]${place}`;
    rest = (rest - at) / size;
  }
  return place;
}

/** Whether an index of a module is in none of its blocks, functions and tasks. */
export function isOutside(pieces: Pieces, from: number, at: number): boolean {
  let depth = 0;
  for (let one = from; one < at; one++) {
    if (pieces[one]?.kind !== 'word') continue;
    if (/^(?:begin|function|task|case[xz]?|fork)$/.test(textAt(pieces, one))) depth++;
    else if (/^(?:end|endfunction|endtask|endcase|join\w*)$/.test(textAt(pieces, one))) depth--;
  }
  return depth === 0;
}

/** A module with an array that is given its words. */
interface Place {
  text: string;
  pieces: Pieces;
  pairs: ReadonlyMap<number, number>;
  array: DeclaredArray;
  edits: Edits;
}

/** Writes the values of an array word by word. @param name, open indices of its name and of the brace of its values */
function write({ text, pieces, pairs, array, edits }: Place, name: number, open: number): void {
  const close = pairs.get(open);
  const [first, last, end] = [pieces[name], pieces[close ?? -1], pieces[(close ?? -1) + 1]];
  if (close === undefined || !first || !last || end?.text !== ';') return;
  const isInitial = name === array.at;
  const isBlocking = textAt(pieces, open - 3) !== '<';
  const own = first.text;
  // A word that is read while they are written.
  if (isBlocking && pieces.slice(open, close).some(({ text: word }) => word === own)) return;
  const [begin, operator] = [isInitial ? '; initial ' : '', isBlocking ? '=' : '<='];
  const start = isInitial ? (pieces[array.to - 1] as Piece).end : first.start;
  const fill = fillingAt(pieces, pairs, open);
  const dimensions = dimensionsAt(pieces, pairs, array.from, array.to);
  if (fill) {
    const bounds = boundsOf(text, pieces, pairs, array);
    const fits = fill.times === null || (dimensions && itemsOfArray(pieces, pairs, open, dimensions));
    if (!bounds || !fits) return;
    edits.replace(start, (pieces[fill.from] as Piece).start, begin + loops(own, bounds, operator));
    edits.replace((pieces[fill.to] as Piece).start, last.end);
    return;
  }
  const items = dimensions && itemsOfArray(pieces, pairs, open, dimensions);
  if (!dimensions || !items) return;
  let n = 0;
  const word = () => `${own}${placeOf(dimensions, n++)} ${operator} `;
  edits.replace(start, (pieces[items.marks[0]?.to ?? open] as Piece).end, `${begin}begin ${word()}`);
  for (const { from, to, isNext } of items.marks.slice(1))
    edits.replace((pieces[from] as Piece).start, (pieces[to] as Piece).end, isNext ? `; ${word()}` : ' ');
  edits.replace(last.start, last.end);
  edits.replace(end.end, end.end, ' end');
}

/**
 * A source in SystemVerilog in which arrays are given their words one by one: `a <= '{default: 0};` is a loop, and values where one
 * is declared are given by an `initial`. Lines stay what they are.
 */
export function withoutArrayValues(text: string): string {
  if (!/=\s{0,100}'\s{0,100}\{/.test(text)) return text;
  const pieces = piecesOf(text);
  const pairs = bracketPairs(pieces);
  const edits = new Edits();
  let left = MOST_VALUES;
  for (const scope of scopesOf(pieces)) {
    let arrays: Map<string, DeclaredArray | null> | null = null;
    for (let open = scope.from; open < scope.to; open++) {
      if (
        textAt(pieces, open) !== '{' ||
        textAt(pieces, open - 1) !== "'" ||
        textAt(pieces, open - 2) !== '='
      )
        continue;
      let name = textAt(pieces, open - 3) === '<' ? open - 4 : open - 3;
      const isStatement = BEFORE_STATEMENT.test(textAt(pieces, name - 1));
      while (textAt(pieces, name) === ']') while (name > scope.from && textAt(pieces, name--) !== '[');
      arrays ??= arraysOf(pieces, pairs, scope);
      const array = arrays.get(textAt(pieces, name));
      if (!array || left-- <= 0) continue;
      if (isDeclaredTwice(pieces, scope, array) || text.includes(`${textAt(pieces, name)}__0`)) continue;
      const isDeclared =
        name === array.at && isDeclaration(pieces, name) && isOutside(pieces, scope.from, name);
      if (isDeclared || (isStatement && name < open - 2 && textAt(pieces, name + 1) !== '['))
        write({ text, pieces, pairs, array, edits }, name, open);
    }
  }
  return edits.apply(text);
}

/** Whether something else than an array has its name in a part of a module. */
const isDeclaredTwice = (pieces: Pieces, { from, to }: Scope, array: DeclaredArray): boolean =>
  pieces.slice(from, to).some(({ kind, text }, n) => {
    const before = pieces[from + n - 1];
    if (kind !== 'word' || text !== textAt(pieces, array.at) || from + n === array.at) return false;
    return before?.text === ']' || (before?.kind === 'word' && !NO_TYPES.test(before.text));
  });

/** Whether a variable is declared, and not a constant. */
function isDeclaration(pieces: Pieces, name: number): boolean {
  let at = name;
  while (at > 0 && !/^[;(]$/.test(textAt(pieces, at))) {
    if (/^(?:localparam|parameter|const|wire|assign|input|output|inout)$/.test(textAt(pieces, at)))
      return false;
    at--;
  }
  return textAt(pieces, at) === ';';
}
