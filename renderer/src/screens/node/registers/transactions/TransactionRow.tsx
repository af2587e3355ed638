// The rows of the list of transactions.
import { memo } from 'react';
import { sentences } from '../../../../../../server/contract/sentences.ts';
import { copyWithToast } from '../../../../components/clipboard.ts';
import { Icon } from '../../../../components/Icon.tsx';
import { Menu, type MenuItem } from '../../../../components/Menu.tsx';
import { formatClock, formatDuration } from '../../../../format/time.ts';
import { formatWord, hexAddress, type NumberFormat, plainWord } from '../../../../format/words.ts';
import { useBench } from '../../../../state/client/context.tsx';
import type { RunBuild } from '../../../../state/registers/builds.ts';
import type { Transaction } from '../../../../state/registers/transactions.ts';
import { text } from '../../../../text/text.ts';
import { Digits } from '../watch/TypedValue.tsx';
import '../../../../components/copy.css';

const t = text.registers;
const SHOWN_WORDS = 8;

function operationOf({ op, fixed_address }: Transaction['request']): string {
  const name = op === 1 ? t.write : t.read;
  return fixed_address ? t.fixedOp(name) : name;
}

/** The words as text to copy. */
export const plainWords = ({ data }: Transaction, format: NumberFormat): string =>
  data.map((word) => plainWord(word, format)).join(' ');

/** A click copies all words. One button without state, because jumps draw many of them at once. */
function Words({ transaction, format }: { transaction: Transaction; format: NumberFormat }) {
  const { toasts } = useBench();
  const { data, count } = transaction;
  const plain = plainWords(transaction, format);
  const most = data.length > 0 && format === 'binary' ? 1 : SHOWN_WORDS;
  const words = data.slice(0, most).map((word) => formatWord(word, format));
  const more = count <= words.length ? '' : most === 1 ? ` +${count - 1}` : ` … ${t.words(count)}`;
  return (
    <button
      type="button"
      className="copy"
      aria-label={`${text.copy} ${t.result} ${words.join(' ')}${more}`}
      title={`${text.copy}: ${plain}`}
      onClick={() => void copyWithToast(toasts, plain)}
    >
      <span className="mono truncate">
        {most === 1 ? <Digits text={words[0] ?? ''} /> : words.join(' ')}
        {more}
      </span>
      <Icon name="copy" size={13} />
    </button>
  );
}

function Result({ transaction, format }: { transaction: Transaction; format: NumberFormat }) {
  const { state, failure } = transaction;
  switch (state) {
    case 'running':
      return <span className="muted">…</span>;
    case 'ok':
      return <Words transaction={transaction} format={format} />;
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

interface RowProps {
  transaction: Transaction;
  format: NumberFormat;
  /** Owner whose transactions show no name. */
  me: string;
  /** The same function in every render. */
  actsOf(transaction: Transaction): readonly MenuItem[];
}

/** Renders only after a change of its transaction: others arrive many times a second. */
export const TransactionRow = memo(function TransactionRow({ transaction, format, me, actsOf }: RowProps) {
  const { at, owner, request, milliseconds } = transaction;
  const operation = operationOf(request);
  const place = hexAddress(request.address);
  return (
    <li className="transaction">
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
export function BuildRow({ build }: { build: RunBuild }) {
  return (
    <li className="transaction-build">
      <Icon name="programming" size={13} />
      <span className="truncate">{t.buildFrom(build.file)}</span>
      <span className="mono muted truncate">{build.buildId.slice(0, 12)}</span>
      {build.at > 0 && <span className="mono muted push">{formatClock(build.at)}</span>}
    </li>
  );
}
