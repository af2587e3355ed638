// The rows of the list of transactions.
import { memo } from 'react';
import { sentences } from '../../../../../../server/contract/sentences.ts';
import { CopyText } from '../../../../components/CopyText.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { Menu, type MenuItem } from '../../../../components/Menu.tsx';
import { formatClock, formatDuration } from '../../../../format/time.ts';
import { formatWord, hexAddress, type NumberFormat, plainWord } from '../../../../format/words.ts';
import type { RunBuild } from '../../../../state/registers/builds.ts';
import type { Transaction } from '../../../../state/registers/transactions.ts';
import { text } from '../../../../text/text.ts';
import { Digits } from '../watch/TypedValue.tsx';

const t = text.registers;
const SHOWN_WORDS = 8;

function operationOf({ op, fixed_address }: Transaction['request']): string {
  const name = op === 1 ? t.write : t.read;
  return fixed_address ? t.fixedOp(name) : name;
}

function Words({ data, count, format }: { data: readonly number[]; count: number; format: NumberFormat }) {
  return (
    <CopyText
      value={data.map((word) => plainWord(word, format)).join(' ')}
      shown={
        data.length > 0 && (count === 1 || format === 'binary') ? (
          <>
            <Digits text={formatWord(data[0] ?? 0, format)} />
            {count > 1 && ` +${count - 1}`}
          </>
        ) : (
          data
            .slice(0, SHOWN_WORDS)
            .map((word) => formatWord(word, format))
            .join(' ') + (count > Math.min(data.length, SHOWN_WORDS) ? ` … ${t.words(count)}` : '')
        )
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

/** Pixels from the top of the list. */
const placed = (start: number) => ({ transform: `translateY(${start}px)` });

interface RowProps {
  transaction: Transaction;
  start: number;
  format: NumberFormat;
  /** Owner whose transactions show no name. */
  me: string;
  /** The same function in every render. */
  actsOf(transaction: Transaction): readonly MenuItem[];
}

/** Renders only after a change of its transaction: others arrive many times a second. */
export const TransactionRow = memo(function TransactionRow({
  transaction,
  start,
  format,
  me,
  actsOf,
}: RowProps) {
  const { at, owner, request, milliseconds } = transaction;
  const operation = operationOf(request);
  const place = hexAddress(request.address);
  return (
    <li className="transaction" style={placed(start)}>
      <span className="mono muted">{formatClock(at)}</span>
      <span className="transaction-op">{operation}</span>
      <span className="mono">{place}</span>
      <Result transaction={transaction} format={format} />
      <span className="num muted">
        {owner !== undefined && owner !== me && <span className="transaction-owner">{owner} </span>}
        {milliseconds === undefined ? '' : formatDuration(milliseconds / 1000)}
      </span>
      <Menu
        icon="more"
        iconOnly
        label={t.transactionActs(operation, place)}
        items={() => actsOf(transaction)}
      />
    </li>
  );
});

/** The line before the first transaction of a build. */
export function BuildRow({ build, start }: { build: RunBuild; start: number }) {
  return (
    <li className="transaction-build" style={placed(start)}>
      <Icon name="programming" size={13} />
      <span className="truncate">{t.buildFrom(build.file)}</span>
      <span className="mono muted truncate">{build.buildId.slice(0, 12)}</span>
      {build.at > 0 && <span className="mono muted push">{formatClock(build.at)}</span>}
    </li>
  );
}
