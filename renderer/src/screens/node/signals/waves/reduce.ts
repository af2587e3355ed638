import { lastBefore, pieceAt, type Trace } from './trace.ts';

/** What of time is in sight: the sample at the left edge, and how many there are to a pixel. */
export interface Span {
  from: number;
  perPixel: number;
}

/** Told of what is in the columns of pixels, from left to right. */
export interface ColumnListener {
  /** One piece alone is in the columns from `left` up to `right`. */
  steady(piece: number, left: number, right: number): void;
  /** In this column another piece begins, or several; `last` is the one that it ends with. */
  change(x: number, last: number): void;
}

/**
 * A trace as so many columns of pixels show it: exact where a column has one change or none, and one call for a column
 * however many it has.
 */
export function reduceTrace(trace: Trace, { from, perPixel }: Span, width: number, to: ColumnListener): void {
  const { starts, end } = trace;
  if (starts.length === 0) return;
  const columnOf = (sample: number): number => Math.floor((sample - from) / perPixel);
  const right = Math.min(width, Math.ceil((end - from) / perPixel));
  let x = Math.max(0, columnOf(0));
  let piece = pieceAt(trace, Math.max(0, from + x * perPixel));
  while (x < right) {
    const next = starts[piece + 1];
    const column = next === undefined ? right : Math.min(right, columnOf(next));
    if (column > x) {
      to.steady(piece, x, column);
      x = column;
      continue;
    }
    piece = lastBefore(trace, piece + 1, from + (x + 1) * perPixel);
    to.change(x, piece);
    x += 1;
  }
}
