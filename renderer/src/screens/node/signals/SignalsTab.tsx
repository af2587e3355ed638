// The Signals tab.
import './signals.css';
import { useCallback, useContext, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import type { Job } from '../../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import type {
  CaptureFormat,
  CaptureUsing,
  SignalList,
} from '../../../../../server/contract/signals/signals.ts';
import type { WaveRow, Waves } from '../../../../../server/contract/signals/waves.ts';
import { Button } from '../../../components/Button.tsx';
import { saveFile } from '../../../components/clipboard.ts';
import { EmptyState, ErrorState, Loading } from '../../../components/Empty.tsx';
import { Split } from '../../../components/Split.tsx';
import { formatCount } from '../../../format/size.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { joinedSessions, partOf } from '../../../state/actions/holding.ts';
import { useBench } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';
import { href, type Look } from '../../../state/page/routes.ts';
import { text } from '../../../text/text.ts';
import { HolderBar } from '../registers/HolderBar.tsx';
import { adoptMap, useMaps, viewOf } from '../registers/map/map-store.ts';
import { CaptureForm } from './CaptureForm.tsx';
import { ClockBar } from './ClockBar.tsx';
import { captureForms, emptyForm, formFor, requestOf } from './capture-form.ts';
import { CaptureBar } from './captures/CaptureBar.tsx';
import { useCaptures } from './captures/use-captures.ts';
import { namesFromMap } from './map-names.ts';
import { Picker } from './Picker.tsx';
import { chosenCores, RecordingContext, recordedOf, recordingBy } from './recording-by.ts';
import { useRecorder } from './use-recorder.ts';
import { useLiveValues, useSignalList } from './use-signals.ts';
import { useWaves } from './use-waves.ts';
import { lanesOf, namesOfRows, type SignalsByName } from './waves/lanes.ts';
import { transfersOf } from './waves/transactions.ts';
import { WaveView } from './waves/WaveView.tsx';

const t = text.signals;
const NO_NAMES: readonly string[] = [];

/** The register map of the design, for named values. */
function useDesignMap(node: NodeView, owned: boolean) {
  const client = useBench();
  const { design } = node;
  const name = design?.module ?? design?.filename ?? 'design';
  const id = design?.design_id ?? undefined;
  useQuery(
    id === undefined ? undefined : ['register map', name, id, owned],
    (_, signal, [, name, id, owned]) => adoptMap(client, { name, id }, owned, signal),
    { live: true },
  );
  return viewOf(useMaps(), { name, id }).inUse;
}

interface BenchProps {
  node: NodeView;
  build: Job | undefined;
  list: SignalList;
  look: Look | undefined;
}

function SignalBench(props: BenchProps) {
  const { node } = props;
  const locked = partOf(useBench(), node) === 'viewer';
  const { document: waves, change } = useWaves(node.design?.design_id ?? null, !locked);
  return waves === undefined ? <Loading /> : <WatchedSignals {...props} waves={waves} onWaves={change} />;
}

interface WatchedProps extends BenchProps {
  waves: Waves;
  onWaves(waves: Waves): void;
}

function WatchedSignals({ node, build, list, look, waves, onWaves }: WatchedProps) {
  const { rows: kept, markers } = waves;
  const change = (rows: readonly WaveRow[]) => onWaves({ ...waves, rows: [...rows] });
  const client = useBench();
  const { fpga_id: id, design } = node;
  useStore(joinedSessions);
  const part = partOf(client, node);
  const locked = part === 'viewer';
  const map = useDesignMap(node, part === 'holder');
  const namesOf = useCallback((name: string, width: number) => namesFromMap(map, name, width), [map]);
  const designId = design?.design_id ?? null;
  const captures = useCaptures(id, design?.build_id, designId, look);
  const { capture, traces, comparison, error } = captures;
  // Recordings of other callers and scripts appear without a choice here.
  const rows = useMemo(
    (): readonly WaveRow[] =>
      kept.length > 0 || !traces
        ? kept
        : traces.samples.view.signals.map(({ name }) => ({ kind: 'signal', name })),
    [kept, traces],
  );
  const [watched, setWatched] = useState<readonly string[] | undefined>(NO_NAMES);
  const by = useContext(RecordingContext);
  const signals = useMemo(() => recordedOf(list, by), [list, by]);
  const known = useMemo((): SignalsByName => new Map(signals.map((one) => [one.name, one])), [signals]);
  const names = useMemo(
    () => [
      ...new Set([
        ...namesOfRows(rows),
        ...signals.filter(({ lost, width }) => lost < width).map(({ name }) => name),
      ]),
    ],
    [rows, signals],
  );
  // Without values the clock's state is still polled; a real board has neither.
  const live = useLiveValues(id, by.virtual ? (watched ?? NO_NAMES) : undefined);
  const recorder = useRecorder(id, live.reload);
  const transfers = useMemo(() => (traces ? transfersOf(traces) : null), [traces]);
  const lanes = useMemo(
    () => lanesOf(rows, known, namesOf, transfers !== null && transfers.count > 0),
    [rows, known, namesOf, transfers],
  );
  // Whoever has chosen signals looks at the waveforms.
  const [listed, setListed] = useState(kept.length === 0);
  const form = useStore(captureForms, (all) => all[id]) ?? emptyForm(by);
  const until =
    by.using !== 'inside' || form.kind === 'now' || capture?.state === 'running'
      ? undefined
      : requestOf({ ...form, after: 'until' }, rows, known, namesOf);
  const chosen = useMemo(
    () => new Set(rows.flatMap((row) => (row.kind === 'signal' ? [row.name] : []))),
    [rows],
  );
  const toggle = (names: readonly string[], wanted: boolean) => {
    if (!wanted) return change(rows.filter((row) => row.kind !== 'signal' || !names.includes(row.name)));
    const added = names.filter((name) => !chosen.has(name));
    change([...rows, ...added.map((name) => ({ kind: 'signal' as const, name }))]);
  };
  const record = (using: CaptureUsing) => {
    chosenCores.setState({ [list.build_id]: using === 'core' });
    captureForms.setState({ [id]: formFor(form, recordingBy(list, using === 'core')) });
  };
  const save = async (format: Exclude<CaptureFormat, 'bin'>) => {
    const view = traces?.samples.view;
    if (!view) return;
    try {
      const { capture_id } = view;
      const bytes =
        captures.shown?.of === 'design' && designId !== null
          ? await client.service.exportDesignCapture({ design_id: designId, capture_id, format })
          : await client.service.exportCapture({ fpga_id: id, capture_id, format });
      const type = format === 'json' ? 'application/json' : 'text/plain';
      await saveFile(`${design?.module ?? 'capture'}-${id}.${format}`, bytes, type);
    } catch (refusal) {
      showRefusal(client, refusal);
    }
  };
  return (
    <div className="signals">
      <HolderBar node={node} part={part} />
      <div className="signals-bar">
        <Button
          kind="quiet"
          icon={listed ? 'left' : 'right'}
          aria-expanded={listed}
          onClick={() => setListed(!listed)}
        >
          {listed ? t.hideList : t.listOpen}
        </Button>
        {by.virtual ? (
          <ClockBar
            live={live.data}
            recorder={recorder}
            locked={locked}
            until={until && 'request' in until ? until.request : undefined}
          />
        ) : (
          <p className="clock-note muted">
            {by.using === null ? t.realBoard : t.byCore(by.bits, formatCount(by.samples))}
          </p>
        )}
        {locked && <p className="muted">{by.virtual ? t.onlyHolder : t.onlyHolderRecords}</p>}
      </div>
      <div className="signals-body" data-listed={listed}>
        <Split
          id="signal-list"
          label={t.listWidth}
          sized="first"
          initial={240}
          min={160}
          max={560}
          first={
            listed && (
              <Picker
                signals={signals}
                omitted={list.omitted}
                module={design?.module ?? ''}
                chosen={chosen}
                onToggle={toggle}
              />
            )
          }
          second={
            <div className="signals-main">
              <div className="recordings">
                {by.using !== null && (
                  <CaptureForm
                    fpgaId={id}
                    rows={rows}
                    known={known}
                    onUsing={by.virtual && list.core ? record : undefined}
                    namesOf={namesOf}
                    capture={capture}
                    recorder={recorder}
                    locked={locked}
                    paused={live.data?.paused === true}
                  />
                )}
                <CaptureBar fpgaId={id} designId={designId} captures={captures} locked={locked} />
                {traces &&
                  (['vcd', 'json'] as const).map((format) => (
                    <Button
                      key={format}
                      kind="quiet"
                      icon="download"
                      aria-label={t.export(format.toUpperCase())}
                      title={t.export(format.toUpperCase())}
                      onClick={() => void save(format)}
                    >
                      {format.toUpperCase()}
                    </Button>
                  ))}
              </div>
              {error !== undefined && <ErrorState error={error} />}
              {by.using === null ? (
                <EmptyState
                  icon="plot"
                  title={t.noProbes}
                  action={
                    <a href={href({ kind: 'node', node: id, tab: 'design', job: undefined })}>
                      {text.registers.toDesign}
                    </a>
                  }
                  text={t.noProbesText}
                />
              ) : rows.length === 0 ? (
                <EmptyState
                  icon="eye"
                  title={t.nothingWatched}
                  text={by.virtual ? t.nothingWatchedText : t.nothingWatchedCore}
                />
              ) : (
                <WaveView
                  lanes={lanes}
                  rows={rows}
                  onRows={change}
                  markers={markers}
                  onMarkers={(next) => onWaves({ ...waves, markers: next })}
                  live={live.data}
                  traces={traces}
                  transfers={transfers}
                  comparison={comparison?.isPossible ? comparison : undefined}
                  names={names}
                  title={`${design?.module ?? 'capture'}-${id}`}
                  job={build}
                  onWatch={setWatched}
                />
              )}
            </div>
          }
        />
      </div>
    </div>
  );
}

/** The Signals tab: live values of the running design, and recordings clock by clock. */
export default function SignalsTab({ node, build, look }: Omit<BenchProps, 'list'>) {
  const runs = node.state === 'reserved' && node.session !== null && !node.resetting;
  const buildId = runs ? node.design?.build_id : undefined;
  const list = useSignalList(node.fpga_id, buildId);
  const byCore = useStore(chosenCores, (all) => buildId !== undefined && all[buildId]);
  const by = useMemo(() => list.data && recordingBy(list.data, byCore), [list.data, byCore]);
  if (buildId === undefined)
    return (
      <EmptyState
        icon="signals"
        title={t.notReserved}
        action={
          <a href={href({ kind: 'node', node: node.fpga_id, tab: 'design', job: undefined })}>
            {text.registers.toDesign}
          </a>
        }
        text={t.notReservedText}
      />
    );
  if (list.data && by)
    return (
      <RecordingContext value={by}>
        <SignalBench key={buildId} node={node} build={build} list={list.data} look={look} />
      </RecordingContext>
    );
  if (list.error !== undefined) return <ErrorState error={list.error} onRetry={list.reload} />;
  return <Loading />;
}
