import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { sentences } from '../../../../../../server/contract/sentences.ts';
import { Button } from '../../../../components/Button.tsx';
import { CopyText } from '../../../../components/CopyText.tsx';
import { saveFile } from '../../../../components/clipboard.ts';
import { Icon } from '../../../../components/Icon.tsx';
import { formatClock, formatDuration } from '../../../../format/time.ts';
import {
  formatWord,
  hexAddress,
  hexWord,
  type NumberFormat,
  parseWord,
  plainWord,
} from '../../../../format/words.ts';
import { useBench, usePreference } from '../../../../state/client/context.tsx';
import { clearTransactions, type Transaction } from '../../../../state/registers/transactions.ts';
import { text } from '../../../../text/text.ts';
import { findByName, type RegisterMap } from '../map/register-map.ts';
import { toCsv, toJson } from './history-files.ts';

const plain = (text: string): string => text.toLowerCase().replaceAll('_', '');

/**
 * The transactions that match a search: an address or word in any notation, a name of the map, an owner, or a part of
 * the hex text.
 */
function found(
  list: readonly Transaction[],
  search: string,
  map: RegisterMap | undefined,
): readonly Transaction[] {
  const wanted = plain(search.trim());
  if (wanted === '') return list;
  const number = parseWord(search);
  const named = findByName(map, search)?.register.address;
  return list.filter(
    ({ owner, request: { address }, count, data, failure }) =>
      address === named ||
      (number !== null && (address === number || data.includes(number))) ||
      (count > 1 &&
        number !== null &&
        number > address &&
        number < address + 4 * count &&
        number % 4 === 0) ||
      owner?.toLowerCase().includes(wanted) === true ||
      plain(hexAddress(address)).includes(wanted) ||
      data.some((word) => plain(hexWord(word)).includes(wanted)) ||
      failure?.message.toLowerCase().includes(wanted) === true,
  );
}

import './transactions.css';

const t = text.registers;
const ROW = 26;
const SHOWN_WORDS = 8;

function operation({ op, fixed_address }: Transaction['request']): string {
  const name = op === 1 ? t.write : t.read;
  return fixed_address ? t.fixedOp(name) : name;
}

function Words({ data, count, format }: { data: readonly number[]; count: number; format: NumberFormat }) {
  return (
    <CopyText
      value={data.map((word) => plainWord(word, format)).join(' ')}
      shown={
        data
          .slice(0, SHOWN_WORDS)
          .map((word) => formatWord(word, format))
          .join(' ') + (count > Math.min(data.length, SHOWN_WORDS) ? ` … ${t.words(count)}` : '')
      }
      label={t.result}
    />
  );
}

function Result({ transaction, format }: { transaction: Transaction; format: NumberFormat }) {
  const { state, data, count, failure } = transaction;
  switch (state) {
    case 'running':
      return <span className="muted">…</span>;
    case 'ok':
      return <Words data={data} count={count} format={format} />;
    case 'not-acknowledged':
      return (
        <span className="text-warn truncate" title={failure?.message}>
          <Icon name="warning" size={13} /> {t.notAcknowledged}
        </span>
      );
    case 'failed':
      return (
        <span className="text-bad truncate" title={sentences(failure?.message, failure?.remedy)}>
          <Icon name="error" size={13} /> {failure?.message ?? t.refused}
        </span>
      );
  }
}

/** Renders only after a change of its transaction: others arrive many times a second. */
const Row = memo(function Row({
  transaction,
  start,
  format,
  me,
}: {
  transaction: Transaction;
  /** Pixels from the top of the list. */
  start: number;
  format: NumberFormat;
  /** Owner whose transactions show no name. */
  me: string;
}) {
  const { at, owner, request, milliseconds } = transaction;
  return (
    <li className="transaction" style={{ transform: `translateY(${start}px)` }}>
      <span className="mono muted">{formatClock(at)}</span>
      <span className="transaction-op">{operation(request)}</span>
      <span className="mono">{hexAddress(request.address)}</span>
      <Result transaction={transaction} format={format} />
      <span className="num muted">
        {owner !== undefined && owner !== me && <span className="transaction-owner">{owner} </span>}
        {milliseconds === undefined ? '' : formatDuration(milliseconds / 1000)}
      </span>
    </li>
  );
});

interface Props {
  node: number;
  list: readonly Transaction[];
  map: RegisterMap | undefined;
}

/** The transactions of the session, newest last. It draws only the visible ones. */
export function TransactionTable({ node, list: all, map }: Props) {
  const client = useBench();
  const format = usePreference('numberFormat');
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [search, setSearch] = useState('');
  const list = useMemo(() => found(all, search, map), [all, search, map]);
  const keep = (kind: 'csv' | 'json') => {
    client.unsaved.delete(node);
    void saveFile(
      `node-${node}-transactions.${kind}`,
      kind === 'csv' ? toCsv(list) : toJson(list),
      kind === 'csv' ? 'text/csv' : 'application/json',
    );
  };
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 4,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new row moves the end
  useEffect(() => {
    if (atEnd.current && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [height]);
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
        {(['csv', 'json'] as const).map((kind) => (
          <Button
            key={kind}
            kind="quiet"
            icon="download"
            aria-label={kind === 'csv' ? t.exportCsv : t.exportJson}
            title={kind === 'csv' ? t.exportCsv : t.exportJson}
            disabled={list.length === 0}
            onClick={() => keep(kind)}
          >
            {kind.toUpperCase()}
          </Button>
        ))}
        <Button kind="quiet" disabled={all.length === 0} onClick={() => clearTransactions(client, node)}>
          {t.clear}
        </Button>
      </header>
      {list.length === 0 ? (
        <p className="muted registers-none">{all.length > 0 ? t.noneFound : t.historyNone}</p>
      ) : (
        <section
          ref={scroller}
          className="transactions"
          aria-label={t.history}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
          tabIndex={0}
          onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
            atEnd.current = scrollHeight - scrollTop - clientHeight < ROW;
          }}
        >
          <ol className="transactions-rows" style={{ height }}>
            {rows.getVirtualItems().map(({ index, start }) => {
              const transaction = list[index];
              return (
                transaction && (
                  <Row
                    key={transaction.id}
                    transaction={transaction}
                    start={start}
                    format={format}
                    me={client.owner}
                  />
                )
              );
            })}
          </ol>
        </section>
      )}
    </section>
  );
}
