import { lastBefore, pieceAt, type Trace } from './trace.ts';

/** The visible time: the sample at the left edge, and samples per pixel. */
export interface Span {
  from: number;
  perPixel: number;
}

/** Gets the contents of pixel columns, from left to right. */
export interface ColumnListener {
  /** The columns from `left` up to `right` show only this piece. */
  steady(piece: number, left: number, right: number): void;
  /** One or more pieces begin in this column; `last` is the final one. */
  change(x: number, last: number): void;
}

/**
 * Reduces a trace to columns of pixels: exact for a column with at most one change, and one call per column otherwise.
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
