import { Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { EmptyState, Loading } from '../../components/Empty.tsx';
import { type Shortcut, useShortcuts } from '../../components/shortcuts.ts';
import { Tabs } from '../../components/Tabs.tsx';
import { isBuilding } from '../../format/job.ts';
import { cancelJob, releaseNode, resetNode, showRefusal, stopBuild } from '../../state/actions/actions.ts';
import { useBench, useBenchStore, useNode } from '../../state/client/context.tsx';
import { droppedFiles } from '../../state/drafts/dropped-files.ts';
import { dropOn, submitWay } from '../../state/drafts/submission.ts';
import { useHomeTab } from '../../state/nodes/home-tab.ts';
import { navigate, navigateLater } from '../../state/page/router.ts';
import { NODE_TABS, type NodeTab, type Route } from '../../state/page/routes.ts';
import { useSharedView } from '../../state/page/share.ts';
import { text } from '../../text/text.ts';
import { FirstRunResult } from './FirstRunResult.tsx';
import { NodeHeader } from './NodeHeader.tsx';
import { NodeNotes } from './NodeNotes.tsx';
import './node.css';
import { useJobHistory } from '../../state/client/use-job-history.ts';
import { TABS } from './tabs.tsx';

const t = text.node;

/** The tabs that show one build. */
const SHOWS_BUILD = new Set<NodeTab>(['design', 'report', 'floorplan']);

type NodeRoute = Extract<Route, { kind: 'node' }>;

function useNodeShortcuts(node: NodeView): void {
  const client = useBench();
  const id = node.fpga_id;
  const current = useBenchStore(
    ({ jobs }) => jobs,
    ({ byId }) => (node.current_job_id ? byId.get(node.current_job_id) : undefined),
  );
  const tab = (name: NodeTab) => () => navigate({ kind: 'node', node: id, tab: name, job: undefined });
  const focus = (tabName: NodeTab, selector: string) => () => {
    // Render within this key press: the next key would otherwise reach the old view.
    flushSync(tab(tabName));
    document.querySelector<HTMLElement>(selector)?.focus();
  };
  const group = text.shell.shortcutGroups.node;
  const registers = TABS.registers.focus?.selector ?? '';
  const shortcuts: Shortcut[] = [
    { keys: 's', label: t.submit, group, run: focus('design', '[data-submit]') },
    { keys: 'w', label: text.registers.keyWrite, group, run: focus('registers', registers) },
    ...NODE_TABS.map((name): Shortcut => {
      const { keys, focus: place, icon, words } = TABS[name];
      return {
        keys,
        label: place?.label ?? text.nodeActions.tabs[name],
        group,
        run: place ? focus(name, place.selector) : tab(name),
        command: {
          label: `${text.nodeActions.tabs[name]} · ${text.bench.node(id)}`,
          icon,
          words,
          run: tab(name),
        },
      };
    }),
  ];
  if (node.session && !node.resetting)
    shortcuts.push({
      keys: 'shift+Delete',
      label: text.nodeActions.release,
      group,
      run: () => releaseNode(client, node),
    });
  if (current?.status === 'queued')
    shortcuts.push({
      keys: 'shift+Backspace',
      label: text.nodeActions.cancelJob,
      group,
      run: () => cancelJob(client, current),
    });
  if (current && isBuilding(current))
    shortcuts.push({
      keys: 'shift+Backspace',
      label: text.nodeActions.stopBuild,
      group,
      run: () => stopBuild(client, current),
    });
  if (node.state === 'error' && !node.resetting)
    shortcuts.push({
      keys: 'shift+r',
      label: text.nodeActions.reset,
      group,
      run: () => resetNode(client, node),
    });
  useShortcuts(shortcuts);
}

function OpenNode({ node, route }: { node: NodeView; route: NodeRoute }) {
  const client = useBench();
  const id = node.fpga_id;
  const home = useHomeTab(node);
  const tab = route.tab ?? home ?? 'design';
  const jobs = useJobHistory(id);
  const [over, setOver] = useState(false);
  useNodeShortcuts(node);
  const droppable = submitWay(node, client.owner).kind !== 'never';
  const builds = jobs.list.filter(({ type }) => type === 'build_and_program');
  const chosen = route.job ? jobs.list.find(({ job_id }) => job_id === route.job) : undefined;
  const build = chosen?.type === 'build_and_program' ? chosen : builds[0];
  // A link leads to the build that is looked at, also when there is a newer one.
  useSharedView(() => ({ job: SHOWS_BUILD.has(tab) ? build?.job_id : undefined }));
  const { Tab } = TABS[tab];
  return (
    // Dropping a file anywhere on the node chooses it; the button of the drop zone does the same.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div
      className={`node ${over ? 'node-over' : ''}`}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        event.dataTransfer.dropEffect = droppable ? 'copy' : 'none';
        setOver(droppable);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (!droppable) return;
        const go = navigateLater();
        droppedFiles(event.dataTransfer)
          .then((files) => dropOn(client, node, files, go))
          .catch((refusal: unknown) => showRefusal(client, refusal));
      }}
    >
      <NodeHeader node={node} />
      <Tabs
        label={t.tabsLabel(id)}
        active={tab}
        aside={<NodeNotes node={node} />}
        onSelect={(to) => navigate({ kind: 'node', node: id, tab: to, job: route.job })}
        tabs={NODE_TABS.map((name) => ({
          id: name,
          label: text.nodeActions.tabs[name],
          mark: TABS[name].mark?.({ jobs }),
        }))}
      >
        <FirstRunResult node={node} />
        <Suspense fallback={<Loading />}>
          <Tab
            key={`${tab} ${JSON.stringify(route.look ?? '')}`}
            node={node}
            route={route}
            jobs={jobs}
            builds={builds}
            build={build}
          />
        </Suspense>
      </Tabs>
    </div>
  );
}

export default function NodeScreen({ route }: { route: NodeRoute }) {
  const node = useNode(route.node);
  const known = useBenchStore(
    ({ nodes }) => nodes,
    ({ nodes }) => nodes !== undefined,
  );
  if (node) return <OpenNode node={node} route={route} />;
  if (!known) return <Loading />;
  return <EmptyState icon="search" title={text.shell.notFound} />;
}
