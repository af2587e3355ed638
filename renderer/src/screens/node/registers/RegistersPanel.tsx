// First import: the styles of the parts come after those of the frame.
import './registers.css';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import { EmptyState, Loading } from '../../../components/Empty.tsx';
import { lazyComponent } from '../../../components/lazy-component.tsx';
import { Segmented } from '../../../components/Segmented.tsx';
import { Split } from '../../../components/Split.tsx';
import { useShortcuts } from '../../../components/shortcuts.ts';
import { NUMBER_FORMATS } from '../../../format/words.ts';
import { showRefusal } from '../../../state/actions/actions.ts';
import { joinedSessions, partOf } from '../../../state/actions/holding.ts';
import { useBench, usePreference } from '../../../state/client/context.tsx';
import { useQuery } from '../../../state/client/query.ts';
import { toBursts } from '../../../state/page/bursts.ts';
import { href } from '../../../state/page/routes.ts';
import { requestOf, runTransaction, transactions } from '../../../state/registers/transactions.ts';
import { beginBuild, MAX_WATCHED_WORDS } from '../../../state/samples/samples.ts';
import { text } from '../../../text/text.ts';
import { HolderBar } from './HolderBar.tsx';
import { MapBar } from './map/MapBar.tsx';
import { adoptMap, dropRegister, notePinnedName, putRegister, useMaps, viewOf } from './map/map-store.ts';
import { RegisterDialog } from './map/RegisterDialog.tsx';
import { changePolling, pollingOf } from './polling.ts';
import { keepView, storedView } from './session-view.ts';
import { CommandBar } from './transactions/CommandBar.tsx';
import { TransactionTable } from './transactions/TransactionTable.tsx';
import { useRecord } from './use-record.ts';
import { PollBar } from './watch/PollBar.tsx';
import { ReadAll } from './watch/ReadAll.tsx';
import { WatchTable } from './watch/WatchTable.tsx';

const PlotPanel = lazyComponent(() => import('./plot/PlotPanel.tsx'));
const MemoryView = lazyComponent(() => import('./memory/MemoryView.tsx'));
const ScriptPanel = lazyComponent(() => import('./script/ScriptPanel.tsx'));

const t = text.registers;
const DEFAULT_MOST_WORDS = 65_536;
const NONE: [] = [];
const VIEWS = ['history', 'plot', 'memory', 'script'] as const;
type View = (typeof VIEWS)[number];
const viewNamed = (name: string): View => VIEWS.find((one) => one === name) ?? 'history';

/** The Registers tab: like a debugger's watch window. */
export function RegistersPanel({ node }: { node: NodeView }) {
  const client = useBench();
  const id = node.fpga_id;
  const most = useStore(client.status, ({ status }) => status?.limits?.words_per_run ?? DEFAULT_MOST_WORDS);
  const numberFormat = usePreference('numberFormat');
  useStore(joinedSessions);
  const part = partOf(client, node);
  const ready = node.state === 'reserved' && !node.resetting && part !== 'viewer';
  // After a release the map and values of the last design stay visible, with the transactions.
  const lastDesign = useRef(node.design);
  lastDesign.current = node.design ?? lastDesign.current;
  const design = lastDesign.current?.module ?? lastDesign.current?.filename ?? 'design';
  const designId = lastDesign.current?.design_id ?? undefined;
  const mapped = useMemo(() => ({ name: design, id: designId }), [design, designId]);
  const { inUse, pinned } = viewOf(useMaps(), mapped);
  // Without a design at the bench, this browser's map stays in use.
  useQuery(
    designId === undefined ? undefined : ['register map', design, designId, part === 'holder'],
    (_, signal, [, name, id, owned]) => adoptMap(client, { name, id }, owned, signal),
    { live: true },
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the name follows the map and what is pinned
  useEffect(() => notePinnedName(client, mapped), [client, mapped, inUse, pinned]);
  const [editing, setEditing] = useState<{ address: number | undefined } | undefined>();
  const [view, setShown] = useState<View>(() => viewNamed(storedView(client, id, design).view));
  const setView = (next: View) => {
    setShown(next);
    keepView(client, id, design, { view: next });
  };
  const build = node.design?.build_id;
  useEffect(() => beginBuild(id, build), [id, build]);
  useRecord(node, part);

  const isEmpty = useStore(transactions, ({ byNode }) => (byNode[id] ?? NONE).length === 0);
  const lastOwn = () => {
    const own = transactions
      .getState()
      .byNode[id]?.findLast(({ owner }) => owner === undefined || owner === client.owner);
    return own && requestOf(own);
  };
  // Of every transaction this panel would be drawn again, with the watch.
  const repeats = useStore(transactions, () => lastOwn() !== undefined);
  const repeat = () => {
    const last = lastOwn();
    if (last && ready) runTransaction(client, id, last).catch((error) => showRefusal(client, error));
  };
  const read = async (addresses: readonly number[]) => {
    try {
      for (const { address, count } of toBursts(addresses, MAX_WATCHED_WORDS))
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

  if (!ready && part !== 'viewer' && isEmpty)
    return (
      <EmptyState
        icon="registers"
        title={t.notReserved}
        action={<a href={href({ kind: 'node', node: id, tab: 'design', job: undefined })}>{t.toDesign}</a>}
        text={t.notReservedText}
      />
    );
  return (
    <div className="registers">
      <HolderBar node={node} part={part} />
      <div className="registers-bar">
        <CommandBar
          node={id}
          design={design}
          ready={ready}
          most={most}
          map={inUse}
          onRepeat={repeats ? repeat : undefined}
        />
        <MapBar design={mapped} onAdd={() => setEditing({ address: undefined })} />
        <ReadAll node={id} ready={ready} map={inUse} onRead={(addresses) => void read(addresses)} />
        <Segmented
          label={text.format.label}
          value={numberFormat}
          onChange={(format) => client.preferences.setState({ numberFormat: format })}
          options={NUMBER_FORMATS.map((format) => ({ id: format, label: text.format[format] }))}
        />
      </div>
      <div className={`registers-body ${numberFormat === 'binary' ? 'registers-binary' : ''}`}>
        <Split
          id="registers"
          label={t.split}
          sized="second"
          initial={560}
          min={320}
          max={1400}
          first={
            <WatchTable
              node={id}
              design={mapped}
              ready={ready}
              build={node.design?.build_id}
              owned={part === 'holder'}
              onRead={(addresses) => void read(addresses)}
              onPlot={() => setView('plot')}
              onEdit={(address) => setEditing({ address })}
            />
          }
          second={
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
              <Suspense fallback={<Loading />}>
                {view === 'history' && <TransactionTable node={id} ready={ready} map={inUse} />}
                {view === 'plot' && <PlotPanel node={id} map={inUse} />}
                {view === 'memory' && <MemoryView node={id} design={design} ready={ready} most={most} />}
                {view === 'script' && <ScriptPanel node={node} design={design} ready={ready} map={inUse} />}
              </Suspense>
            </div>
          }
        />
      </div>
      {editing && (
        <RegisterDialog
          map={inUse}
          address={editing.address}
          onSave={(register) => void putRegister(client, mapped, register, editing.address)}
          onRemove={() => editing.address !== undefined && void dropRegister(client, mapped, editing.address)}
          onClose={() => setEditing(undefined)}
        />
      )}
    </div>
  );
}
