import type { CaptureView } from '../../../../../../server/contract/signals/signals.ts';
import { IconButton } from '../../../../components/Button.tsx';
import { formatClock } from '../../../../format/time.ts';
import { text } from '../../../../text/text.ts';
import { measure } from '../recording/measure.ts';
import { clocksAt } from '../recording/samples.ts';
import { frequencyText, timeText } from '../recording/time-text.ts';
import type { SignalTrace } from '../recording/trace.ts';

const t = text.signals;

const plain = (count: number): string => count.toLocaleString('en').replace('-', '−');

interface Props {
  view: CaptureView;
  cursors: readonly [number | undefined, number | undefined];
  /** When cursor A was, seconds since 1970, if the plot has marker A there. */
  time: number | undefined;
  /** The selected signal, if it was recorded. */
  trace: SignalTrace | undefined;
  onClear(): void;
}

/** What the selected signal does between the cursors. */
function Measured({
  view,
  trace,
  from,
  to,
}: Omit<Props, 'cursors' | 'time' | 'onClear'> & { from: number; to: number }) {
  if (!trace) return <span className="muted">{t.measureFirst}</span>;
  const { edges, frequency, duty } = measure(view, trace, from, to);
  return (
    <span>
      <span className="mono">{trace.field.name}</span>{' '}
      {trace.field.width > 1 ? t.changeCount(plain(edges), edges) : t.edgeCount(plain(edges), edges)}
      {frequency !== null && ` · ${frequencyText(frequency)}`}
      {duty !== null && ` · ${t.duty(`${Number((duty * 100).toPrecision(4))}`)}`}
    </span>
  );
}

/** The two cursors, their distance, and measurements of the selected signal between them. */
export function CursorBar({ view, cursors, time, trace, onClear }: Props) {
  const [from, to] = cursors;
  const [a, b] = cursors.map((sample) => (sample === undefined ? undefined : clocksAt(view, sample)));
  const { clock_hz: hz } = view;
  const one = (name: string, clocks: number | undefined) =>
    clocks !== undefined && (
      <span className={`cursor-${name}`}>
        <strong>{name.toUpperCase()}</strong> {timeText(clocks, hz)}{' '}
        <span className="muted">{t.clocks(plain(clocks))}</span>
      </span>
    );
  return (
    <div className="waves-cursors num" role="status" aria-label={t.cursors}>
      {one('a', a)}
      {time !== undefined && (
        <span className="muted" title={t.cursorTimeHint}>
          {t.cursorTime(formatClock(time * 1000))}
        </span>
      )}
      {one('b', b)}
      {a !== undefined && b !== undefined && from !== undefined && to !== undefined && (
        <>
          <span>
            Δ <strong>{timeText(b - a, hz)}</strong> {a !== b && `(${frequencyText(hz / Math.abs(b - a))})`}{' '}
            <span className="muted">{t.clocks(plain(b - a))}</span>
          </span>
          <Measured view={view} trace={trace} from={from} to={to} />
        </>
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
    </div>
  );
}
