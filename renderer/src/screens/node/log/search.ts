import type { Stage } from '../../../../../server/contract/jobs/jobs.ts';
import type { LogLine } from '../../../state/jobs/log-document.ts';

export interface LogFilter {
  /** `warning` includes errors. */
  level: 'all' | 'warning' | 'error';
  stage: 'all' | Stage;
}

/** The lines that match a filter; the same array if all do. */
export function shownLines(lines: readonly LogLine[], { level, stage }: LogFilter): readonly LogLine[] {
  if (level === 'all' && stage === 'all') return lines;
  return lines.filter(
    (line) =>
      (stage === 'all' || line.stage === stage) &&
      (level === 'all' || line.level === 'error' || (level === 'warning' && line.level === 'warning')),
  );
}

/** Indexes of the lines with a text, ignoring case. */
export function matchingRows(lines: readonly LogLine[], query: string): number[] {
  const wanted = query.toLowerCase();
  if (wanted === '') return [];
  const rows: number[] = [];
  for (let row = 0; row < lines.length; row += 1)
    if (lines[row]?.text.toLowerCase().includes(wanted)) rows.push(row);
  return rows;
}
