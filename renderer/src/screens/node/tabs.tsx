import type { ReactNode } from 'react';
import type { Job } from '../../../../server/contract/jobs/jobs.ts';
import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import type { IconName } from '../../components/Icon.tsx';
import { lazyComponent } from '../../components/lazy-component.tsx';
import type { JobHistory } from '../../state/client/use-job-history.ts';
import type { NodeTab, Route } from '../../state/page/routes.ts';
import { text } from '../../text/text.ts';
import { DesignTab } from './DesignTab.tsx';
import { HistoryTab } from './HistoryTab.tsx';
import { LogPanel } from './log/LogPanel.tsx';
import { ReportTab } from './ReportTab.tsx';
import { RegistersPanel } from './registers/RegistersPanel.tsx';

const PanelTab = lazyComponent(() => import('./panel/PanelTab.tsx'));
const FloorplanTab = lazyComponent(() => import('./floorplan/FloorplanTab.tsx'));
const SignalsTab = lazyComponent(() => import('./signals/SignalsTab.tsx'));

interface TabProps {
  node: NodeView;
  route: Extract<Route, { kind: 'node' }>;
  jobs: JobHistory;
  /** Builds of the node, newest first. */
  builds: readonly Job[];
  /** The build in the address, else the newest. */
  build: Job | undefined;
}

interface TabEntry {
  /** Key that opens it. */
  keys: string;
  /** A place within the tab that the key focuses. */
  focus?: { label: string; selector: string };
  /** Icon and search words in the palette. */
  icon: IconName;
  words?: string;
  /** A number after the title. */
  mark?(props: Pick<TabProps, 'jobs'>): number | undefined;
  Tab(props: TabProps): ReactNode;
}

/** The tabs of a node, by their names in addresses. text/en/node-actions.ts has their titles and their order. */
export const TABS: Record<NodeTab, TabEntry> = {
  design: {
    keys: 'd',
    icon: 'code',
    words: 'submit file',
    Tab: ({ node, build, route }) => (
      <DesignTab
        node={node}
        build={build}
        file={route.file}
        line={route.line}
        chosen={route.job !== undefined && build?.job_id === route.job}
      />
    ),
  },
  log: {
    keys: 'l',
    icon: 'log',
    Tab: ({ node, jobs, route }) => (
      <LogPanel node={node} jobs={jobs.list} jobId={route.job} look={route.look} />
    ),
  },
  registers: {
    keys: 'r',
    focus: { label: text.registers.keyRead, selector: '[data-register-command]' },
    icon: 'registers',
    words: 'read write',
    Tab: ({ node }) => <RegistersPanel node={node} />,
  },
  panel: {
    keys: 'i',
    icon: 'panel',
    words: 'pins switches leds terminal',
    Tab: ({ node, route }) => <PanelTab node={node} look={route.look} />,
  },
  signals: {
    keys: 'a',
    icon: 'signals',
    words: 'waves capture probe trigger',
    Tab: ({ node, builds, route }) => <SignalsTab node={node} build={builds[0]} look={route.look} />,
  },
  report: {
    keys: 'p',
    icon: 'report',
    words: 'timing utilisation fmax',
    Tab: ({ node, build }) => <ReportTab node={node} build={build} />,
  },
  floorplan: {
    keys: 'c',
    icon: 'floorplan',
    words: 'chip cells placement modules',
    Tab: ({ build, route }) => <FloorplanTab build={build} look={route.look} />,
  },
  history: {
    keys: 'h',
    icon: 'history',
    mark: ({ jobs }) => jobs.list.length || undefined,
    Tab: ({ node, jobs, route }) => <HistoryTab node={node} jobs={jobs} look={route.look} />,
  },
};
