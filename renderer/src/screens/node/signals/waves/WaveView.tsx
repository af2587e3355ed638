// The waveform view.
import { type KeyboardEvent, type RefObject, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Job } from '../../../../../../server/contract/jobs/jobs.ts';
import type { SignalValues } from '../../../../../../server/contract/signals/signals.ts';
import type { WaveRow } from '../../../../../../server/contract/signals/waves.ts';
import { Button, IconButton } from '../../../../components/Button.tsx';
import { EmptyState } from '../../../../components/Empty.tsx';
import { text } from '../../../../text/text.ts';
import { RecordingContext } from '../recording-by.ts';
import { CursorBar } from './CursorBar.tsx';
import { type Find, FindBar, find } from './FindBar.tsx';
import { LaneTools } from './LaneTools.tsx';
import { type Lane, sampleNameOf } from './lanes.ts';
import { AXIS, ROW } from './paint.ts';
import type { Span } from './reduce.ts';
import { SourceLine } from './SourceLine.tsx';
import { showing, wholeSpan, within, zoomedAt } from './span.ts';
import type { Traces } from './trace.ts';
import type { TransferTrace } from './transactions.ts';
import { WaveCanvas } from './WaveCanvas.tsx';
import { WaveNames } from './WaveNames.tsx';
import './waves.css';

const t = text.signals;

type Cursors = readonly [number | undefined, number | undefined];
const NO_CURSORS: Cursors = [undefined, undefined];
/** Extra rows around the visible ones, for smooth scrolling. */
const SPARE_ROWS = 6;

interface Props {
  lanes: readonly Lane[];
  rows: readonly WaveRow[];
  onRows(rows: readonly WaveRow[]): void;
  live: SignalValues | undefined;
  traces: Traces | undefined;
  transfers: TransferTrace | null;
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

/** The visible rows of a scrolling element, and the width of its picture. */
function useSight(scroller: RefObject<HTMLElement | null>) {
  const [sight, setSight] = useState({ top: 0, height: 400, width: 600 });
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const look = () => {
      const plot = element.querySelector('.waves-side');
      // In steps of a row: the browser scrolls the rest.
      const top = Math.floor(element.scrollTop / ROW);
      const next = { top, height: element.clientHeight, width: plot?.clientWidth ?? 0 };
      setSight((before) =>
        before.top === next.top && before.height === next.height && before.width === next.width
          ? before
          : next,
      );
    };
    element.addEventListener('scroll', look, { passive: true });
    const sizes = new ResizeObserver(look);
    sizes.observe(element);
    look();
    return () => {
      element.removeEventListener('scroll', look);
      sizes.disconnect();
    };
  }, [scroller]);
  return sight;
}

/** The watched signals with their values, and the waveforms of the last recording. */
export function WaveView(props: Props) {
  const { lanes, rows, onRows, live, traces, transfers, job, onWatch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const [span] = useState(() => createStore<Span>(() => ({ from: 0, perPixel: 1 })));
  const [selected, setSelected] = useState<string | undefined>();
  const [cursors, setCursors] = useState<Cursors>(NO_CURSORS);
  const [what, setWhat] = useState<Find>({ kind: 'change', value: '' });
  const { virtual } = useContext(RecordingContext);
  const { top, height, width } = useSight(scroller);
  const first = Math.max(0, top - SPARE_ROWS);
  const end = Math.min(lanes.length, top + Math.ceil(height / ROW) + SPARE_ROWS);
  const view = traces?.samples.view;
  const cursor = traces ? cursors[0] : undefined;
  const lane = lanes.find(({ key }) => key === selected);
  const ofSignal = lane?.kind === 'signal' ? lane : undefined;

  // A new recording begins with all of it visible.
  const shown = useRef<Traces | undefined>(undefined);
  useEffect(() => {
    if (!traces || shown.current === traces || width === 0) return;
    shown.current = traces;
    span.setState(wholeSpan(traces.samples.view.samples, width));
    setCursors(NO_CURSORS);
  }, [traces, width, span]);

  // Request live values of the visible rows, while live values are shown.
  const watched = lanes
    .slice(first, end)
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
  const mark = (which: 0 | 1, sample: number) =>
    setCursors(([a, b]) => (which === 0 ? [sample, b] : [a, sample]));
  const look = (direction: 'next' | 'previous'): boolean => {
    const sample = find(traces, ofSignal, what, cursor, direction);
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
    if (row * ROW < element.scrollTop) element.scrollTop = row * ROW;
    else if ((row + 1) * ROW + AXIS > element.scrollTop + element.clientHeight)
      element.scrollTop = (row + 1) * ROW + AXIS - element.clientHeight;
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
    return false;
  };
  return (
    <section className="waves" aria-label={t.watched}>
      <div className="waves-tools">
        <LaneTools lane={lane} rows={rows} onChange={onRows} />
        <span className="push" />
        {traces && view && (
          <>
            <FindBar lane={ofSignal} traces={traces} what={what} onChange={setWhat} onFind={look} />
            <span className="waves-zoom">
              <IconButton icon="zoomIn" label={t.zoomIn} onClick={() => zoom(1 / 2)} />
              <IconButton icon="zoomOut" label={t.zoomOut} onClick={() => zoom(2)} />
              <IconButton
                icon="wall"
                label={t.fit}
                onClick={() => span.setState(wholeSpan(samples, width))}
              />
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
        <div className="waves-body" style={{ minHeight: AXIS + lanes.length * ROW }}>
          <WaveNames
            lanes={lanes}
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
            transfers={transfers}
            cursor={cursor}
          />
          <div className="waves-side" style={{ height }}>
            {traces && view ? (
              <WaveCanvas
                contents={{ view, traces, transfers, lanes, selected, cursors }}
                span={span}
                scroller={scroller}
                onCursor={mark}
                onKey={onKey}
              />
            ) : (
              <EmptyState icon="plot" title={t.nothingRecorded}>
                {virtual ? t.nothingRecordedText : t.nothingRecordedCore}
              </EmptyState>
            )}
          </div>
        </div>
      </div>
      {traces && view && (
        <div className="waves-foot">
          <CursorBar view={view} cursors={cursors} onClear={() => setCursors(NO_CURSORS)} />
          <Position span={span} samples={samples} width={width} />
        </div>
      )}
      {ofSignal?.info && <SourceLine job={job} info={ofSignal.info} />}
    </section>
  );
}
