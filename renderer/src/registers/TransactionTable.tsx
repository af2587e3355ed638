import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { Button, IconButton } from '../components/Button.tsx';
import { saveFile } from '../components/clipboard.ts';
import { Icon } from '../components/Icon.tsx';
import { formatClock, formatDuration } from '../format/time.ts';
import { formatWord, hexAddress, type NumberFormat } from '../format/words.ts';
import { useBench, usePreference } from '../state/context.tsx';
import { text } from '../text/text.ts';
import { clearTransactions, type Transaction } from './transactions.ts';

const t = text.registers;
const ROW = 26;
const SHOWN_WORDS = 8;

/** RFC 4180 text of the history: one line a transaction, words in plain hex. */
export function toCsv(list: readonly Transaction[]): string {
  const rows = list.map(({ at, request, state, data, milliseconds }) =>
    [
      new Date(at).toISOString(),
      request.op === 1 ? 'write' : 'read',
      `0x${request.address.toString(16).padStart(8, '0')}`,
      request.op === 1 ? (request.data?.length ?? 0) : (request.count ?? 1),
      state,
      milliseconds === undefined ? '' : milliseconds.toFixed(2),
      `"${data.map((word) => `0x${(word >>> 0).toString(16).padStart(8, '0')}`).join(' ')}"`,
    ].join(','),
  );
  return `${['time,operation,address,words,result,round_trip_ms,data', ...rows].join('\r\n')}\r\n`;
}

function Result({ transaction, format }: { transaction: Transaction; format: NumberFormat }) {
  const { state, data, failure } = transaction;
  switch (state) {
    case 'running':
      return <span className="muted">…</span>;
    case 'ok':
      return (
        <span className="mono truncate">
          {data
            .slice(0, SHOWN_WORDS)
            .map((word) => formatWord(word, format))
            .join(' ')}
          {data.length > SHOWN_WORDS && ` … ${t.words(data.length)}`}
        </span>
      );
    case 'not-acknowledged':
      return (
        <span className="text-warn truncate">
          <Icon name="warning" size={13} /> {t.notAcknowledged}
        </span>
      );
    case 'failed':
      return (
        <span className="text-bad truncate" title={`${failure?.message ?? ''} ${failure?.remedy ?? ''}`}>
          <Icon name="error" size={13} /> {failure?.message ?? t.refused}
        </span>
      );
  }
}

/** Every transaction of this window, newest at the end; thousands of them cost what is in sight. */
export function TransactionTable({ node, list }: { node: number; list: readonly Transaction[] }) {
  const client = useBench();
  const format = usePreference('numberFormat');
  const scroller = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const rows = useVirtualizer({
    count: list.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 10,
  });
  const height = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every new row moves the end
  useEffect(() => {
    if (atEnd.current && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [height]);
  return (
    <section className="registers-history" aria-label={t.history}>
      <header className="row">
        <h3>{t.history}</h3>
        <span className="muted num">{list.length > 0 && list.length}</span>
        <span className="row push">
          <IconButton
            icon="download"
            label={t.exportCsv}
            disabled={list.length === 0}
            onClick={() => {
              client.unsaved.delete(node);
              void saveFile(`node-${node}-transactions.csv`, toCsv(list), 'text/csv');
            }}
          />
          <Button kind="quiet" disabled={list.length === 0} onClick={() => clearTransactions(client, node)}>
            {t.clear}
          </Button>
        </span>
      </header>
      {list.length === 0 ? (
        <p className="muted">{t.historyNone}</p>
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
              if (!transaction) return null;
              const { id, at, request, milliseconds } = transaction;
              return (
                <li key={id} className="transaction" style={{ transform: `translateY(${start}px)` }}>
                  <span className="mono muted">{formatClock(at)}</span>
                  <span className="mono transaction-op">{request.op === 1 ? t.write : t.read}</span>
                  <span className="mono">{hexAddress(request.address)}</span>
                  <Result transaction={transaction} format={format} />
                  <span className="num muted">
                    {milliseconds === undefined ? '' : formatDuration(milliseconds / 1000)}
                  </span>
                </li>
              );
            })}
          </ol>
        </section>
      )}
    </section>
  );
}
