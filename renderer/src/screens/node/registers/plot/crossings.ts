// When a curve leaves its limits.
import type { Series } from '../../../../state/samples/series.ts';

/** The values that a register should not leave. With a negative one, words count as signed. */
export interface Limits {
  below?: number;
  above?: number;
}

type Side = 'below' | 'above';

/** A value outside the limits, after one inside. */
export interface Crossing {
  /** Seconds since 1970. */
  time: number;
  /** The unsigned word. */
  value: number;
  side: Side;
}

/** What was looked at so far. */
export interface Looked {
  /** Time of the last sample, seconds since 1970. */
  until: number;
  /** Where the last value was; undefined inside the limits. */
  side: Side | undefined;
}

/** Where a word is; undefined inside the limits. */
export function sideOf(word: number, { below, above }: Limits): Side | undefined {
  const value = (below ?? 0) < 0 || (above ?? 0) < 0 ? word | 0 : word;
  if (below !== undefined && value < below) return 'below';
  return above !== undefined && value > above ? 'above' : undefined;
}

/** Looks at the samples since the last look. An unknown value changes nothing. */
export function crossings(
  series: Series,
  limits: Limits,
  { until, side: before }: Looked,
): { found: Crossing[]; looked: Looked } {
  const found: Crossing[] = [];
  let side = before;
  let last = until;
  for (let index = series.indexAt(until) + 1; index < series.length; index += 1) {
    const [time, value] = [series.time(index), series.value(index)];
    last = time;
    if (Number.isNaN(value)) continue;
    const now = sideOf(value, limits);
    if (now !== undefined && now !== side) found.push({ time, value, side: now });
    side = now;
  }
  return { found, looked: { until: last, side } };
}
