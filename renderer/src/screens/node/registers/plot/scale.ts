import { formatWord, type NumberFormat } from '../../../../format/words.ts';
import type { Extent } from '../../../../state/samples/series.ts';

/** A word on the scale, signed in the signed format. */
export const onScale = (word: number, format: NumberFormat): number =>
  format === 'signed' ? word | 0 : word;

/** A short label of the scale: hex without leading zeros, in groups of four. Binary is too long for an axis. */
export const onAxis = (value: number, format: NumberFormat): string => {
  if (format === 'hex' || format === 'binary')
    return value < 0
      ? ''
      : `0x${value
          .toString(16)
          .toUpperCase()
          .replace(/\B(?=(.{4})+$)/g, '_')}`;
  return formatWord(value, value < 0 ? 'signed' : 'decimal');
};

/** Adds a margin to an extent, and centres a constant value. */
export function withRoom({ low, high }: Extent): Extent {
  if (low > high) return { low: 0, high: 1 };
  const room = high === low ? Math.max(1, Math.abs(high) * 0.05) : (high - low) * 0.06;
  return { low: low - room, high: high + room };
}

/**
 * Whole numbers at even distances, limited in number: powers of two apart for hex, else 1, 2 or 5 times a power of ten.
 */
export function marks({ low, high }: Extent, most: number, hex: boolean): number[] {
  const least = Math.max(1, (high - low) / Math.max(1, most));
  const power = 10 ** Math.floor(Math.log10(least));
  const step = hex
    ? 2 ** Math.ceil(Math.log2(least))
    : ([1, 2, 5, 10].find((times) => times * power >= least) ?? 10) * power;
  const list: number[] = [];
  for (let value = Math.ceil(low / step) * step; value <= high; value += step) list.push(value);
  return list;
}

/** Distances of time marks, seconds. */
const TIME_STEPS = [
  0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800,
  3600,
];

/** Times at even distances, limited in number, and their distance in seconds. */
export function timeMarks(from: number, to: number, most: number): { times: number[]; step: number } {
  const least = (to - from) / Math.max(1, most);
  const step = TIME_STEPS.find((one) => one >= least) ?? 7200;
  const times: number[] = [];
  for (let n = Math.ceil(from / step); n * step <= to; n += 1) times.push(n * step);
  return { times, step };
}
