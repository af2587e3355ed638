/** The value that a share of `values` does not exceed; 0 of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

const MEBIBYTE = 1 << 20;
export const mebibytes = (bytes: number): number => Math.round((bytes / MEBIBYTE) * 10) / 10;

/** Prints figures under a title, one a line. */
export function printFigures(title: string, figures: object): void {
  const lines = Object.entries(figures).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`);
  process.stdout.write(`${title}\n${lines.join('\n')}\n`);
}

/** Numbers from 0 to below 1 that are the same for the same seed: mulberry32. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
