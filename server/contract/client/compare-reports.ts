import type { BuildReport } from '../designs/uploads.ts';

/** One figure of two builds. */
export interface ComparedFigure {
  /** `design`: design utilisation of a resource. */
  group: 'timing' | 'resource' | 'design' | 'stage';
  /** `fmax`, `design` (the design's own slowest path), a resource as reports name it, or a stage. */
  name: string;
  unit: 'MHz' | 's' | '';
  /** Null where a report does not have it. */
  before: number | null;
  now: number | null;
  /** The increase; null where either figure is missing. */
  difference: number | null;
}

/** Decimal places of a figure, by unit. */
export const DIGITS = { MHz: 1, s: 2, '': 0 } as const;

/** Compares a build with another one: speed, then resources, then time. */
export function compareReports(now: BuildReport, before: BuildReport): ComparedFigure[] {
  const figures: ComparedFigure[] = [];
  const add = (
    group: ComparedFigure['group'],
    name: string,
    unit: ComparedFigure['unit'],
    of: (report: BuildReport) => number | null | undefined,
  ) => {
    const [a, b] = [of(before) ?? null, of(now) ?? null];
    if (a === null && b === null) return;
    // Rounded as shown, so that two equal texts do not differ.
    const shown = (value: number) => Number(value.toFixed(DIGITS[unit]));
    const difference = a === null || b === null ? null : shown(shown(b) - shown(a));
    figures.push({ group, name, unit, before: a, now: b, difference });
  };
  add('timing', 'fmax', 'MHz', ({ timing }) => timing.fmax_mhz);
  add('timing', 'design', 'MHz', ({ timing }) => timing.design?.fmax_mhz);
  const rows = [now, before].flatMap(({ utilisation }) => utilisation);
  const row = (report: BuildReport, name: string) =>
    report.utilisation.find(({ resource }) => resource === name);
  for (const name of new Set(rows.map(({ resource }) => resource))) {
    add('resource', name, '', (report) => row(report, name)?.used);
    add('design', name, '', (report) => row(report, name)?.design);
  }
  const stages = [now, before].flatMap(({ seconds }) => Object.entries(seconds));
  for (const name of new Set(stages.map(([stage]) => stage)))
    add('stage', name, 's', ({ seconds }) => Object.entries(seconds).find(([stage]) => stage === name)?.[1]);
  return figures;
}
