/** A measured figure and its target. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** Its target, in words; empty for a figure without one. */
  target: string;
  met: boolean;
  /** Of repeated measurements: their number, minimum and maximum. */
  runs?: { count: number; least: number; most: number };
  /** Why it missed its target, a sentence, if known. */
  reason?: string;
}

/** Properties of a figure besides its value. */
interface About {
  /** Each result, in the unit of the figure. */
  runs?: readonly number[];
  /** Printed when the target is missed. */
  ifMissed?: string;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export const longest = (durations: readonly number[]): number => Math.max(0, ...durations);

/** A number with its significant digits. */
export const formatNumber = (value: number): string =>
  !Number.isFinite(value) ? '–' : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

export const formatFigure = ({ value, unit }: Figure): string => `${formatNumber(value)} ${unit}`;

/** The value that so large a share of them does not exceed, e.g. 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

const about = (met: boolean, { runs, ifMissed }: About): Pick<Figure, 'met' | 'runs' | 'reason'> => ({
  met,
  ...(runs && { runs: { count: runs.length, least: Math.min(...runs), most: Math.max(...runs) } }),
  ...(ifMissed !== undefined && !met && { reason: ifMissed }),
});

export const atMost = (
  name: string,
  value: number,
  unit: string,
  limit: number,
  more: About = {},
): Figure => ({ name, value, unit, target: `≤ ${limit} ${unit}`, ...about(value <= limit, more) });

export const atLeast = (
  name: string,
  value: number,
  unit: string,
  limit: number,
  more: About = {},
): Figure => ({ name, value, unit, target: `≥ ${limit} ${unit}`, ...about(value >= limit, more) });

export const reported = (name: string, value: number, unit: string, more: About = {}): Figure => ({
  name,
  value,
  unit,
  target: '',
  ...about(true, more),
});
