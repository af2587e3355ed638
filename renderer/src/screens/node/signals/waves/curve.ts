import { Extremes } from '../recording/extremes.ts';
import { reduceTrace, type Span } from '../recording/reduce.ts';
import { pieceAt, type SignalTrace } from '../recording/trace.ts';
import type { SignalLane } from './lanes.ts';
import type { Glyphs, Pixel, Surface } from './surface.ts';

/** The values of the traces that are drawn, plain and signed. */
const known = new WeakMap<SignalTrace, Map<boolean, Extremes>>();

function extremesOf(trace: SignalTrace, signed: boolean): Extremes {
  const both = known.get(trace) ?? new Map<boolean, Extremes>();
  known.set(trace, both);
  const one = both.get(signed) ?? new Extremes(trace, signed);
  both.set(signed, one);
  return one;
}

/** Where and how a curve is drawn, device pixels. */
export interface CurvePlace {
  y: number;
  bottom: number;
  thin: number;
  wave: Pixel;
  ink: Pixel;
  glyphs: Glyphs;
}

/** Draws a signal as a curve between the least and the greatest value in sight, and names both. */
export function paintCurve(
  surface: Surface,
  trace: SignalTrace,
  span: Span,
  { curve, format }: Pick<SignalLane, 'curve' | 'format'>,
  { y, bottom, thin, wave, ink, glyphs }: CurvePlace,
): void {
  const { starts, end } = trace;
  if (starts.length === 0) return;
  const values = extremesOf(trace, format === 'signed');
  const { from, perPixel } = span;
  const firstSeen = pieceAt(trace, Math.max(0, from));
  const lastSeen = pieceAt(trace, Math.min(end - 1, from + surface.width * perPixel));
  const [min, max] = values.of(firstSeen, lastSeen);
  const height = bottom - y - thin;
  const rowOf = (value: number): number =>
    max === min ? y + (height >> 1) : Math.round(bottom - thin - ((value - min) / (max - min)) * height);
  /** A vertical line that joins two heights. */
  const join = (x: number, one: number, other: number) =>
    surface.rect(x, Math.min(one, other), thin, Math.abs(one - other) + thin, wave);
  let before: number | undefined;
  let lastPiece = firstSeen;
  reduceTrace(trace, span, surface.width, {
    steady: (piece, left, right) => {
      const start = rowOf(values.at(piece));
      if (before !== undefined) join(left, before, start);
      const next = starts[piece + 1];
      const begins = starts[piece] ?? 0;
      if (curve === 'step' || next === undefined) {
        surface.rect(left, start, right - left, thin, wave);
        before = start;
      } else {
        const rise = values.at(piece + 1) - values.at(piece);
        for (let x = left; x < right; x++) {
          const share = Math.max(0, Math.min(1, (from + x * perPixel - begins) / (next - begins)));
          const row = rowOf(values.at(piece) + share * rise);
          join(x, before ?? row, row);
          before = row;
        }
      }
      lastPiece = piece;
    },
    change: (x, last) => {
      const [least, greatest] = values.of(Math.min(lastPiece + 1, last), last);
      const end = rowOf(values.at(last));
      join(x, rowOf(least), rowOf(greatest));
      if (before !== undefined) join(x, before, end);
      before = end;
      lastPiece = last;
    },
  });
  const text = (value: number) => value.toLocaleString('en').replace('-', '−');
  surface.text(text(max), 2 * thin, y, surface.width, ink, glyphs);
  if (max !== min) surface.text(text(min), 2 * thin, bottom - glyphs.height, surface.width, ink, glyphs);
}
