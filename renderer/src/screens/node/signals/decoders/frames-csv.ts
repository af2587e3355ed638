import { csvCell } from '../../../../../../server/contract/csv.ts';
import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { text } from '../../../../text/text.ts';
import { clocksAt } from '../recording/samples.ts';
import { type Frame, hex } from './frames.ts';

const t = text.decoders;

/** A frame with the title of its row. */
export interface TableRow {
  title: string;
  frame: Frame;
}

/** The frames of several rows in the order of time. */
export const tableOf = (rows: readonly { title: string; frames: readonly Frame[] }[]): TableRow[] =>
  rows
    .flatMap(({ title, frames }) => frames.map((frame) => ({ title, frame })))
    .sort((a, b) => a.frame.from - b.frame.from);

/** The words for what is wrong with a frame; empty for nothing. */
export const problemText = ({ error }: Frame): string => (error === undefined ? '' : t.errors[error]);

/** The rows that contain a text, in either case. */
export function matching(rows: readonly TableRow[], wanted: string): readonly TableRow[] {
  const plain = wanted.trim().toLowerCase();
  if (plain === '') return rows;
  return rows.filter(({ title, frame }) =>
    `${title}\n${frame.text}\n${problemText(frame)}`.toLowerCase().includes(plain),
  );
}

/** The rows as CSV: times in seconds from the trigger. */
export function framesCsv(view: CaptureView, rows: readonly TableRow[]): string {
  const seconds = (sample: number): string => (clocksAt(view, sample) / view.clock_hz).toExponential(9);
  const lines = rows.map(({ title, frame }) =>
    [
      ...[seconds(frame.from), seconds(frame.to), String(frame.from), title, frame.text],
      ...[frame.data === null ? '' : hex(frame.data, 1), problemText(frame)],
    ]
      .map(csvCell)
      .join(','),
  );
  return `${[t.columns.join(','), ...lines].join('\r\n')}\r\n`;
}
