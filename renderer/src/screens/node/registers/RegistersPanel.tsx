// First of all: the parts' own rules come after those of the frame.
import './registers.css';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../../../../../server/contract/nodes.ts';
import { EmptyState, Loading } from '../../../components/Empty.tsx';
import { Segmented } from '../../../components/Field.tsx';
import { useShortcuts } from '../../../components/shortcuts.ts';
import { showRefusal } from '../../../state/actions.ts';
import { useBench, usePreference } from '../../../state/context.tsx';
import { href } from '../../../state/routes.ts';
import { beginBuild, MOST_WATCHED_WORDS, toBursts } from '../../../state/samples.ts';
import { runTransaction, transactions } from '../../../state/transactions.ts';
import { text } from '../../../text/text.ts';
import { useMaps, viewOf } from './map/map-store.ts';
import { PlotPanel } from './plot/PlotPanel.tsx';
import { CommandBar, type CommandBarHandle } from './transactions/CommandBar.tsx';
import { TransactionTable } from './transactions/TransactionTable.tsx';
import { PollBar } from './watch/PollBar.tsx';
import { changePolling, pollingOf } from './watch/polling.ts';
import { WatchTable } from './watch/WatchTable.tsx';

const MemoryView = lazy(() => import('./memory/MemoryView.tsx'));

const t = text.registers;
const DEFAULT_MOST_WORDS = 65_536;
const NONE: [] = [];
const VIEWS = ['history', 'plot', 'memory'] as const;
type View = (typeof VIEWS)[number];

/** The registers of the design that runs on a node: like a debugger's watch window. */
export function RegistersPanel({ node }: { node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  const list = useStore(transactions, ({ byNode }) => byNode[id] ?? NONE);
  const most = useStore(client.status, ({ status }) => status?.limits?.words_per_run ?? DEFAULT_MOST_WORDS);
  const [view, setView] = useState<View>('history');
  const numberFormat = usePreference('numberFormat');
  const command = useRef<CommandBarHandle>(null);
  const ready = node.state === 'reserved' && !node.resetting;
  // After a release the map and the values of the last design stay in sight, with the history.
  const lastDesign = useRef<string | undefined>(undefined);
  lastDesign.current = node.design?.module ?? node.design?.filename ?? lastDesign.current;
  const design = lastDesign.current ?? 'design';
  const { inUse } = viewOf(useMaps(), design);
  const build = node.design?.build_id;
  useEffect(() => beginBuild(id, build), [id, build]);

  const last = list.findLast(({ polled }) => !polled);
  const repeat = () => {
    if (last && ready) runTransaction(client, id, last.request).catch((error) => showRefusal(client, error));
  };
  const read = async (addresses: readonly number[]) => {
    try {
      for (const { address, count } of toBursts(addresses, MOST_WATCHED_WORDS))
        await runTransaction(client, id, { op: 2, address, count });
    } catch (error) {
      showRefusal(client, error);
    }
  };
  const group = text.shell.shortcutGroups.registers;
  useShortcuts([
    { keys: 'mod+Enter', label: t.keyRepeat, group, run: repeat, always: true },
    {
      keys: 'x',
      label: t.polling.key,
      group,
      run: () => changePolling(client, id, { paused: !pollingOf(id).paused }),
    },
    ...VIEWS.map((name) => ({
      keys: `v ${name.charAt(0)}`,
      label: t.viewNames[name],
      group,
      run: () => setView(name),
    })),
  ]);

  if (!ready && list.length === 0)
    return (
      <EmptyState
        icon="plot"
        title={t.notReserved}
        action={<a href={href({ kind: 'node', node: id, tab: 'design', job: undefined })}>{t.toDesign}</a>}
      >
        {t.notReservedText}
      </EmptyState>
    );
  return (
    <div className="registers">
      <CommandBar
        ref={command}
        node={id}
        ready={ready}
        most={most}
        map={inUse}
        onRepeat={last ? repeat : undefined}
      />
      <div className={`registers-body ${numberFormat === 'binary' ? 'registers-binary' : ''}`}>
        <WatchTable
          node={id}
          design={design}
          ready={ready}
          onRead={(addresses) => void read(addresses)}
          onCompose={(line) => command.current?.compose(line)}
          onPlot={() => setView('plot')}
        />
        <div className="registers-right">
          <div className="registers-views">
            <Segmented<View>
              label={t.views}
              value={view}
              onChange={setView}
              options={VIEWS.map((name) => ({ id: name, label: t.viewNames[name] }))}
            />
            <PollBar node={id} ready={ready} />
          </div>
          {view === 'history' && <TransactionTable node={id} list={list} />}
          {view === 'plot' && <PlotPanel node={id} map={inUse} />}
          {view === 'memory' && (
            <Suspense fallback={<Loading />}>
              <MemoryView node={id} ready={ready} most={most} />
            </Suspense>
          )}
        </div>
      </div>
    </div>
  );
}
