import { useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../../components/Button.tsx';
import { saveFile } from '../../../../components/clipboard.ts';
import { EmptyState } from '../../../../components/Empty.tsx';
import { Menu } from '../../../../components/Menu.tsx';
import { hexAddress } from '../../../../format/words.ts';
import { useBench, usePreference } from '../../../../state/client/context.tsx';
import { offerUndo } from '../../../../state/page/toasts.ts';
import { type Transaction, transactions } from '../../../../state/registers/transactions.ts';
import { clearSeries, isLive, samplesVersion, seriesOf } from '../../../../state/samples/samples.ts';
import { sharedTimes, shareTime } from '../../../../state/samples/shared-time.ts';
import { text } from '../../../../text/text.ts';
import { findByAddress, type RegisterMap } from '../map/register-map.ts';
import { NOT_POLLING, polling } from '../polling.ts';
import type { Curve, Lane, Picture } from './draw.ts';
import { laneKey } from './lanes.ts';
import { limits as limitsStore, NO_LIMITS, setLimits } from './limits.ts';
import { Plot } from './Plot.tsx';
import { PlotLegend } from './PlotLegend.tsx';
import { colours, marked, type PlotView, spanOf, toPng, toSvg, zoomed, zoomedBack } from './plot-view.ts';
import { samplesToCsv } from './samples-file.ts';
import './plot.css';

const t = text.registers.plotting;
/** Visible time spans in seconds; 0 for all. */
const WINDOWS = ['10', '60', '300', '3600', '0'] as const;
type Window = (typeof WINDOWS)[number];
const NO_MARKERS: readonly number[] = [];
const NO_TRANSACTIONS: readonly Transaction[] = [];
/** Update interval of the legend, ms. */
const NUMBERS_MS = 200;

/** The chosen lanes that are still fields of the map. */
const lanesOf = (node: number, map: RegisterMap | undefined, chosen: ReadonlySet<string>): Lane[] =>
  (map?.registers ?? []).flatMap((register) =>
    register.fields
      .filter((field) => chosen.has(laneKey(register.address, field)))
      .map((field) => ({
        address: register.address,
        name: `${register.name}.${field.name}`,
        series: seriesOf(node, register.address),
        live: isLive(node, register.address),
        field,
      })),
  );

interface Props {
  node: number;
  map: RegisterMap | undefined;
}

/** The plot of the marked registers, with the writes. */
export default function PlotPanel({ node, map }: Props) {
  const client = useBench();
  const list = useStore(transactions, ({ byNode }) => byNode[node] ?? NO_TRANSACTIONS);
  const { byAddress, alerts } = useStore(limitsStore, (all) => all[node] ?? NO_LIMITS);
  const { plotted, lanes: chosen } = useStore(polling, (all) => all[node] ?? NOT_POLLING);
  const [, setVersion] = useState(samplesVersion.getState()[node]);
  // The canvas draws every sample; numbers that change faster are unreadable.
  useEffect(() => {
    const timer = setInterval(() => setVersion(samplesVersion.getState()[node]), NUMBERS_MS);
    return () => clearInterval(timer);
  }, [node]);
  const format = usePreference('numberFormat');
  const [span, setSpan] = useState<Window>('60');
  const [view, setView] = useState<PlotView>({ kind: 'follow', seconds: 60 });
  const [separate, setSeparate] = useState(false);
  const shared = useStore(sharedTimes, (all) => all[node]);
  const [second, setSecond] = useState<number | undefined>();
  /** Whether markers were set since the plot is open. */
  const marking = useRef(false);
  const [cursor, setCursor] = useState<number | undefined>();
  const panel = useRef<HTMLElement>(null);
  const writes = useMemo(
    () => list.flatMap(({ request, state, at }) => (request.op === 1 && state === 'ok' ? [at / 1000] : [])),
    [list],
  );
  const curves = [...plotted].map(
    (address): Curve => ({
      address,
      name: findByAddress(map, address)?.name ?? hexAddress(address),
      series: seriesOf(node, address),
      live: isLive(node, address),
      limits: byAddress[address],
      alerts: alerts.filter((alert) => alert.address === address).map(({ time }) => time),
    }),
  );
  const lanes = lanesOf(node, map, chosen);
  if (curves.length + lanes.length === 0)
    return (
      <section className="registers-side" aria-label={text.registers.viewNames.plot}>
        <EmptyState icon="plot" title={t.none} text={t.noneText} />
      </section>
    );
  const shown = () => spanOf(view, [...curves, ...lanes], Date.now() / 1000);
  const held = view.kind === 'held';
  // Marker A is also cursor A of the waves. One that was not set here counts where the plot shows its time.
  const [from, to] = shown();
  const isOwn = shared?.by === 'plot' && marking.current;
  const first = shared && (isOwn || (shared.time >= from && shared.time <= to)) ? shared.time : undefined;
  const markers =
    first === undefined ? NO_MARKERS : second === undefined ? [first] : ([first, second] as const);
  const setMarkers = ([a, b]: readonly number[]) => {
    marking.current = true;
    shareTime(node, 'plot', a);
    setSecond(b);
  };
  const exportPicture = async (kind: 'png' | 'svg') => {
    const element = panel.current?.querySelector<HTMLElement>('.plot');
    if (!element) return;
    const [from, to] = shown();
    const picture: Picture = {
      ...{ from, to, now: Date.now() / 1000, curves, lanes, writes, markers, separate, format },
      ...{ cursor: undefined, selection: undefined },
    };
    const size = [element.clientWidth, element.clientHeight] as const;
    const colour = colours(element);
    if (kind === 'svg')
      await saveFile(`node-${node}-plot.svg`, toSvg(picture, size, colour), 'image/svg+xml');
    else await saveFile(`node-${node}-plot.png`, await toPng(picture, size, colour), 'image/png');
  };
  const clear = () => offerUndo(client.toasts, t.cleared, clearSeries(node));
  return (
    <section ref={panel} className="registers-side" aria-label={text.registers.viewNames.plot}>
      <header className="registers-head">
        <label className="row">
          <span className="muted">{t.window}</span>
          <select
            className="input plot-window"
            value={span}
            onChange={(event) => {
              setSpan(event.target.value as Window);
              setView({ kind: 'follow', seconds: Number(event.target.value) });
            }}
          >
            {WINDOWS.map((id) => (
              <option key={id} value={id}>
                {t.windows[id]}
              </option>
            ))}
          </select>
        </label>
        <Button
          kind="quiet"
          icon={held ? 'play' : 'pause'}
          onClick={() => setView(held ? { kind: 'follow', seconds: Number(span) } : zoomed(view, ...shown()))}
        >
          {held ? t.follow : t.hold}
        </Button>
        <Button kind="quiet" icon="left" disabled={!held} onClick={() => setView(zoomedBack(view))}>
          {t.back}
        </Button>
        <label className="check" title={t.separateHint}>
          <input type="checkbox" checked={separate} onChange={(event) => setSeparate(event.target.checked)} />
          {t.separate}
        </label>
        <span className="push" />
        <Menu
          icon="download"
          label={text.registers.export}
          items={() => [
            {
              label: t.exportSamples,
              run: () => void saveFile(`node-${node}-samples.csv`, samplesToCsv(curves), 'text/csv'),
            },
            { label: t.exportPng, run: () => void exportPicture('png') },
            { label: t.exportSvg, run: () => void exportPicture('svg') },
          ]}
        />
        <Button kind="quiet" onClick={clear}>
          {t.clear}
        </Button>
      </header>
      <Plot
        node={node}
        curves={curves}
        lanes={lanes}
        writes={writes}
        view={view}
        markers={markers}
        cursor={cursor}
        separate={separate}
        format={format}
        onCursor={setCursor}
        onZoom={(from, to) => setView((before) => zoomed(before, from, to))}
        onBack={() => setView(zoomedBack)}
        onMark={(time, which) => setMarkers(marked(markers, time, which))}
      />
      <PlotLegend
        node={node}
        curves={curves}
        lanes={lanes}
        list={list}
        cursor={cursor}
        markers={markers}
        format={format}
        onLimits={(address, own) => setLimits(client, node, address, own)}
        onClearMarkers={() => setMarkers(NO_MARKERS)}
      />
    </section>
  );
}
