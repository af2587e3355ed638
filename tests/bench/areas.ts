import { type Figure, longest } from './figure.ts';

/** What is measured together: a module's measuring function. */
export type Area = () => Promise<Figure[]>;

export interface Measured {
  /** Area → its figures; areas that failed have none. */
  figures: Record<string, Figure[]>;
  /** Area → why it could not be measured. */
  failures: Record<string, string>;
}

/** Measures one area after the other and prints each as it ends. One that fails is named, the others go on. */
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

const number = (value: number): string =>
  !Number.isFinite(value) ? '–' : value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);

const spread = ({ count, least, most }: NonNullable<Figure['runs']>): string =>
  `${count} runs, ${number(least)} to ${number(most)}`;

function table(area: string, figures: Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${number(figure.value)} ${figure.unit}`,
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
