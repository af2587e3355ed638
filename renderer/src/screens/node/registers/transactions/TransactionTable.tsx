// The list of transactions.
import { useCallback, useMemo, useState } from 'react';
import { useStore } from 'zustand';
import { Button } from '../../../../components/Button.tsx';
import { copyWithToast, saveFile } from '../../../../components/clipboard.ts';
import { Menu } from '../../../../components/Menu.tsx';
import { useRows } from '../../../../components/use-rows.ts';
import { showRefusal } from '../../../../state/actions/actions.ts';
import { useBench, usePreference } from '../../../../state/client/context.tsx';
import { offerUndo } from '../../../../state/page/toasts.ts';
import { runBuilds } from '../../../../state/registers/builds.ts';
import {
  clearTransactions,
  requestOf,
  runTransaction,
  type Transaction,
  transactions,
} from '../../../../state/registers/transactions.ts';
import { text } from '../../../../text/text.ts';
import type { RegisterMap } from '../map/register-map.ts';
import { asCurl, asPython } from './as-program.ts';
import { toCsv, toJson } from './history-files.ts';
import { found, isBuild, withBuilds } from './rows.ts';
import { BuildRow, plainWords, TransactionRow } from './TransactionRow.tsx';
import './transactions.css';

const t = text.registers;
/** Height of a row, pixels, and of one with 32 bits in two lines; also in the style sheet. */
const ROW = 26;
const BINARY_ROW = 42;
const NONE: [] = [];

interface Props {
  node: number;
  /** Whether the person may read and write. */
  ready: boolean;
  map: RegisterMap | undefined;
}

/** What the menu of a transaction offers. */
function useActs(node: number, ready: boolean) {
  const client = useBench();
  const format = usePreference('numberFormat');
  return useCallback(
    (transaction: Transaction) => {
      const request = requestOf(transaction);
      const caller = () => ({
        url: new URL(client.service.options.base || '.', window.location.href).href.replace(/\/$/, ''),
        node,
        name: client.status.getState().status?.enforcement === false ? client.owner : undefined,
      });
      const copy = (label: string, value: () => string, disabled: boolean) => ({
        label,
        disabled,
        run: () => void copyWithToast(client.toasts, value()),
      });
      const program = (write: typeof asCurl) => () => (request ? write(caller(), request) : '');
      return [
        {
          label: t.runAgain,
          disabled: !ready || !request,
          run: () =>
            request && runTransaction(client, node, request).catch((error) => showRefusal(client, error)),
        },
        copy(t.copyCurl, program(asCurl), !request),
        copy(t.copyPython, program(asPython), !request),
        copy(t.copyWords, () => plainWords(transaction, format), transaction.data.length === 0),
      ];
    },
    [client, node, ready, format],
  );
}

/** The transactions of this page and session, newest last. It draws only the visible ones. */
export function TransactionTable({ node, ready, map }: Props) {
  const client = useBench();
  const all = useStore(transactions, ({ byNode }) => byNode[node] ?? NONE);
  const format = usePreference('numberFormat');
  const [follow, setFollow] = useState(true);
  const [search, setSearch] = useState('');
  const list = useMemo(() => found(all, search, map), [all, search, map]);
  const builds = useStore(runBuilds, (every) => every[node] ?? NONE);
  const shown = useMemo(() => withBuilds(list, builds), [list, builds]);
  const actsOf = useActs(node, ready);
  const keep = (kind: 'csv' | 'json') => {
    client.unsaved.delete(node);
    void saveFile(
      `node-${node}-transactions.${kind}`,
      kind === 'csv' ? toCsv(list) : toJson(list),
      kind === 'csv' ? 'text/csv' : 'application/json',
    );
  };
  const clear = () => {
    const undo = clearTransactions(client, node);
    offerUndo(client.toasts, t.cleared(all.length), undo);
  };
  const row = format === 'binary' ? BINARY_ROW : ROW;
  const rows = useRows({ count: shown.length, row, beyond: 2, follow, onFollow: setFollow });
  return (
    <section className="registers-history">
      <header className="registers-head">
        <input
          type="search"
          className="input transactions-search"
          data-search=""
          aria-label={t.searchTransactions}
          placeholder={t.searchTransactions}
          title={t.searchHint}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        <span className="muted num" role="status">
          {search.trim() !== ''
            ? t.foundCount(list.length, all.length)
            : all.length > 0 && t.transactionCount(all.length)}
        </span>
        <span className="push" />
        <Menu
          icon="download"
          label={t.export}
          disabled={list.length === 0}
          items={() => [
            { label: t.exportCsv, run: () => keep('csv') },
            { label: t.exportJson, run: () => keep('json') },
          ]}
        />
        <Button kind="quiet" disabled={all.length === 0} onClick={clear}>
          {t.clear}
        </Button>
      </header>
      {shown.length === 0 ? (
        <p className="muted registers-none">{all.length > 0 ? t.noneFound : t.historyNone}</p>
      ) : (
        <section
          ref={rows.ref}
          className="transactions"
          aria-label={t.history}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
        >
          <ol className="transactions-rows" style={rows.style}>
            {rows.drawn.map((index) => {
              const one = shown[index];
              if (!one) return null;
              return isBuild(one) ? (
                <BuildRow key={`build ${one.at}`} build={one} />
              ) : (
                <TransactionRow
                  key={one.id}
                  transaction={one}
                  format={format}
                  me={client.owner}
                  actsOf={actsOf}
                />
              );
            })}
          </ol>
        </section>
      )}
    </section>
  );
}
