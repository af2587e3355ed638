import { csvCell } from '../../../../format/csv.ts';
import type { Series } from '../../../../state/samples.ts';

/** The curves as a table: a line for every time at which one of them has a sample, words as plain decimal. */
export function samplesToCsv(curves: readonly { name: string; series: Readonly<Series> }[]): string {
  const rows = new Map<number, string[]>();
  curves.forEach(({ series }, column) => {
    series.times.forEach((time, index) => {
      let row = rows.get(time);
      if (!row) {
        row = curves.map(() => '');
        rows.set(time, row);
      }
      row[column] = String((series.values[index] ?? 0) >>> 0);
    });
  });
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([time, cells]) => [new Date(time * 1000).toISOString(), ...cells].join(','));
  return `${[['time', ...curves.map(({ name }) => csvCell(name))].join(','), ...lines].join('\r\n')}\r\n`;
}
