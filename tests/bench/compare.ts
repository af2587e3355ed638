import { readFileSync } from 'node:fs';
import Type from 'typebox';
import { checkOf, parseAs } from '../../server/contract/check.ts';
import type { Measured } from './areas.ts';
import { type Figure, formatFigure } from './figure.ts';

/** Without a spread, figures that differ by less than this share are equal. */
const SAME_WITHIN = 0.1;

/** Change of a figure. `changed` has no better side: the figure has no target. */
type Change = 'better' | 'worse' | 'changed' | 'same';

const FigureSchema = Type.Object({
  name: Type.String(),
  // Null in a file stands for a failed measurement.
  value: Type.Union([Type.Number(), Type.Null()]),
  unit: Type.String(),
  target: Type.String(),
  met: Type.Boolean(),
  runs: Type.Optional(Type.Object({ count: Type.Number(), least: Type.Number(), most: Type.Number() })),
});
const StoredRunSchema = Type.Object({
  machine: Type.String(),
  figures: Type.Record(Type.String(), Type.Array(FigureSchema)),
});

/** A stored run: what an earlier `npm run bench` wrote. */
export interface StoredRun {
  machine: string;
  figures: Measured['figures'];
}

const isStoredRun = checkOf(StoredRunSchema);

/**
 * Reads a stored run.
 * @throws Error with a sentence for the person when the file cannot be read or is something else
 */
export function readStoredRun(file: string): StoredRun {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    throw new Error(`${file} cannot be read. Give the file that an earlier run wrote.`);
  }
  const stored = parseAs(text, isStoredRun);
  if (!stored) throw new Error(`${file} is not a run of the bench. Give the file that an earlier run wrote.`);
  return stored as StoredRun;
}

/** The minimum and maximum result, or the uncertainty of a single measurement. */
function range({ value, runs }: Figure): [number, number] {
  if (runs && runs.count > 1) return [runs.least, runs.most];
  return [value * (1 - SAME_WITHIN / 2), value * (1 + SAME_WITHIN / 2)];
}

/** Change of a figure: its two ranges do not overlap. */
export function changeOf(before: Figure, after: Figure): Change {
  const [least, most] = range(after);
  const [leastBefore, mostBefore] = range(before);
  if (least <= mostBefore && leastBefore <= most) return 'same';
  if (after.target === '') return 'changed';
  const smallerIsBetter = after.target.startsWith('≤');
  return after.value < before.value === smallerIsBetter ? 'better' : 'worse';
}

/** A table of the figures that both runs have, and how many of them are worse. */
export function compareRuns(
  before: StoredRun,
  figures: Measured['figures'],
): { text: string; worse: number } {
  let text = `\nagainst a run on ${before.machine}\n`;
  let worse = 0;
  for (const [area, after] of Object.entries(figures))
    for (const figure of after) {
      const earlier = before.figures[area]?.find(({ name }) => name === figure.name);
      if (typeof earlier?.value !== 'number') continue;
      const change = changeOf(earlier, figure);
      if (change === 'worse') worse++;
      const ratio = earlier.value === 0 ? '' : ` (× ${(figure.value / earlier.value).toFixed(2)})`;
      text += `  ${change.padEnd(7)}  ${area}: ${figure.name}  ${formatFigure(earlier)} → ${formatFigure(figure)}${ratio}\n`;
    }
  return { text, worse };
}
