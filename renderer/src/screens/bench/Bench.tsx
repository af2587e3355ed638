// The Bench screen: the rack of nodes, with filters.
import { Suspense, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { Button, IconButton } from '../../components/Button.tsx';
import { EmptyState, Loading } from '../../components/Empty.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import { SearchField } from '../../components/SearchField.tsx';
import { Segmented } from '../../components/Segmented.tsx';
import { useShortcuts } from '../../components/shortcuts.ts';
import { useMedia } from '../../components/use-media.ts';
import { useBench, useBenchStore, useNode, useNodes, usePreference } from '../../state/client/context.tsx';
import { useHomeTab } from '../../state/nodes/home-tab.ts';
import { isRackFolded, ROOM_FOR_BOTH, rackPlaceOf } from '../../state/page/rack-fold.ts';
import { navigate } from '../../state/page/router.ts';
import type { NodeTab } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import './bench.css';
import { FirstRun } from './FirstRun.tsx';
import { NodeCard } from './NodeCard.tsx';
import { RackStrip } from './RackStrip.tsx';
import { moveInRack } from './rack-keys.ts';

// Most benches know no other one.
const OtherBenches = lazyComponent(() => import('./OtherBenches.tsx'));

const t = text.bench;

const toWall = () => navigate({ kind: 'wall' });

const STATE_FILTERS = ['all', 'idle', 'busy', 'reserved', 'error'] as const;
type StateFilter = (typeof STATE_FILTERS)[number];

const groupOf = (node: NodeView): StateFilter =>
  node.state === 'idle' || node.state === 'reserved' || node.state === 'error' ? node.state : 'busy';

function fits(node: NodeView, state: StateFilter, query: string): boolean {
  if (state !== 'all' && groupOf(node) !== state) return false;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const all = [
    `${node.fpga_id}`,
    node.state,
    node.session?.owner,
    node.board.name,
    node.board.id,
    node.design?.filename,
    node.design?.module,
  ]
    .filter(Boolean)
    .join(' ')
    .toLowerCase();
  return words.every((word) => all.includes(word));
}

export function Counts({ nodes }: { nodes: readonly NodeView[] }) {
  const counts = new Map<string, number>();
  for (const { state } of nodes) counts.set(text.state[state], (counts.get(text.state[state]) ?? 0) + 1);
  return (
    <p className="bench-counts muted">
      {[...counts].map(([word, count]) => t.counts(count, word)).join(' · ')}
    </p>
  );
}

/** Ten placeholders of a card's size: the layout does not jump when the nodes arrive. */
export function Placeholder() {
  return (
    <ol className="rack" aria-busy="true" aria-label={text.loading}>
      {Array.from({ length: 10 }, (_, id) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the nodes' numbers are their names
        <li key={id} className="card card-waiting">
          <span className="card-slot">{id}</span>
        </li>
      ))}
    </ol>
  );
}

/** Whether the rack is a strip next to the open node, and how the person changes that. */
function useFold(selected: number | undefined, tab: NodeTab | undefined) {
  const client = useBench();
  const home = useHomeTab(useNode(selected ?? -1));
  const beside = useMedia('(min-width: 1440px)') && selected !== undefined;
  const roomForBoth = useMedia(`(min-width: ${ROOM_FOR_BOTH}px)`);
  const choices = usePreference('rackFolded');
  const place = rackPlaceOf(tab ?? home ?? 'registers', roomForBoth);
  const folded = beside && isRackFolded(choices, place);
  const fold = () => client.preferences.setState({ rackFolded: { ...choices, [place]: !folded } });
  return { beside, folded, fold };
}

/** The ten nodes: the whole screen, or a column or a strip next to the open node. */
export function Bench({ selected, tab }: { selected: number | undefined; tab?: NodeTab | undefined }) {
  const client = useBench();
  const nodes = useNodes();
  const { beside, folded, fold } = useFold(selected, tab);
  const foldButton = useRef<HTMLButtonElement>(null);
  const [state, setState] = useState<StateFilter>('all');
  const [query, setQuery] = useState('');
  const alone = useBenchStore(
    (of) => of.benches,
    ({ benches }) => (benches ?? []).length === 0,
  );
  const shown = nodes?.filter((node) => fits(node, state, query)) ?? [];

  const group = text.shell.shortcutGroups.general;
  useShortcuts(
    selected === undefined
      ? [{ keys: 'f', label: t.toWall, group, run: toWall }]
      : beside
        ? [{ keys: 'b', label: folded ? t.unfold : t.fold, group, run: fold }]
        : [],
  );
  const folding = (
    <IconButton
      ref={foldButton}
      icon={folded ? 'unfold' : 'fold'}
      label={folded ? t.unfold : t.fold}
      title={`${folded ? t.unfold : t.fold} (B)`}
      aria-expanded={!folded}
      onClick={() => {
        // The other rack has a button of its own: the focus goes there.
        flushSync(fold);
        foldButton.current?.focus();
      }}
    />
  );
  if (folded && selected !== undefined)
    return (
      <section className="bench bench-beside bench-strip" aria-label={t.title}>
        {folding}
        {nodes && <RackStrip nodes={nodes} selected={selected} />}
      </section>
    );

  return (
    <section className={`bench ${selected === undefined ? '' : 'bench-beside'}`} aria-label={t.title}>
      <header className="bench-head">
        <h1>{client.at?.name ?? t.title}</h1>
        {nodes && <Counts nodes={nodes} />}
        {nodes && selected === undefined && <p className="bench-hint muted">{t.howToBegin}</p>}
        <div className="bench-filters">
          <SearchField
            className="bench-query"
            label={t.filter}
            placeholder={t.filterPlaceholder}
            value={query}
            onChange={setQuery}
            onEnter={() => {
              if (shown[0])
                navigate({ kind: 'node', node: shown[0].fpga_id, tab: undefined, job: undefined });
            }}
          />
          {beside ? folding : <IconButton icon="wall" label={t.toWall} onClick={toWall} />}
          <Segmented<StateFilter>
            label={t.filterState}
            value={state}
            onChange={setState}
            options={STATE_FILTERS.map((id) => ({ id, label: t.filters[id] }))}
          />
        </div>
      </header>
      {selected === undefined && <FirstRun />}
      {/* Nothing before the nodes are known: the offer of the first run would move placeholders. */}
      {nodes === undefined ? (
        <Loading />
      ) : shown.length === 0 ? (
        <EmptyState
          icon="search"
          title={alone ? t.noneFit : t.noneFitHere}
          action={
            <Button
              onClick={() => {
                setQuery('');
                setState('all');
              }}
            >
              {t.clearFilter}
            </Button>
          }
        />
      ) : (
        <ol className="rack" aria-label={t.nodes} onKeyDown={moveInRack}>
          {shown.map((node) => (
            <NodeCard key={node.fpga_id} node={node} selected={node.fpga_id === selected} />
          ))}
        </ol>
      )}
      <Suspense fallback={null}>{!alone && <OtherBenches query={query} state={state} />}</Suspense>
    </section>
  );
}
