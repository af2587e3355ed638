import { type ButtonHTMLAttributes, type KeyboardEvent, useContext } from 'react';
import { Icon } from '../../../../components/Icon.tsx';
import { text } from '../../../../text/text.ts';
import type { Decoded } from '../decoders/decode.ts';
import type { Comparison } from '../recording/differences.ts';
import { pieceAt, type SignalTrace, type Traces } from '../recording/trace.ts';
import { RecordingContext, useMissing } from '../recording-by.ts';
import { type Lane, type LiveValues, liveValue, type SignalLane } from './lanes.ts';
import { AXIS } from './layout.ts';
import { valueText } from './value-text.ts';

const t = text.signals;

/** The values next to the names: live, or at cursor A. */
interface Values {
  live: LiveValues;
  traces: Traces | undefined;
  comparison?: Comparison | undefined;
  /** Decoded rows, by key. */
  decoded: ReadonlyMap<string, Decoded>;
  cursor: number | undefined;
}

function signalText(lane: SignalLane, values: Values, gone: string): string {
  const { live, traces, comparison, cursor } = values;
  const { name, width, format, names } = lane;
  if (cursor !== undefined) {
    const at = (trace: SignalTrace, sample: number) =>
      valueText(trace.value(pieceAt(trace, sample)), width, format, names, trace.lost);
    const trace = traces?.of(name);
    if (!trace) return t.notRecorded;
    const differences = comparison?.of(name);
    const other = comparison?.traces.of(name);
    return comparison && other && differences?.differs(pieceAt(differences, cursor))
      ? text.captures.differs(at(trace, cursor), at(other, cursor - comparison.shift))
      : at(trace, cursor);
  }
  const now = liveValue(lane, live);
  return now === 'lost' ? gone : now === undefined ? '' : valueText(now, width, format, names);
}

/** The frame at cursor A; without a cursor how many there are, or what to record. */
function frameText(key: string, { decoded, cursor }: Values): string {
  const one = decoded.get(key);
  if (!one) return '';
  if ('missing' in one) return text.decoders.missing(one.missing.join(', '));
  const { frames, baud } = one;
  if (cursor !== undefined) return frames.frame(pieceAt(frames, cursor))?.text ?? '–';
  if (key === 'transfers') return t.transferCount(frames.frames.length);
  const count = text.decoders.count(frames.frames.length);
  return baud === undefined ? count : `${count}, ${text.decoders.atBaud(baud)}`;
}

interface Props extends Values {
  lanes: readonly Lane[];
  /** The beginning of each row, and the end of the last. */
  tops: readonly number[];
  /** Range of the visible rows. */
  first: number;
  end: number;
  selected: string | undefined;
  onSelect(key: string): void;
  onFold(index: number, folded: boolean): void;
}

/** The names of the rows with their values. It renders only the visible ones. */
export function WaveNames({ lanes, tops, first, end, selected, onSelect, onFold, ...values }: Props) {
  const { virtual } = useContext(RecordingContext);
  const move = (event: KeyboardEvent<HTMLElement>, at: number) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    const to = by === undefined ? undefined : lanes[at + by];
    if (!to) return;
    event.preventDefault();
    onSelect(to.key);
    event.currentTarget
      .closest('.waves-names')
      ?.querySelector<HTMLElement>(`[data-row="${at + (by ?? 0)}"]`)
      ?.focus();
  };
  return (
    <div className="waves-names">
      <div className="waves-names-head" style={{ height: AXIS }}>
        <span className="truncate">{t.watched}</span>
        <span>{values.cursor !== undefined ? t.atCursor : virtual ? t.now : ''}</span>
      </div>
      <ul aria-label={t.watched} style={{ height: tops.at(-1) }}>
        {lanes.slice(first, end).map((lane, index) => {
          const row = first + index;
          const chosen = lane.key === selected;
          const button = {
            type: 'button' as const,
            'data-row': row,
            'aria-pressed': chosen,
            onClick: () => onSelect(lane.key),
            onKeyDown: (event: KeyboardEvent<HTMLElement>) => move(event, row),
          };
          return (
            <li
              key={lane.key}
              className={`waves-row waves-${lane.kind}`}
              data-selected={chosen}
              style={{ top: tops[row], height: (tops[row + 1] ?? 0) - (tops[row] ?? 0) }}
            >
              {lane.kind === 'group' ? (
                <>
                  <button
                    type="button"
                    className="waves-fold"
                    aria-expanded={!lane.folded}
                    aria-label={lane.folded ? t.unfold(lane.title) : t.fold(lane.title)}
                    onClick={() => onFold(lane.index, !lane.folded)}
                  >
                    <Icon name={lane.folded ? 'right' : 'down'} size={14} />
                  </button>
                  <button className="waves-name truncate" {...button}>
                    {lane.title}
                  </button>
                  <span className="waves-value muted">{lane.folded ? t.inGroup(lane.count) : ''}</span>
                </>
              ) : lane.kind === 'transfers' || lane.kind === 'decoder' ? (
                <>
                  <button
                    className="waves-name truncate"
                    data-inner={lane.kind === 'decoder' && lane.inGroup}
                    {...button}
                  >
                    {lane.kind === 'decoder' ? lane.title : t.transfers}
                  </button>
                  <span className="waves-value num truncate" title={frameText(lane.key, values)}>
                    {frameText(lane.key, values)}
                  </span>
                </>
              ) : (
                <SignalRow lane={lane} button={button} values={values} />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function SignalRow({
  lane,
  button,
  values,
}: {
  lane: SignalLane;
  button: ButtonHTMLAttributes<HTMLButtonElement>;
  values: Values;
}) {
  const { name, info, inGroup } = lane;
  const missing = useMissing();
  const problem = info === undefined ? t.unknown : undefined;
  const lost = info?.name === name && info.lost > 0 ? missing.bits(info.lost) : undefined;
  return (
    <>
      <button className="waves-name mono truncate" data-inner={inGroup} title={name} {...button}>
        {name}
      </button>
      {lost && (
        <span className="text-warn waves-lost" title={lost}>
          <Icon name="warning" size={12} />
          <span className="sr-only">{lost}</span>
        </span>
      )}
      <span className={`waves-value truncate ${problem ? 'muted' : 'num'}`}>
        {problem ?? signalText(lane, values, missing.gone)}
      </span>
    </>
  );
}
