import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { IconButton } from '../../../../components/Button.tsx';
import { text } from '../../../../text/text.ts';
import { clocksAt } from './samples.ts';

const t = text.signals;

const plain = (count: number): string => count.toLocaleString('en').replace('-', '−');

/** A number of clocks as time, in the unit with the fewest digits. */
export function timeText(clocks: number, hz: number): string {
  const ns = (clocks * 1e9) / hz;
  const size = Math.abs(ns);
  const [value, unit] = size < 1e4 ? [ns, 'ns'] : size < 1e7 ? [ns / 1e3, 'µs'] : [ns / 1e6, 'ms'];
  const digits = value.toFixed(3).replace(/\.?0+$/, '');
  return `${digits.replace('-', '−')} ${unit}`;
}

interface Props {
  view: CaptureView;
  cursors: readonly [number | undefined, number | undefined];
  onClear(): void;
}

/** The two cursors and their distance. */
export function CursorBar({ view, cursors, onClear }: Props) {
  const [a, b] = cursors.map((sample) => (sample === undefined ? undefined : clocksAt(view, sample)));
  const { clock_hz: hz } = view;
  const one = (name: string, clocks: number | undefined) =>
    clocks !== undefined && (
      <span className={`cursor-${name}`}>
        <strong>{name.toUpperCase()}</strong> {t.clocks(plain(clocks))}
      </span>
    );
  return (
    <p className="waves-cursors num" role="status" aria-label={t.cursors}>
      {one('a', a)}
      {one('b', b)}
      {a !== undefined && b !== undefined && (
        <span>
          Δ <strong>{t.clocks(plain(b - a))}</strong> = <strong>{timeText(b - a, hz)}</strong>
        </span>
      )}
      <span className="muted">
        {t.samples(plain(view.samples))}
        {view.state === 'timed_out' && `, ${t.withoutTrigger}`}
      </span>
      {a === undefined && b === undefined ? (
        <span className="muted">{t.cursorHint}</span>
      ) : (
        <IconButton icon="close" label={t.clearCursors} onClick={onClear} />
      )}
    </p>
  );
}
