import { useEffect, useMemo } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { formatBits } from '../../format/words.ts';
import { useBench, usePreference } from '../../state/client/context.tsx';
import { PinFeed } from '../../state/pins/pins.ts';
import { pinSamples, pinSeries, pinViewOf, pinViews, pinWidth } from '../../state/samples/pin-samples.ts';
import { text } from '../../text/text.ts';
import { Sparkline } from './Sparkline.tsx';

/** Maximum values for the width. */
const MOST = 120;
/** Maximum nodes to watch for their cards: a browser has six connections to a bench. */
const MAX_WATCHED = 2;
let watched = 0;

/** Watches the pins of a node for its card, up to MAX_WATCHED nodes. Other cards show the events that arrive anyway. */
function useWatched(node: number, shown: boolean): void {
  const client = useBench();
  useEffect(() => {
    if (!shown || watched >= MAX_WATCHED) return;
    watched += 1;
    // The card sets nothing, so the service refuses nothing.
    const close = new PinFeed(client.service, node, () => {}).open();
    return () => {
      watched -= 1;
      close();
    };
  }, [client, node, shown]);
}

/** The pinned port on a node's card: its value and its plot, as far as this window has seen them. */
export function PinnedPin({ node, design }: { node: number; design: NonNullable<NodeView['design']> }) {
  const client = useBench();
  const format = usePreference('numberFormat');
  const written = useStore(pinViews, (views) => views.written);
  useStore(pinSamples, (all) => all[node]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is read again when something was written
  const { pinned } = useMemo(() => pinViewOf(client.memory, design.module), [client, design.module, written]);
  useWatched(node, pinned !== undefined);
  if (pinned === undefined) return null;
  const series = pinSeries(node, pinned);
  const width = pinWidth(node, pinned);
  if (series.length === 0 || width === undefined) return null;
  const values: number[] = [];
  for (let index = Math.max(0, series.length - MOST); index < series.length; index += 1)
    values.push(series.value(index));
  const last = values.at(-1) ?? 0;
  const now = width === 1 ? String(last) : formatBits(BigInt(last), width, format);
  return (
    <div className="card-pinned">
      <span className="card-pinned-value">
        <span className="muted truncate">{pinned}</span>
        <span className="mono">{now}</span>
      </span>
      <Sparkline values={values} label={text.bench.course(pinned, now)} />
    </div>
  );
}
