import { type Figure, formatFigure, formatNumber, longest, median } from './figure.ts';

/** What is measured together: a module's measuring function. */
export type Area = () => Promise<Figure[]>;

export interface Measured {
  /** Area → its figures; areas that failed have none. */
  figures: Record<string, Figure[]>;
  /** Area → why it could not be measured. */
  failures: Record<string, string>;
}

/** Measures one area after the other and prints each at its end. A failed one is named; the others continue. */
export async function measureAreas(
  areas: Readonly<Record<string, Area>>,
  print: (text: string) => void,
): Promise<Measured> {
  const measured: Measured = { figures: {}, failures: {} };
  for (const [area, measure] of Object.entries(areas)) {
    try {
      const figures = await measure();
      measured.figures[area] = figures;
      print(table(area, figures));
    } catch (error) {
      measured.failures[area] = error instanceof Error ? error.message : String(error);
      print(
        `\n${area}\n  FAILED: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    }
  }
  return measured;
}

/** Merges several measurements of the same areas: each figure gets its median, minimum and maximum. */
export function mergeRuns(runs: readonly Measured[]): Measured {
  const [first = { figures: {}, failures: {} }, ...others] = runs;
  if (others.length === 0) return first;
  const figures: Measured['figures'] = {};
  for (const [area, measured] of Object.entries(first.figures))
    figures[area] = measured.map((figure) => {
      const same = [
        figure,
        ...others.flatMap((run) => run.figures[area]?.filter(({ name }) => name === figure.name) ?? []),
      ];
      const values = same.map(({ value }) => value);
      return {
        ...figure,
        value: median(values),
        met: same.filter(({ met }) => met).length * 2 > same.length,
        runs: { count: values.length, least: Math.min(...values), most: Math.max(...values) },
      };
    });
  return { figures, failures: Object.assign({}, ...runs.map(({ failures }) => failures)) };
}

/** The last line: what was missed and what failed. */
export function verdict({ figures, failures }: Measured): string {
  const missed = Object.values(figures)
    .flat()
    .filter((figure) => !figure.met).length;
  const failed = Object.keys(failures);
  const targets = missed === 0 ? 'Every target that was measured is met.' : `${missed} target(s) missed.`;
  if (failed.length === 0) return missed === 0 ? 'Every target is met.' : targets;
  return `${failed.length} area(s) failed: ${failed.join(', ')}. ${targets}`;
}

const spread = ({ count, least, most }: NonNullable<Figure['runs']>): string =>
  `${count} runs, ${formatNumber(least)} to ${formatNumber(most)}`;

/** The table of one area. */
export function table(area: string, figures: Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    formatFigure(figure),
    figure.runs ? spread(figure.runs) : '',
    figure.target,
    figure.target === '' ? '' : figure.met ? 'met' : 'MISSED',
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => longest(rows.map((row) => (row[column] ?? '').length)));
  const line = (row: string[]) =>
    row
      .map((cell, column) =>
        column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
      )
      .filter((_, column) => widths[column] !== 0)
      .join('   ')
      .trimEnd();
  const reasons = figures
    .filter(({ reason }) => reason !== undefined)
    .map(({ name, reason }) => `  Missed: ${name}. ${reason}`);
  return `\n${area}\n${[...rows.map((row) => `  ${line(row)}`), ...reasons].join('\n')}\n`;
}
