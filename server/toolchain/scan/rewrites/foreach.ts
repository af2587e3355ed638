import { Edits } from '../lexer.ts';
import { type Piece, piecesOf } from '../outline-lexer.ts';
import { bracketPairs, type Pieces, textAt } from '../statements.ts';
import { oneLine } from './one-line.ts';
import { type Scope, scopesOf } from './scopes.ts';

/** Loops of one text: the module is looked through for each. */
const MOST_LOOPS = 100;

type Pairs = ReadonlyMap<number, number>;
type Part = Pick<Scope, 'from' | 'to'>;

/** Behind these a name stands in an expression or a statement. */
const NO_TYPES =
  /^(?:begin|else|end|return|assign|always\w*|initial|inside|or|and|not|posedge|negedge|case[xz]?|default|generate|if|for|foreach)$/;
/** A type of one dimension more than its name shows. */
const NUMBERS = /^(?:int|integer|byte|shortint|longint)$/;

/** The bounds of a dimension in the order in which `foreach` takes them; null where that is not to be told. */
function boundsOf(text: string, pieces: Pieces, pairs: Pairs, open: number): string | null {
  const close = pairs.get(open);
  if (close === undefined) return null;
  let colon = open + 1;
  while (colon < close && textAt(pieces, colon) !== ':') colon = (pairs.get(colon) ?? colon) + 1;
  const left = oneLine(text, pieces, open + 1, colon);
  if (!left || textAt(pieces, colon + 1) === ':') return null;
  if (colon === close) return `I = 0; I < (${left}); I++`;
  const right = oneLine(text, pieces, colon + 1, close);
  if (!right) return null;
  const areNumbers = /^\d+$/.test(left) && /^\d+$/.test(right);
  if (right === '0' || (areNumbers && Number(left) >= Number(right)))
    return `I = ${left}; I >= ${right}; I--`;
  if (left === '0' || areNumbers) return `I = ${left}; I <= ${right}; I++`;
  return null;
}

/** The dimensions of a variable, those behind its name first; null where it is not declared once in a module, with a type of the language. */
function dimensionsOf(pieces: Pieces, pairs: Pairs, { from, to }: Part, name: string): number[] | null {
  let found: number[] | null = null;
  for (let at = from; at < to; at++) {
    const before = pieces[at - 1];
    if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== name) continue;
    const declares = before?.text === ']' || (before?.kind === 'word' && !NO_TYPES.test(before.text));
    if (before?.text === ',' && isInList(pieces, at, from)) return null;
    if (!declares) continue;
    if (found) return null;
    found = [];
    let next = at + 1;
    for (; textAt(pieces, next) === '['; next = (pairs.get(next) ?? next) + 1) found.push(next);
    if (!/^[;,=)]$/.test(textAt(pieces, next))) return null;
    const packed: number[] = [];
    let type = at - 1;
    while (textAt(pieces, type) === ']') {
      while (type > from && textAt(pieces, type) !== '[') type--;
      packed.unshift(type--);
    }
    const word = textAt(pieces, type);
    // What a type of the user's own has more is not seen here.
    const isKnown = /^(?:logic|bit|reg|wire|signed|unsigned)$/.test(word);
    if (NUMBERS.test(word) && packed.length > 0) return null;
    found.push(...packed, ...(isKnown ? [] : [-1]));
  }
  return found;
}

/** Whether a name behind a comma is declared there: `logic [7:0] a, b;`. */
function isInList(pieces: Pieces, at: number, from: number): boolean {
  let first = at - 1;
  for (let depth = 0; first > from; first--) {
    const text = textAt(pieces, first);
    if (/^[)\]}]$/.test(text)) depth++;
    else if (/^[([{]$/.test(text) && depth-- === 0) return false;
    else if (depth === 0 && /^(?:;|begin|end)$/.test(text)) break;
  }
  return /^(?:logic|bit|reg|wire|int|byte|integer|input|output)$/.test(textAt(pieces, first + 1));
}

/** The function or task around an index, else the module. */
function unitAround(pieces: Pieces, scope: Scope, at: number): Part {
  let from = at;
  while (from > scope.from && !/^(?:end)?(?:function|task)$/.test(textAt(pieces, from))) from--;
  if (!/^(?:function|task)$/.test(textAt(pieces, from))) return scope;
  let to = at;
  while (to < scope.to && !/^end(?:function|task)$/.test(textAt(pieces, to))) to++;
  return { from, to };
}

/** The loops that a `foreach` at an index stands for, up to its statement. */
function loopsAt(
  text: string,
  pieces: Pieces,
  pairs: Pairs,
  scope: Scope,
  at: number,
): { end: number; by: string } | null {
  const [open, name] = [at + 1, at + 2];
  const [close, index] = [pairs.get(open), at + 3];
  if (close === undefined || textAt(pieces, index) !== '[' || pairs.get(index) !== close - 1) return null;
  const variables: string[] = [''];
  for (let one = index + 1; one < close - 1; one++) {
    if (textAt(pieces, one) === ',') variables.push('');
    else if (pieces[one]?.kind === 'word') variables[variables.length - 1] += textAt(pieces, one);
    else return null;
  }
  const dimensions =
    dimensionsOf(pieces, pairs, unitAround(pieces, scope, at), textAt(pieces, name)) ??
    dimensionsOf(pieces, pairs, scope, textAt(pieces, name));
  if (!dimensions || dimensions.length < variables.length) return null;
  const loops = variables.map((variable, n) => {
    if (variable === '') return '';
    const dimension = dimensions[n] ?? -1;
    const bounds = dimension < 0 ? null : boundsOf(text, pieces, pairs, dimension);
    return bounds && `for (int ${bounds.replaceAll(/\bI\b/g, variable)}) `;
  });
  if (loops.includes(null) || loops.every((one) => one === '')) return null;
  return { end: close, by: loops.join('') };
}

/** A source in SystemVerilog in which `foreach (a[i])` is a `for`, which Yosys reads. Lines stay what they are. */
export function withoutForeach(text: string): string {
  if (!/\bforeach\b/.test(text)) return text;
  const pieces = piecesOf(text);
  const pairs = bracketPairs(pieces);
  const edits = new Edits();
  let left = MOST_LOOPS;
  for (const scope of scopesOf(pieces))
    for (let at = scope.from; at < scope.to; at++) {
      if (pieces[at]?.kind !== 'word' || textAt(pieces, at) !== 'foreach' || left-- <= 0) continue;
      const loops = loopsAt(text, pieces, pairs, scope, at);
      if (loops)
        edits.replace((pieces[at] as Piece).start, (pieces[loops.end] as Piece).end, loops.by.trimEnd());
    }
  return edits.apply(text);
}
