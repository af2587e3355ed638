import { useId, useMemo, useRef, useState } from 'react';
import { ServiceError } from '../../../../../server/contract/client/failures.ts';
import type { Job } from '../../../../../server/contract/jobs/jobs.ts';
import type { Floorplan } from '../../../../../server/contract/signals/floorplan.ts';
import { IconButton } from '../../../components/Button.tsx';
import { EmptyState, ErrorState, Loading } from '../../../components/Empty.tsx';
import { SearchField } from '../../../components/SearchField.tsx';
import { Segmented } from '../../../components/Segmented.tsx';
import { type Query, useQuery } from '../../../state/client/query.ts';
import { navigate } from '../../../state/page/router.ts';
import { href, type Look, type Route } from '../../../state/page/routes.ts';
import { useSharedView } from '../../../state/page/share.ts';
import { text } from '../../../text/text.ts';
import { isTooSlow } from '../use-build-details.ts';
import { ChipCanvas, type ZoomRequest } from './ChipCanvas.tsx';
import { type ColourClass, type Colouring, chipOf, colourClasses, isBench, nameOf } from './chip.ts';
import { instanceName, ModuleTable } from './ModuleTable.tsx';
import type { View } from './view.ts';
import './floorplan.css';

/** Whether a build may have a floorplan: its placement is over. */
const isPlaced = (job: Job | undefined): job is Job =>
  job?.type === 'build_and_program' && (job.status === 'complete' || isTooSlow(job));

/** The floorplan of a build; null without one. */
function useFloorplan(job: Job | undefined): Query<Floorplan | null> {
  return useQuery(
    isPlaced(job) ? ['floorplan', job.fpga_id, job.job_id] : undefined,
    async (service, signal, [, fpga_id, job_id]) => {
      try {
        return await service.getBuildFloorplan({ fpga_id, job_id }, { signal });
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'no_floorplan') return null;
        throw error;
      }
    },
  );
}

const t = text.floorplan;
/** Maximum cells in the list of matches. */
const MAX_FOUND = 20;

const SHOWN_PATHS = ['design', 'all', 'none'] as const;
type ShownPath = (typeof SHOWN_PATHS)[number];

/** Build → its view, for the way back from a source. */
const views = new Map<string, View>();

/** The pointer on the canvas, in pixels, and the cell there. */
interface Pointed {
  cell: number | undefined;
  at: { x: number; y: number } | undefined;
}

const NOTHING: Pointed = { cell: undefined, at: undefined };

function Legend({ classes }: { classes: readonly ColourClass[] }) {
  const labelOf = ({ of }: ColourClass): string => {
    if (of === 'bench') return t.bench;
    if (of === 'others') return t.others;
    if ('kind' in of) return t.kinds[of.kind] ?? of.kind;
    return of.instance === '' ? t.top : of.instance;
  };
  return (
    <ul className="floorplan-legend" aria-label={t.legend}>
      {classes
        .filter(({ count }) => count > 0)
        .map((one) => (
          <li key={labelOf(one)}>
            <span
              className={`floorplan-colour ${one.of === 'bench' ? 'floorplan-colour-bench' : ''}`}
              style={{ background: `var(--${one.token})` }}
              aria-hidden="true"
            />
            <span className="truncate">{labelOf(one)}</span>
            <span className="muted num">{one.count}</span>
          </li>
        ))}
    </ul>
  );
}

/** Facts on a cell: name, kind, whether of the design or the bench, place. */
function CellFacts({
  plan,
  cell: index,
  withSource,
}: {
  plan: Floorplan;
  cell: number;
  withSource: boolean;
}) {
  const cell = plan.cells[index];
  if (!cell) return null;
  const { kind, parts = [], x, y, z, between, file, line, module } = cell;
  const name = nameOf(plan, cell);
  const what = kind === 'logic' ? parts.map((part) => t.parts[part]).join(', ') : (t.kinds[kind] ?? kind);
  const instance = plan.modules[module];
  return (
    <>
      <strong className="mono">{between && name !== '' ? t.towards(name) : name || what}</strong>
      <span>
        {what}, {instance ? `${instanceName(instance)}, ` : ''}
        {isBench(plan, cell) ? t.ofBench : t.ofDesign}
      </span>
      <span className="muted">
        {t.place(x, y, z)}
        {withSource &&
          file !== undefined &&
          line !== undefined &&
          ` · ${t.openSource(plan.files[file] ?? '', line)}`}
      </span>
    </>
  );
}

function Found({ plan, query, onChoose }: { plan: Floorplan; query: string; onChoose(cell: number): void }) {
  const wanted = query.trim().toLowerCase();
  const found = useMemo(
    () =>
      plan.cells.flatMap((cell, index) => (nameOf(plan, cell).toLowerCase().includes(wanted) ? [index] : [])),
    [plan, wanted],
  );
  if (wanted === '') return null;
  return (
    <div className="floorplan-found">
      <p className="muted" role="status">
        {t.found(found.length, MAX_FOUND)}
      </p>
      <ul>
        {found.slice(0, MAX_FOUND).map((index) => {
          const cell = plan.cells[index];
          return (
            cell && (
              <li key={index}>
                <button
                  type="button"
                  className="link-button floorplan-module mono"
                  onClick={() => onChoose(index)}
                >
                  {cell.between ? t.towards(nameOf(plan, cell)) : nameOf(plan, cell)}
                </button>
              </li>
            )
          );
        })}
      </ul>
    </div>
  );
}

function PlacedChip({ plan, job, look = {} }: { plan: Floorplan; job: Job; look: Look | undefined }) {
  const chip = useMemo(() => chipOf(plan), [plan]);
  const [colouring, setColouring] = useState<Colouring>(look['colour'] === 'kind' ? 'kind' : 'module');
  const { classes, of } = useMemo(() => colourClasses(chip, colouring), [chip, colouring]);
  const usualPath: ShownPath = plan.paths.design.length > 0 ? 'design' : 'all';
  const [shownPath, setShownPath] = useState<ShownPath>(
    SHOWN_PATHS.find((path) => path === look['path']) ?? usualPath,
  );
  const [module, setModule] = useState<number | undefined>();
  const [pointed, setPointed] = useState<Pointed>(NOTHING);
  const [query, setQuery] = useState(look['find'] ?? '');
  useSharedView(() => ({
    look: {
      find: query,
      ...(colouring !== 'module' && { colour: colouring }),
      ...(shownPath !== usualPath && { path: shownPath }),
    },
  }));
  const control = useRef<((request: ZoomRequest) => void) | undefined>(undefined);
  const keys = useId();

  const sourceOf = ({ file, line }: { file?: number; line?: number }): Route | undefined => {
    if (file === undefined || line === undefined) return undefined;
    const name = plan.files[file];
    const tab = { kind: 'node', node: job.fpga_id, tab: 'design', job: job.job_id, line } as const;
    return plan.files.length > 1 && name !== undefined ? { ...tab, file: name } : tab;
  };
  const openSource = (cell: number) => {
    const placed = plan.cells[cell];
    const source = placed && sourceOf(placed);
    if (source) navigate(source);
  };
  const design = plan.cells.filter((cell) => !isBench(plan, cell)).length;
  const shown = pointed.cell === undefined ? undefined : plan.cells[pointed.cell];
  const source = shown && sourceOf(shown);
  return (
    <div className="report floorplan">
      <div className="floorplan-bar">
        <span className="muted" aria-hidden="true">
          {t.colouring}
        </span>
        <Segmented<Colouring>
          label={t.colouring}
          options={(['module', 'kind'] as const).map((id) => ({
            id,
            label: t.colourings[id],
            title: t.colouring,
          }))}
          value={colouring}
          onChange={setColouring}
        />
        <span className="muted" aria-hidden="true">
          {t.path}
        </span>
        <Segmented<ShownPath>
          label={t.path}
          options={SHOWN_PATHS.map((id) => ({
            id,
            label: t.paths[id],
            title: t.path,
          }))}
          value={shownPath}
          onChange={setShownPath}
        />
        <SearchField label={t.find} placeholder={t.findPlaceholder} value={query} onChange={setQuery} />
        <span className="row push">
          <IconButton icon="zoomIn" label={t.zoomIn} onClick={() => control.current?.('in')} />
          <IconButton icon="zoomOut" label={t.zoomOut} onClick={() => control.current?.('out')} />
          <IconButton icon="fit" label={t.fit} onClick={() => control.current?.('fit')} />
        </span>
      </div>
      <Found plan={plan} query={query} onChoose={(cell) => setPointed({ cell, at: undefined })} />
      <div className="floorplan-stage">
        <ChipCanvas
          chip={chip}
          classes={classes}
          of={of}
          path={shownPath === 'none' ? [] : plan.paths[shownPath]}
          module={module}
          cell={pointed.cell}
          label={t.chip(plan.part, design, plan.cells.length - design)}
          describedBy={keys}
          initial={views.get(job.job_id)}
          control={control}
          onView={(view) => views.set(job.job_id, view)}
          onCell={(cell, at) =>
            setPointed((now) => (now.cell === cell && !now.at && !at ? now : { cell, at }))
          }
          onChoose={openSource}
        />
        {pointed.cell !== undefined && pointed.at && (
          <div
            className="floorplan-tip"
            aria-hidden="true"
            style={{ left: pointed.at.x + 14, top: pointed.at.y + 14 }}
          >
            <CellFacts plan={plan} cell={pointed.cell} withSource />
          </div>
        )}
        <div className="floorplan-side">
          <Legend classes={classes} />
          <div className="floorplan-facts" role="status">
            {pointed.cell === undefined ? (
              <span className="muted">{t.hint}</span>
            ) : (
              <CellFacts plan={plan} cell={pointed.cell} withSource={false} />
            )}
          </div>
          {source && shown && (
            <a href={href(source)}>{t.openSource(plan.files[shown.file ?? 0] ?? '', shown.line ?? 0)}</a>
          )}
          <p id={keys} className="muted floorplan-keys">
            {t.keys}
          </p>
        </div>
      </div>
      <ModuleTable plan={plan} chosen={module} sourceOf={sourceOf} onChoose={setModule} />
    </div>
  );
}

/** The Floorplan tab: the cells of a build in the chip, and its slowest path. */
export default function FloorplanTab({
  build,
  look,
}: {
  build: Job | undefined;
  /** What a link wants to be shown. */
  look?: Look | undefined;
}) {
  const { data: plan, error } = useFloorplan(build);
  if (!isPlaced(build)) return <EmptyState icon="floorplan" title={t.none} text={t.noneText} />;
  if (error !== undefined) return <ErrorState error={error} />;
  if (plan === undefined) return <Loading />;
  if (plan === null) return <EmptyState icon="floorplan" title={t.notKept} text={t.notKeptText} />;
  return <PlacedChip key={build.job_id} plan={plan} job={build} look={look} />;
}
