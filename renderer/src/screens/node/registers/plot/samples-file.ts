import { csvCell } from '../../../../../../server/contract/csv.ts';
import type { Series } from '../../../../state/samples/series.ts';

/**
 * The curves as a table: a line for each time with a sample, words in plain decimal. An empty cell continues the value;
 * `?` means unknown from here on.
 */
export function samplesToCsv(curves: readonly { name: string; series: Series }[]): string {
  const rows = new Map<number, string[]>();
  curves.forEach(({ series }, column) => {
    for (let index = 0; index < series.length; index += 1) {
      const time = series.time(index);
      let row = rows.get(time);
      if (!row) {
        row = curves.map(() => '');
        rows.set(time, row);
      }
      const value = series.value(index);
      row[column] = Number.isNaN(value) ? '?' : String(value);
    }
  });
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([time, cells]) => [new Date(time * 1000).toISOString(), ...cells].join(','));
  return `${[['time', ...curves.map(({ name }) => csvCell(name))].join(','), ...lines].join('\r\n')}\r\n`;
}
