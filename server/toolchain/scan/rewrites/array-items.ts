import type { Piece } from '../outline-lexer.ts';
import { type Pieces, textAt } from '../statements.ts';

/** The bounds of an array as they are written. */
export interface Dimension {
  left: number;
  right: number;
}

/** What stands between the braces of an array's values. */
export interface ArrayItems {
  /** Of all values. */
  count: number;
  /** One value stands for all of them. */
  repeats: boolean;
  /** What stands in front of the values, first of all their brace; between two of them `isNext`. Indices of pieces. */
  marks: { from: number; to: number; isNext: boolean }[];
}

/** Values that an array may have. */
const MOST = 4096;
const NUMBER = /^\d+$/;

/** The bounds between brackets from one index to another; null where they are not numbers. */
export function dimensionsAt(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  from: number,
  to: number,
): Dimension[] | null {
  const dimensions: Dimension[] = [];
  for (let at = from; at < to; ) {
    const close = pairs.get(at);
    if (textAt(pieces, at) !== '[' || close === undefined) return null;
    const bounds = boundsOf(pieces, at + 1, close);
    if (!bounds) return null;
    dimensions.push(bounds);
    at = close + 1;
  }
  return dimensions;
}

function boundsOf(pieces: Pieces, from: number, to: number): Dimension | null {
  let colon = from;
  while (colon < to && textAt(pieces, colon) !== ':') colon++;
  const left = numberOf(pieces, from, colon);
  if (left === null || left > MOST) return null;
  if (colon === to) return left > 0 ? { left: 0, right: left - 1 } : null;
  const right = numberOf(pieces, colon + 1, to);
  return right === null || right > MOST ? null : { left, right };
}

/** A number, a constant that is one wherever it is declared, or one of them less or more one; null for anything else. */
function numberOf(pieces: Pieces, from: number, to: number): number | null {
  const [first, sign, other] = [from, from + 1, from + 2].map((at) => (at < to ? textAt(pieces, at) : ''));
  if (to - from !== 1 && !(to - from === 3 && /^[+-]$/.test(sign ?? '') && NUMBER.test(other ?? '')))
    return null;
  const value = NUMBER.test(first ?? '') ? Number(first) : constantOf(pieces, first ?? '');
  if (value === null || to - from === 1) return value;
  return sign === '+' ? value + Number(other) : value - Number(other);
}

/** The number that a name is given by `localparam`, where that is its only declaration in the text. */
function constantOf(pieces: Pieces, name: string): number | null {
  if (!/^[A-Za-z_]\w*$/.test(name)) return null;
  let value: number | null = null;
  for (const [at, { kind, text }] of pieces.entries()) {
    if (kind !== 'word' || text !== name || textAt(pieces, at + 1) !== '=' || textAt(pieces, at + 2) === '=')
      continue;
    let word = at - 1;
    while (word > 0 && /^(?:int|integer|unsigned|signed|logic|bit|\[|\]|:|\d+)$/.test(textAt(pieces, word)))
      word--;
    const isEnd = /^[;,)]$/.test(textAt(pieces, at + 3));
    if (
      value !== null ||
      textAt(pieces, word) !== 'localparam' ||
      !isEnd ||
      !NUMBER.test(textAt(pieces, at + 2))
    )
      return null;
    value = Number(textAt(pieces, at + 2));
  }
  return value;
}

/** The values between the brace at an index and its end; null where they are not as many as the array has. */
export function itemsOfArray(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  open: number,
  dimensions: readonly Dimension[],
): ArrayItems | null {
  const sizes = dimensions.map(({ left, right }) => Math.abs(left - right) + 1);
  const count = sizes.reduce((all, size) => all * size, 1);
  if (count > MOST) return null;
  const fill = fillingAt(pieces, pairs, open);
  if (fill) {
    if (fill.times !== null && (dimensions.length > 1 || fill.times !== count)) return null;
    const close = pairs.get(open) ?? open;
    const marks = [{ from: open - 1, to: fill.from - 1, isNext: false }];
    return {
      count,
      repeats: true,
      marks: fill.to === close ? marks : [...marks, { from: fill.to, to: fill.to, isNext: false }],
    };
  }
  const marks: ArrayItems['marks'] = [];
  return listed(pieces, pairs, open, sizes, marks) ? { count, repeats: false, marks: joined(marks) } : null;
}

/** One value for all, as in `default: 0` and `4{8'd1}`. */
export function fillingAt(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  open: number,
): { from: number; to: number; times: number | null } | null {
  const close = pairs.get(open);
  if (close === undefined) return null;
  if (textAt(pieces, open + 1) === 'default' && textAt(pieces, open + 2) === ':') {
    const isOne = textAt(pieces, open + 3) !== "'" || textAt(pieces, open + 4) !== '{';
    for (let at = open + 3; at < close; at++) {
      at = pairs.get(at) ?? at;
      if (textAt(pieces, at) === ',') return null;
    }
    return isOne && close > open + 3 ? { from: open + 3, to: close, times: null } : null;
  }
  const inner = pairs.get(open + 2);
  return NUMBER.test(textAt(pieces, open + 1)) && textAt(pieces, open + 2) === '{' && inner === close - 1
    ? { from: open + 3, to: inner, times: Number(textAt(pieces, open + 1)) }
    : null;
}

/** The values of a list, and of those within it. Returns whether there are as many as there have to be. */
function listed(
  pieces: Pieces,
  pairs: ReadonlyMap<number, number>,
  open: number,
  [size = 0, ...inner]: readonly number[],
  marks: ArrayItems['marks'],
): boolean {
  const close = pairs.get(open);
  if (close === undefined) return false;
  marks.push({ from: open - 1, to: open, isNext: false });
  let found = 0;
  for (let from = open + 1; from < close; found++) {
    if (inner.length > 0) {
      if (textAt(pieces, from) !== "'" || textAt(pieces, from + 1) !== '{') return false;
      if (!listed(pieces, pairs, from + 1, inner, marks)) return false;
      const end = pairs.get(from + 1) ?? from;
      marks.push({ from: end, to: end, isNext: false });
    }
    let to = from;
    let asks = 0;
    for (; to < close && textAt(pieces, to) !== ','; to++) {
      const { kind, text } = pieces[to] as Piece;
      if (kind === 'directive' || kind === 'macro') return false;
      // `index: value`, but not `a ? b : c` and `a::b`
      if (text === '?') asks++;
      const isScope = text === ':' && (textAt(pieces, to + 1) === ':' || textAt(pieces, to - 1) === ':');
      if (text === ':' && !isScope && asks-- === 0) return false;
      to = pairs.get(to) ?? to;
    }
    if (to === from) return false;
    if (to < close) marks.push({ from: to, to, isNext: true });
    from = to + 1;
  }
  return found === size;
}

/** What stands in front of values, one mark where several of them follow each other: `}, '{` is `,`. */
function joined(marks: ArrayItems['marks']): ArrayItems['marks'] {
  const all: ArrayItems['marks'] = [];
  for (const mark of marks) {
    const last = all.at(-1);
    if (last && mark.from === last.to + 1)
      all[all.length - 1] = { from: last.from, to: mark.to, isNext: last.isNext || mark.isNext };
    else all.push(mark);
  }
  return all;
}
