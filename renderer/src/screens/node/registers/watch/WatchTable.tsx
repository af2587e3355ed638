// The watch table.
import { useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { useRows } from '../../../../components/use-rows.ts';
import { hexAddress } from '../../../../format/words.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench, usePreference } from '../../../../state/client/context.tsx';
import { offerUndo } from '../../../../state/page/toasts.ts';
import { removeRegister, runTransaction } from '../../../../state/registers/transactions.ts';
import { lastValuesOf, samplesVersion } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { type MappedDesign, togglePin, useMaps, viewOf } from '../map/map-store.ts';
import { Proposals } from '../map/Proposals.tsx';
import { laneKey } from '../plot/lanes.ts';
import {
  changePolling,
  NOT_POLLING,
  polling,
  pollingOf,
  stopPolling,
  toggleLane,
  togglePlot,
  togglePoll,
} from '../polling.ts';
import { BitsLine } from './BitsLine.tsx';
import { FieldLine, RegisterLine } from './WatchLines.tsx';
import { type WatchRow, watchRows } from './watch-rows.ts';
import { writeBit, writeField } from './write-bits.ts';
import './watch.css';

const t = text.registers;
/** Height of a line, pixels, and of one with 32 bits in two lines; also in the style sheet. */
const ROW = 26;
const BINARY_ROW = 42;
/** Up to this length every line is drawn; of longer lists only the visible ones. */
const ALL_DRAWN = 40;

interface Props {
  node: number;
  design: MappedDesign;
  ready: boolean;
  /** The running build, and whether the design is the person's own. */
  build: string | undefined;
  owned: boolean;
  /** Reads these addresses once. */
  onRead(addresses: readonly number[]): void;
  /** A register was marked for the plot. */
  onPlot(): void;
  /** Opens the dialog of a register. */
  onEdit(address: number): void;
}

/** The watch: registers of the map and of earlier reads. */
export function WatchTable({ node, design, ready, build, owned, onRead, onPlot, onEdit }: Props) {
  const client = useBench();
  const { inUse, pinned } = viewOf(useMaps(), design);
  const version = useStore(samplesVersion, (versions) => versions[node]);
  const { addresses: polled, plotted, lanes } = useStore(polling, (all) => all[node] ?? NOT_POLLING);
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  const binary = usePreference('numberFormat') === 'binary';
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known changes in place; its version tells
  const rows = useMemo(
    () => watchRows(inUse, lastValuesOf(node), pinned, opened),
    [inUse, node, pinned, opened, version],
  );
  const row = binary ? BINARY_ROW : ROW;
  const lines = useRows({ count: rows.length, row, beyond: rows.length > ALL_DRAWN ? 12 : ALL_DRAWN });
  const first = lines.drawn[0] ?? 0;
  const last = first + lines.drawn.length;
  const attempt = (act: Promise<unknown>) => void act.catch((error) => showRefusal(client, error));
  const draw = (row: WatchRow) => {
    switch (row.kind) {
      case 'bits':
        return (
          <BitsLine
            key={`${row.address} ${row.msb}`}
            row={row}
            name={row.register?.name ?? hexAddress(row.address)}
            ready={ready}
            onWrite={(bit, value) =>
              attempt(
                writeBit(client, node, row.register ?? { address: row.address, access: 'rw' }, bit, value),
              )
            }
          />
        );
      case 'field':
        return (
          <FieldLine
            key={`${row.address}.${row.field.name}`}
            row={row}
            ready={ready}
            plotted={lanes.has(laneKey(row.address, row.field))}
            onWrite={(value) => attempt(writeField(client, node, row.register, row.field, value))}
            onPlot={() => {
              const lane = laneKey(row.address, row.field);
              if (!lanes.has(lane)) onPlot();
              toggleLane(client, node, lane);
            }}
          />
        );
      case 'register':
        return (
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
            onPin={() => togglePin(client, design, row.address)}
            onRead={() => onRead([row.address])}
            onWrite={(word) =>
              attempt(runTransaction(client, node, { op: 1, address: row.address, data: [word] }))
            }
            onPoll={() => togglePoll(client, node, row.address)}
            onPlot={() => {
              if (!plotted.has(row.address)) onPlot();
              togglePlot(client, node, row.address);
            }}
            onEdit={() => onEdit(row.address)}
            onRemove={() => {
              const { addresses, plotted, lanes } = pollingOf(node);
              stopPolling(client, node, row.address);
              if (row.pinned) togglePin(client, design, row.address);
              const restore = removeRegister(client, node, row.address);
              offerUndo(client.toasts, t.removed(row.register?.name ?? hexAddress(row.address)), () => {
                restore();
                if (row.pinned) togglePin(client, design, row.address);
                changePolling(client, node, { addresses, plotted, lanes });
              });
            }}
          />
        );
    }
  };
  return (
    <section className="registers-watch">
      <h3 className="sr-only">{t.watch}</h3>
      <Proposals node={node} design={design} build={build} owned={owned} />
      {rows.length === 0 ? (
        <p className="muted registers-none">{t.watchNone}</p>
      ) : (
        <section
          ref={lines.ref}
          className="watch-scroll"
          aria-label={t.watch}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
        >
          <table className="watch" aria-label={t.watch} aria-rowcount={rows.length + 1}>
            <thead>
              <tr>
                <td />
                <th scope="col">{t.address}</th>
                <th scope="col">{t.name}</th>
                <th scope="col" title={t.dialog.access}>
                  {t.access}
                </th>
                <th scope="col" className="watch-about">
                  {t.dialog.description}
                </th>
                <th scope="col" className="num">
                  {t.value}
                </th>
                <th scope="col" className="num watch-time">
                  {t.time}
                </th>
                <th scope="col" className="watch-acts">
                  <span className="sr-only">{t.acts}</span>
                  {t.rowActs.map((label) => (
                    <span key={label} className="watch-act" aria-hidden="true">
                      {label}
                    </span>
                  ))}
                </th>
              </tr>
            </thead>
            <tbody>
              {first > 0 && <tr style={{ height: first * row }} />}
              {rows.slice(first, last).map(draw)}
              {last < rows.length && <tr style={{ height: (rows.length - last) * row }} />}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}
