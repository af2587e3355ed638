/** Whether this run is `npm run soak`, which does all of what `npm test` does a bounded part of. */
export const SOAK = process.env['WISHBENCH_SOAK'] === '1';

/** Every nth row of a table, beginning with the first; all of them in the soak. */
export const everyNth = <const T>(n: number, rows: readonly T[]): T[] =>
  rows.filter((_, index) => SOAK || index % n === 0);
