/** One measured figure beside what it must reach. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** What it must reach, in words; empty for a figure that is only reported. */
  target: string;
  met: boolean;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

export const longest = (durations: readonly number[]): number => Math.max(0, ...durations);

/** The value that so large a share of them does not exceed, e.g. 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}

export const atMost = (name: string, value: number, unit: string, limit: number): Figure => ({
  name,
  value,
  unit,
  target: `≤ ${limit} ${unit}`,
  met: value <= limit,
});

export const atLeast = (name: string, value: number, unit: string, limit: number): Figure => ({
  name,
  value,
  unit,
  target: `≥ ${limit} ${unit}`,
  met: value >= limit,
});

export const reported = (name: string, value: number, unit: string): Figure => ({
  name,
  value,
  unit,
  target: '',
  met: true,
});
