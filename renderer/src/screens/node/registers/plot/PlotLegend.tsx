import { useMemo } from 'react';
import { Button } from '../../../../components/Button.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { formatClock } from '../../../../format/time.ts';
import { formatField, formatWord, hexAddress, type NumberFormat } from '../../../../format/words.ts';
import type { Transaction } from '../../../../state/registers/transactions.ts';
import { lastValuesOf } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { fieldOf, widthOf } from '../map/register-map.ts';
import { type Limits, sideOf } from './crossings.ts';
import { type Curve, colourOf, dashOf, type Lane } from './draw.ts';
import { LimitFields } from './LimitFields.tsx';

const t = text.registers.plotting;
/** Distance of the cursor from a write that names it, seconds. */
const NEAR = 0.25;

interface Props {
  node: number;
  curves: readonly Curve[];
  lanes: readonly Lane[];
  list: readonly Transaction[];
  /** Seconds since 1970. */
  cursor: number | undefined;
  markers: readonly number[];
  format: NumberFormat;
  onLimits(address: number, limits: Limits): void;
  onClearMarkers(): void;
}

/** The difference of two words as displayed: signed, or the shorter way round 32 bits. */
function difference(from: number | undefined, to: number | undefined, format: NumberFormat): string {
  if (from === undefined || to === undefined) return '–';
  const by = format === 'signed' ? (to | 0) - (from | 0) : to - from;
  const size = formatWord(Math.abs(by), format === 'signed' ? 'decimal' : format);
  return by === 0 ? '0' : `${by < 0 ? '−' : '+'}${size}`;
}

/** Seconds with a sign. */
const timeBetween = (a: number, b: number): string => {
  const by = b - a;
  const size = Math.abs(by) < 1 ? `${(Math.abs(by) * 1000).toFixed(1)} ms` : `${Math.abs(by).toFixed(3)} s`;
  return `${by < 0 ? '−' : ''}${size} (${Math.abs(by) > 0 ? `${(1 / Math.abs(by)).toPrecision(3)} Hz` : '–'})`;
};

/** A sign beside a value outside its limits. */
function LimitMark({ curve: { limits = {} }, word }: { curve: Curve; word: number | undefined }) {
  const side = word === undefined ? undefined : sideOf(word, limits);
  if (side === undefined) return null;
  return (
    <span className="text-bad" title={t.outside[side]}>
      <Icon name={side === 'above' ? 'up' : 'down'} size={13} />
      <span className="sr-only">{t.outside[side]} </span>
    </span>
  );
}

/** The values at the cursor, or the latest, and at both markers with their difference. */
export function PlotLegend({
  node,
  curves,
  lanes,
  list,
  cursor,
  markers,
  format,
  onLimits,
  onClearMarkers,
}: Props) {
  const [a, b] = markers;
  const near = useMemo(
    () =>
      cursor === undefined
        ? undefined
        : list.findLast(({ request, at }) => request.op === 1 && Math.abs(at / 1000 - cursor) < NEAR),
    [list, cursor],
  );
  const word = (value: number | undefined) => (value === undefined ? '–' : formatWord(value, format));
  const now = ({ address, series }: Curve, time: number | undefined) =>
    time === undefined ? lastValuesOf(node).get(address)?.value : series.valueAt(time);
  return (
    <div className="plot-legend">
      <p className="plot-readout num" role="status">
        {cursor !== undefined && <span>{formatClock(cursor * 1000)}</span>}
        {a !== undefined && b !== undefined && (
          <span>
            Δt <strong>{timeBetween(a, b)}</strong>
          </span>
        )}
        {near && (
          <span className="text-warn">
            {t.written(hexAddress(near.request.address), word(near.data[0]), near.count)}
          </span>
        )}
        {a !== undefined && (
          <Button kind="quiet" className="push" onClick={onClearMarkers}>
            {t.clearMarkers}
          </Button>
        )}
      </p>
      <table className="plot-values">
        <thead>
          <tr>
            <th scope="col">{text.registers.name}</th>
            <th scope="col" className="num">
              {cursor === undefined ? t.latest : t.atCursor}
            </th>
            {a !== undefined && (
              <th scope="col" className="num" title={formatClock(a * 1000)}>
                A
              </th>
            )}
            {b !== undefined && (
              <>
                <th scope="col" className="num" title={formatClock(b * 1000)}>
                  B
                </th>
                <th scope="col" className="num">
                  Δ
                </th>
              </>
            )}
            {curves.length > 0 && (
              <>
                <th scope="col">{t.below}</th>
                <th scope="col">{t.above}</th>
              </>
            )}
          </tr>
        </thead>
        <tbody>
          {curves.map((curve, index) => (
            <tr key={curve.address}>
              <th scope="row">
                <svg width="28" height="8" aria-hidden="true" className={`plot-key ${colourOf(index)}`}>
                  <line x1="0" y1="4" x2="28" y2="4" strokeDasharray={dashOf(index).join(' ')} />
                </svg>
                <span className="mono">{curve.name}</span>
              </th>
              <td className="num">
                <LimitMark curve={curve} word={now(curve, cursor)} />
                {word(now(curve, cursor))}
              </td>
              {a !== undefined && <td className="num">{word(curve.series.valueAt(a))}</td>}
              {a !== undefined && b !== undefined && (
                <>
                  <td className="num">{word(curve.series.valueAt(b))}</td>
                  <td className="num">
                    {difference(curve.series.valueAt(a), curve.series.valueAt(b), format)}
                  </td>
                </>
              )}
              <LimitFields
                name={curve.name}
                limits={curve.limits}
                format={format}
                onChange={(own) => onLimits(curve.address, own)}
              />
            </tr>
          ))}
          {lanes.map((lane) => {
            const { name, field, series } = lane;
            const shown = (value: number | undefined) => {
              if (value === undefined) return '–';
              const bits = fieldOf(value, field);
              return field.values?.[bits] ?? formatField(bits, widthOf(field), format);
            };
            return (
              <tr key={name}>
                <th scope="row">
                  <span className="mono plot-lane">{name}</span>
                </th>
                <td className="num">{shown(now(lane, cursor))}</td>
                {a !== undefined && <td className="num">{shown(series.valueAt(a))}</td>}
                {b !== undefined && (
                  <>
                    <td className="num">{shown(series.valueAt(b))}</td>
                    <td />
                  </>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
