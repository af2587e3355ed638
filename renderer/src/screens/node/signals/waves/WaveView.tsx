// The waveform view.
import { type KeyboardEvent, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Job } from '../../../../../../server/contract/jobs/jobs.ts';
import type { CaptureView, SignalValues } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveMarker, WaveRow } from '../../../../../../server/contract/signals/waves.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { EmptyState } from '../../../../components/Empty.tsx';
import { Split } from '../../../../components/Split.tsx';
import type { BenchClient } from '../../../../state/client/bench-client.ts';
import { useBench } from '../../../../state/client/context.tsx';
import { sharedTimes, shareTime } from '../../../../state/samples/shared-time.ts';
import { text } from '../../../../text/text.ts';
import { polling } from '../../registers/polling.ts';
import { DecoderDialog } from '../decoders/DecoderDialog.tsx';
import { FramesTable } from '../decoders/FramesTable.tsx';
import { tableOf } from '../decoders/frames-csv.ts';
import type { Comparison } from '../recording/differences.ts';
import type { Span } from '../recording/reduce.ts';
import { clocksAt } from '../recording/samples.ts';
import { showing, wholeSpan, within, zoomedAt } from '../recording/span.ts';
import type { Traces } from '../recording/trace.ts';
import { sampleAtTime, timeOfSample } from '../recording/wall-time.ts';
import { RecordingContext } from '../recording-by.ts';
import { CursorBar } from './CursorBar.tsx';
import { type Find, FindBar, find } from './FindBar.tsx';
import { LaneTools } from './LaneTools.tsx';
import { type Lane, sampleNameOf } from './lanes.ts';
import { AXIS, ROW, rowAt, topsOf } from './layout.ts';
import { Markers, withMarker } from './Markers.tsx';
import { SourceLine } from './SourceLine.tsx';
import type { TransferTrace } from './transactions.ts';
import { useDecoded } from './use-decoded.ts';
import { useSight } from './use-sight.ts';
import { WaveCanvas } from './WaveCanvas.tsx';
import { WaveNames } from './WaveNames.tsx';
import './waves.css';

const t = text.signals;

type Cursors = readonly [number | undefined, number | undefined];
const NO_CURSORS: Cursors = [undefined, undefined];
const NO_MARKERS: readonly WaveMarker[] = [];
/** Extra rows around the visible ones, for smooth scrolling. */
const SPARE_ROWS = 6;
/** Rows whose live values are requested together. */
const WATCHED_BLOCK = 32;

/** When a recording ended, by this computer's clock, seconds since 1970. */
const endOf = (client: BenchClient, { fpga_id, ended_at }: CaptureView): number | undefined =>
  ended_at === null ? undefined : client.lines.of(fpga_id).earlierHere(Date.parse(ended_at)) / 1000;

interface Props {
  lanes: readonly Lane[];
  rows: readonly WaveRow[];
  onRows(rows: readonly WaveRow[]): void;
  markers?: readonly WaveMarker[] | undefined;
  onMarkers(markers: WaveMarker[]): void;
  live: SignalValues | undefined;
  traces: Traces | undefined;
  transfers: TransferTrace | null;
  /** Another recording to compare with. */
  comparison?: Comparison | undefined;
  /** Signals of the design, for decoders. */
  names: readonly string[];
  /** Name of the design, for files. */
  title: string;
  /** The running build, for its source. */
  job: Job | undefined;
  /** Requests live values of signals; undefined while none are shown. */
  onWatch(names: readonly string[] | undefined): void;
}

/** A slider for the position in the recording. */
function Position({ span, samples, width }: { span: StoreApi<Span>; samples: number; width: number }) {
  const { from, perPixel } = useStore(span);
  const room = Math.max(0, samples - width * perPixel);
  return (
    <input
      type="range"
      className="waves-position"
      aria-label={t.scroll}
      min={0}
      max={Math.ceil(room)}
      step={1}
      value={Math.round(from)}
      disabled={room < 1}
      onChange={(event) => span.setState({ from: Number(event.target.value) })}
    />
  );
}

/** The watched signals with their values, and the waveforms of the last recording. */
export function WaveView(props: Props) {
  const {
    lanes,
    rows,
    onRows,
    live,
    traces,
    transfers,
    comparison,
    job,
    onWatch,
    markers = NO_MARKERS,
    onMarkers,
    names,
    title,
  } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [span] = useState(() => createStore<Span>(() => ({ from: 0, perPixel: 1 })));
  const [selected, setSelected] = useState<string | undefined>();
  const [cursors, setCursors] = useState<Cursors>(NO_CURSORS);
  const [what, setWhat] = useState<Find>({ kind: 'change', value: '' });
  const { virtual } = useContext(RecordingContext);
  const client = useBench();
  const { top, height, width } = useSight(scroller, ROW);
  const tops = useMemo(() => topsOf(lanes), [lanes]);
  const first = Math.max(0, rowAt(tops, top) - SPARE_ROWS);
  const end = Math.min(lanes.length, rowAt(tops, top + height) + 1 + SPARE_ROWS);
  const view = traces?.samples.view;
  const cursor = traces ? cursors[0] : undefined;
  const lane = lanes.find(({ key }) => key === selected);
  const ofSignal = lane?.kind === 'signal' ? lane : undefined;

  const decoded = useDecoded(lanes, traces, transfers);
  const framed = useMemo(
    () =>
      lanes.flatMap((one) => {
        const found = decoded.get(one.key);
        return found && 'frames' in found ? [{ lane: one, frames: found.frames }] : [];
      }),
    [lanes, decoded],
  );
  const frames = useMemo(() => new Map(framed.map((one) => [one.lane.key, one.frames])), [framed]);
  const [tabled, setTabled] = useState(false);
  const [adding, setAdding] = useState(false);
  const table = useMemo(
    () =>
      tabled
        ? tableOf(
            framed.map((one) => ({
              title: one.lane.kind === 'decoder' ? one.lane.title : t.transfers,
              frames: one.frames.frames,
            })),
          )
        : [],
    [tabled, framed],
  );

  // A new recording begins with all of it visible, and with cursor A where the plot has its marker.
  const shown = useRef<Traces | undefined>(undefined);
  useEffect(() => {
    if (!traces || shown.current === traces || width === 0) return;
    shown.current = traces;
    const { view } = traces.samples;
    span.setState(wholeSpan(view.samples, width));
    const shared = sharedTimes.getState()[view.fpga_id];
    const ended = endOf(client, view);
    const sample =
      shared?.by === 'plot' && ended !== undefined ? sampleAtTime(view, shared.time, ended) : undefined;
    setCursors([sample, undefined]);
  }, [traces, width, span, client]);

  // Request live values of the visible rows, while live values are shown. In blocks: a scroll is no request per row.
  const watched = lanes
    .slice(first - (first % WATCHED_BLOCK), end + WATCHED_BLOCK - (end % WATCHED_BLOCK))
    .flatMap((one) => (one.kind === 'signal' ? (sampleNameOf(one) ?? []) : []))
    .join('\n');
  useEffect(() => {
    const names = new Set(watched.split('\n').filter((name) => name !== ''));
    onWatch(cursor === undefined ? [...names] : undefined);
  }, [watched, cursor, onWatch]);
  const values = useMemo(() => new Map(live?.signals.map((one) => [one.name, one])), [live]);

  const samples = view?.samples ?? 0;
  const zoom = (factor: number) =>
    span.setState(within(zoomedAt(span.getState(), width / 2, factor), samples, width));
  const toSample = (sample: number) =>
    span.setState(within(showing(span.getState(), sample, width), samples, width));
  const plots = useStore(polling, (all) => (view && all[view.fpga_id]?.plotted.size) ?? 0) > 0;
  const ended = view && endOf(client, view);
  const timeOf = (sample: number) =>
    view && ended !== undefined ? timeOfSample(view, sample, ended) : undefined;
  const mark = (which: 0 | 1, sample: number) => {
    setCursors(([a, b]) => (which === 0 ? [sample, b] : [a, sample]));
    if (which === 0 && view) shareTime(view.fpga_id, 'waves', timeOf(sample));
  };
  const addMarker = () => {
    if (!view) return;
    const { from, perPixel } = span.getState();
    const middle = Math.min(samples - 1, Math.floor(from + (width / 2) * perPixel));
    onMarkers(withMarker(markers, clocksAt(view, cursor ?? middle)));
  };
  const look = (direction: 'next' | 'previous'): boolean => {
    const sample = find({ traces, comparison }, ofSignal, what, cursor, direction);
    if (sample === null) return false;
    mark(0, sample);
    toSample(sample);
    return true;
  };
  const select = (key: string) => {
    setSelected(key);
    const row = lanes.findIndex((one) => one.key === key);
    const element = scroller.current;
    if (!element || row < 0) return;
    const [begin = 0, below = 0] = tops.slice(row);
    if (begin < element.scrollTop) element.scrollTop = begin;
    else if (below + AXIS > element.scrollTop + element.clientHeight)
      element.scrollTop = below + AXIS - element.clientHeight;
  };
  /** Handles the keys that the canvas does not. */
  const onKey = (event: KeyboardEvent): boolean => {
    const at = lanes.findIndex(({ key }) => key === selected);
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (by !== undefined) {
      const next = lanes[Math.max(0, Math.min(lanes.length - 1, at + by))];
      if (next) select(next.key);
      return true;
    }
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined && event.shiftKey) {
      const next = Math.max(0, Math.min(samples - 1, (cursor ?? 0) + step));
      mark(0, next);
      toSample(next);
      return true;
    }
    if (event.key === 'n' || event.key === 'p') {
      look(event.key === 'n' ? 'next' : 'previous');
      return true;
    }
    if (event.key === 'm') {
      addMarker();
      return true;
    }
    return false;
  };
  return (
    <section className="waves" aria-label={t.watched}>
      <div className="waves-tools">
        <LaneTools lane={lane} rows={rows} names={names} onChange={onRows} />
        <Button kind="quiet" icon="plus" onClick={() => setAdding(true)}>
          {text.decoders.add}
        </Button>
        {framed.length > 0 && (
          <Button kind="quiet" aria-pressed={tabled} onClick={() => setTabled(!tabled)}>
            {text.decoders.table}
          </Button>
        )}
        <span className="push" />
        {traces && view && (
          <>
            <FindBar
              lane={ofSignal}
              traces={traces}
              comparison={comparison}
              what={what}
              onChange={setWhat}
              onFind={look}
            />
            <span className="waves-zoom">
              <IconButton icon="zoomIn" label={t.zoomIn} onClick={() => zoom(1 / 2)} />
              <IconButton icon="zoomOut" label={t.zoomOut} onClick={() => zoom(2)} />
              <Button kind="quiet" icon="fit" onClick={() => span.setState(wholeSpan(samples, width))}>
                {t.fit}
              </Button>
              {view.trigger_sample !== null && (
                <Button kind="quiet" onClick={() => toSample(view.trigger_sample ?? 0)}>
                  {t.toTrigger}
                </Button>
              )}
            </span>
          </>
        )}
      </div>
      <div className="waves-scroll" ref={scroller}>
        <div className="waves-body" style={{ minHeight: AXIS + (tops.at(-1) ?? 0) }}>
          <Split
            id="wave-names"
            label={t.namesWidth}
            sized="first"
            initial={240}
            min={120}
            max={600}
            first={
              <WaveNames
                lanes={lanes}
                tops={tops}
                first={first}
                end={end}
                selected={selected}
                onSelect={select}
                onFold={(index, folded) => {
                  const row = rows[index];
                  if (row?.kind === 'group') onRows(rows.with(index, { ...row, folded }));
                }}
                live={values}
                traces={traces}
                decoded={decoded}
                comparison={comparison}
                cursor={cursor}
              />
            }
            second={
              <div className="waves-side" style={{ height }}>
                {traces && view ? (
                  <WaveCanvas
                    contents={{ view, traces, comparison, frames, lanes, selected, cursors, markers }}
                    span={span}
                    scroller={scroller}
                    onCursor={mark}
                    onKey={onKey}
                  />
                ) : (
                  <EmptyState
                    icon="signals"
                    title={t.nothingRecorded}
                    text={virtual ? t.nothingRecordedText : t.nothingRecordedCore}
                  />
                )}
              </div>
            }
          />
        </div>
      </div>
      {traces && view && (
        <div className="waves-foot">
          <CursorBar
            view={view}
            cursors={cursors}
            time={cursor === undefined || !plots ? undefined : timeOf(cursor)}
            trace={ofSignal && traces.of(ofSignal.name)}
            onClear={() => {
              setCursors(NO_CURSORS);
              shareTime(view.fpga_id, 'waves', undefined);
            }}
          />
          <Markers
            view={view}
            markers={markers}
            onChange={onMarkers}
            onAdd={addMarker}
            onGo={(sample) => {
              mark(0, sample);
              toSample(sample);
            }}
          />
          <Position span={span} samples={samples} width={width} />
        </div>
      )}
      {tabled && view && framed.length > 0 && (
        <FramesTable
          view={view}
          rows={table}
          name={title}
          onGo={({ from }) => {
            mark(0, from);
            toSample(from);
          }}
          onClose={() => setTabled(false)}
        />
      )}
      {adding && (
        <DecoderDialog
          title={text.decoders.addTitle}
          names={names}
          onSave={(row) => onRows([...rows, row])}
          onClose={() => setAdding(false)}
        />
      )}
      {ofSignal?.info && <SourceLine job={job} info={ofSignal.info} />}
    </section>
  );
}
