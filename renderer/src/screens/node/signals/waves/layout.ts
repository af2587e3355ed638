import type { Lane } from './lanes.ts';

/** Heights of a row and of the time axis, CSS pixels; also in the style sheet. */
export const ROW = 24;
export const AXIS = 26;
/** Height of a row that is drawn as a curve. */
const CURVE = 3 * ROW;

/** The beginning of each row below the axis, and the end of the last one, CSS pixels. */
export function topsOf(lanes: readonly Lane[]): number[] {
  const tops = [0];
  let at = 0;
  for (const lane of lanes) {
    at += lane.kind === 'signal' && lane.curve !== undefined ? CURVE : ROW;
    tops.push(at);
  }
  return tops;
}

/** The row at a height; that of the last row below all of them. */
export function rowAt(tops: readonly number[], y: number): number {
  let [low, high] = [0, Math.max(0, tops.length - 2)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((tops[middle] ?? 0) <= y) low = middle;
    else high = middle - 1;
  }
  return low;
}
