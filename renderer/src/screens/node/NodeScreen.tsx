import { Suspense, useState } from 'react';
import { flushSync } from 'react-dom';
import type { NodeView } from '../../../../server/contract/nodes.ts';
import { EmptyState, Loading } from '../../components/Empty.tsx';
import { later } from '../../components/later.tsx';
import { type Shortcut, useShortcuts } from '../../components/shortcuts.ts';
import { Tabs } from '../../components/Tabs.tsx';
import { isBuilding } from '../../format/job.ts';
import { cancelJob, releaseNode, resetNode, showRefusal, stopBuild } from '../../state/actions.ts';
import { useBench, useBenchStore, useNode } from '../../state/context.tsx';
import { droppedFiles } from '../../state/dropped-files.ts';
import { navigate } from '../../state/router.ts';
import { NODE_TABS, type NodeTab, type Route } from '../../state/routes.ts';
import { dropOn, submitWay } from '../../state/submission.ts';
import { text } from '../../text/text.ts';
import { DesignTab } from './DesignTab.tsx';
import { FloorplanTab } from './floorplan/FloorplanTab.tsx';
import { HistoryTab } from './HistoryTab.tsx';
import { LogPanel } from './log/LogPanel.tsx';
import { NodeHeader } from './NodeHeader.tsx';
import { NodeNotes } from './NodeNotes.tsx';
import { PanelTab } from './panel/PanelTab.tsx';
import { RegistersPanel } from './registers/RegistersPanel.tsx';
import './node.css';
import { useJobHistory } from '../../state/use-job-history.ts';
import { ReportTab } from './ReportTab.tsx';

const SignalsTab = later(() => import('./signals/SignalsTab.tsx'));

const t = text.node;

/** Where a node is opened when no tab is named: where its one primary action is. */
const homeTab = (node: NodeView): NodeTab => (node.state === 'reserved' ? 'registers' : 'design');

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
    // Drawn within this key press: whoever types on would otherwise type shortcuts.
    flushSync(tab(tabName));
    document.querySelector<HTMLElement>(selector)?.focus();
  };
  const group = text.shell.shortcutGroups.node;
  const shortcuts: Shortcut[] = [
    { keys: 's', label: t.submit, group, run: focus('design', '[data-submit]') },
    { keys: 'r', label: text.registers.keyRead, group, run: focus('registers', '[data-register-command]') },
    { keys: 'w', label: text.registers.keyWrite, group, run: focus('registers', '[data-register-command]') },
    { keys: 'l', label: text.acts.tabs.log, group, run: tab('log') },
    { keys: 'd', label: text.acts.tabs.design, group, run: tab('design') },
    { keys: 'p', label: text.acts.tabs.report, group, run: tab('report') },
    { keys: 'c', label: text.acts.tabs.floorplan, group, run: tab('floorplan') },
    { keys: 'i', label: text.acts.tabs.panel, group, run: tab('panel') },
    { keys: 'a', label: text.acts.tabs.signals, group, run: tab('signals') },
    { keys: 'h', label: text.acts.tabs.history, group, run: tab('history') },
  ];
  if (node.session && !node.resetting)
    shortcuts.push({
      keys: 'shift+Delete',
      label: text.acts.release,
      group,
      run: () => releaseNode(client, node),
    });
  if (current?.status === 'queued')
    shortcuts.push({
      keys: 'shift+Backspace',
      label: text.acts.cancelJob,
      group,
      run: () => cancelJob(client, current),
    });
  if (current && isBuilding(current))
    shortcuts.push({
      keys: 'shift+Backspace',
      label: text.acts.stopBuild,
      group,
      run: () => stopBuild(client, current),
    });
  if (node.state === 'error' && !node.resetting)
    shortcuts.push({ keys: 'shift+r', label: text.acts.reset, group, run: () => resetNode(client, node) });
  useShortcuts(shortcuts);
}

function OpenNode({ node, route }: { node: NodeView; route: NodeRoute }) {
  const client = useBench();
  const id = node.fpga_id;
  // Chosen when the node is opened: a tab does not go away under the pointer when the node's state changes.
  const [home] = useState(() => homeTab(node));
  const tab = route.tab ?? home;
  const jobs = useJobHistory(id);
  const [over, setOver] = useState(false);
  useNodeShortcuts(node);
  const droppable = submitWay(node, client.owner).kind !== 'never';
  const builds = jobs.list.filter(({ type }) => type === 'build_and_program');
  const chosen = route.job ? jobs.list.find(({ job_id }) => job_id === route.job) : undefined;
  const build = chosen?.type === 'build_and_program' ? chosen : builds[0];
  return (
    // Dropping a file anywhere on the node chooses it; the button in the drop zone does the same.
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
        void droppedFiles(event.dataTransfer).then((files) =>
          dropOn(client, node, files, (error) => showRefusal(client, error)),
        );
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
          label: text.acts.tabs[name],
          ...(name === 'history' && jobs.list.length > 0 && { mark: jobs.list.length }),
        }))}
      >
        {tab === 'design' && (
          <DesignTab
            node={node}
            build={build}
            file={route.file}
            line={route.line}
            chosen={chosen !== undefined}
          />
        )}
        {tab === 'log' && <LogPanel node={node} jobs={jobs.list} jobId={route.job} />}
        {tab === 'registers' && <RegistersPanel node={node} />}
        {tab === 'panel' && <PanelTab node={node} />}
        {tab === 'signals' && (
          <Suspense fallback={<Loading />}>
            <SignalsTab node={node} build={builds[0]} />
          </Suspense>
        )}
        {tab === 'report' && <ReportTab node={node} build={build} />}
        {tab === 'floorplan' && <FloorplanTab build={build} />}
        {tab === 'history' && <HistoryTab node={node} jobs={jobs} />}
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
