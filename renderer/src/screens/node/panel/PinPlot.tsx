import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { Pin } from '../../../../../server/contract/nodes/pins.ts';
import { formatBits } from '../../../format/words.ts';
import { usePreference } from '../../../state/client/context.tsx';
import { bitsOf } from '../../../state/pins/pins.ts';
import { pinSamples, pinSeries } from '../../../state/samples/pin-samples.ts';
import type { Series } from '../../../state/samples/series.ts';
import { text } from '../../../text/text.ts';

const t = text.panel;

/** Time span of the plot, s, and redraw interval without changes, ms. */
const SECONDS = 30;
const MOVES_MS = 250;
const WIDTH = 300;
const HEIGHT = 56;
const EDGE = 3;

/** The path of a series up to a time: steps, because a pin holds its value. @param now seconds since 1970 */
function coursePath(series: Series, now: number, low: number, high: number): string {
  const x = (time: number) => (((time - now) / SECONDS + 1) * WIDTH).toFixed(1);
  const y = (value: number) =>
    (high === low
      ? HEIGHT / 2
      : HEIGHT - EDGE - ((value - low) / (high - low)) * (HEIGHT - 2 * EDGE)
    ).toFixed(1);
  const first = Math.max(0, series.indexAt(now - SECONDS));
  let path = '';
  for (let index = first; index < series.length; index += 1) {
    const at = x(Math.max(series.time(index), now - SECONDS));
    path += path === '' ? `M${at} ${y(series.value(index))}` : `H${at}V${y(series.value(index))}`;
  }
  return path === '' ? '' : `${path}H${WIDTH}`;
}

/** The plot of a port over the last half minute, as far as this window has seen it. */
export function PinPlot({ node, pin }: { node: number; pin: Pin }) {
  const format = usePreference('numberFormat');
  const [now, setNow] = useState(() => Date.now() / 1000);
  useStore(pinSamples, (all) => all[node]);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now() / 1000), MOVES_MS);
    return () => clearInterval(timer);
  }, []);
  const series = pinSeries(node, pin.name);
  const end = Math.max(now, series.length === 0 ? now : series.time(series.length - 1));
  const from = Math.max(0, series.indexAt(end - SECONDS));
  const extent = series.extent(from, series.length);
  // A single bit always has both levels.
  const [low, high] = pin.width === 1 ? [0, 1] : [Math.min(extent.low, 0), Math.max(extent.high, 1)];
  // The samples are numbers; wide ports lose their lowest bits here.
  const level = (value: number) =>
    pin.width === 1 ? String(value) : formatBits(BigInt(value), pin.width, format);
  const shown = formatBits(bitsOf(pin.value), pin.width, format);
  return (
    <figure className="pin-plot">
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={t.course(pin.name, shown, SECONDS)}
      >
        <path d={coursePath(series, end, low, high)} />
      </svg>
      <figcaption>
        <span>{t.ago(SECONDS)}</span>
        <span>
          {level(low)} … {level(high)}
        </span>
      </figcaption>
    </figure>
  );
}
