import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../../components/Button.tsx';
import { useBench } from '../../../../state/context.tsx';
import { forgetAddress, knownValues, samplesVersion } from '../../../../state/samples.ts';
import { text } from '../../../../text/text.ts';
import { MapBar } from '../map/MapBar.tsx';
import { dropRegister, mapsOf, putRegister, togglePin, useMaps, viewOf } from '../map/map-store.ts';
import { RegisterDialog } from '../map/RegisterDialog.tsx';
import { NOT_POLLING, polling, stopPolling, togglePlot, togglePoll } from './polling.ts';
import { FieldLine, RegisterLine } from './WatchLines.tsx';
import { watchRows } from './watch-rows.ts';
import './watch.css';

const t = text.registers;
/** Height of a line, pixels; the same in the style sheet. */
const ROW = 26;
/** Up to here every line is drawn; of longer lists only those in sight. */
const ALL_DRAWN = 150;

interface Props {
  node: number;
  design: string;
  ready: boolean;
  /** Reads these addresses once. */
  onRead(addresses: readonly number[]): void;
  /** Puts the beginning of a write into the command line. */
  onCompose(command: string): void;
  /** A register was marked for the plot. */
  onPlot(): void;
}

/** The registers of the map and those that were read, like a debugger's watch window. */
export function WatchTable({ node, design, ready, onRead, onCompose, onPlot }: Props) {
  const client = useBench();
  const store = mapsOf(client);
  const { inUse, pinned } = viewOf(useMaps(), design);
  const version = useStore(samplesVersion, (versions) => versions[node]);
  const { addresses: polled, plotted } = useStore(polling, (all) => all[node] ?? NOT_POLLING);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const [editing, setEditing] = useState<{ address: number | undefined } | undefined>();
  const scroller = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known changes in place; its version tells
  const rows = useMemo(
    () => watchRows(inUse, knownValues(node), pinned, opened),
    [inUse, node, pinned, opened, version],
  );
  const virtual = rows.length > ALL_DRAWN;
  const lines = useVirtualizer({
    count: rows.length,
    enabled: virtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const drawn = virtual ? lines.getVirtualItems() : [];
  const first = virtual ? (drawn[0]?.index ?? 0) : 0;
  const last = virtual ? (drawn.at(-1)?.index ?? -1) + 1 : rows.length;
  const readable = rows.flatMap((row) =>
    row.kind === 'register' && row.register?.access !== 'wo' ? [row.address] : [],
  );
  return (
    <section className="registers-watch" aria-label={t.watch}>
      <header className="registers-head">
        <h3 className="sr-only">{t.watch}</h3>
        <MapBar design={design} onAdd={() => setEditing({ address: undefined })} />
        <Button
          kind="quiet"
          icon="repeat"
          className="push"
          title={t.readAllHint}
          disabled={!ready || readable.length === 0}
          onClick={() => onRead(readable)}
        >
          {t.readAll}
        </Button>
      </header>
      {rows.length === 0 ? (
        <p className="muted registers-none">{t.watchNone}</p>
      ) : (
        <section
          ref={scroller}
          className="watch-scroll"
          aria-label={t.watch}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
        >
          <table className="watch" aria-rowcount={rows.length + 1}>
            <thead>
              <tr>
                <td />
                <th scope="col">{t.address}</th>
                <th scope="col">{t.name}</th>
                <th scope="col" className="num">
                  {t.value}
                </th>
                <th scope="col" className="num watch-time">
                  {t.time}
                </th>
                <th scope="col">
                  <span className="sr-only">{t.acts}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {first > 0 && <tr style={{ height: first * ROW }} />}
              {rows.slice(first, last).map((row) =>
                row.kind === 'field' ? (
                  <FieldLine
                    key={`${row.address}.${row.field.name}`}
                    row={row}
                    ready={ready}
                    onWrite={() => onCompose(`${row.register.name}.${row.field.name}=`)}
                  />
                ) : (
                  <RegisterLine
                    key={row.address}
                    row={row}
                    ready={ready}
                    polled={polled.has(row.address)}
                    plotted={plotted.has(row.address)}
                    onOpen={() => {
                      const next = new Set(opened);
                      if (!next.delete(row.address)) next.add(row.address);
                      setOpened(next);
                    }}
                    onPin={() => togglePin(store, design, row.address)}
                    onRead={() => onRead([row.address])}
                    onWrite={onCompose}
                    onPoll={() => togglePoll(client, node, row.address)}
                    onPlot={() => {
                      if (!plotted.has(row.address)) onPlot();
                      togglePlot(client, node, row.address);
                    }}
                    onEdit={() => setEditing({ address: row.address })}
                    onRemove={() => {
                      stopPolling(client, node, row.address);
                      if (row.pinned) togglePin(store, design, row.address);
                      forgetAddress(node, row.address);
                    }}
                  />
                ),
              )}
              {last < rows.length && <tr style={{ height: (rows.length - last) * ROW }} />}
            </tbody>
          </table>
        </section>
      )}
      {editing && (
        <RegisterDialog
          map={inUse}
          address={editing.address}
          onSave={(register) => putRegister(store, design, register, editing.address)}
          onRemove={() => editing.address !== undefined && dropRegister(store, design, editing.address)}
          onClose={() => setEditing(undefined)}
        />
      )}
    </section>
  );
}
