import { IconButton } from '../../../../components/Button.tsx';
import { CopyText } from '../../../../components/CopyText.tsx';
import { Icon } from '../../../../components/Icon.tsx';
import { formatClock } from '../../../../format/time.ts';
import { formatField, formatWord, hexAddress, parseWord, plainWord } from '../../../../format/words.ts';
import { usePreference } from '../../../../state/client/context.tsx';
import type { LastValue } from '../../../../state/samples/samples.ts';
import { text } from '../../../../text/text.ts';
import { fieldOf, formatBits, widthOf } from '../map/register-map.ts';
import { namedValues, parseFieldValue } from '../map/values.ts';
import { Digits, TypedValue } from './TypedValue.tsx';
import type { WatchRow } from './watch-rows.ts';

const t = text.registers;

/** The mark of a changed value: a sign and a word, because colour must not be the only difference. */
function Change({ known, before }: { known: LastValue | undefined; before: string }) {
  if (!known?.changed) return null;
  return (
    <span className="watch-changed" title={t.changedFrom(before)}>
      <span aria-hidden="true">●</span>
      <span className="sr-only">{t.changedFrom(before)}</span>
    </span>
  );
}

/** The mark of a value that the design may not hold: it is stale, or written and not read since. */
function Unsure({ known }: { known: LastValue }) {
  if (!known.stale && !known.written) return null;
  const why = known.stale ? t.stale : t.written;
  return (
    <span className="watch-stale" title={why}>
      <Icon name={known.stale ? 'queued' : 'programming'} size={12} />
      <span className="sr-only">{why}</span>
    </span>
  );
}

/** A value that cannot be typed over, aligned with those that can. */
const FixedValue = ({ plain, shown }: { plain: string; shown: string }) => (
  <span className="watch-typed">
    <span className="watch-fixed mono">
      <Digits text={shown} />
    </span>
    <CopyText value={plain} shown="" label={t.value} />
  </span>
);

const rowClass = (known: LastValue | undefined): string =>
  [
    'watch-row',
    known?.changed ? 'watch-row-changed' : '',
    known?.stale ? 'watch-row-stale' : '',
    known?.written && !known.stale ? 'watch-row-written' : '',
  ]
    .filter((name) => name !== '')
    .join(' ');

const withoutGroups = (shown: string): string => shown.replaceAll('_', '').replace('−', '-');

interface RegisterLineProps {
  row: Extract<WatchRow, { kind: 'register' }>;
  ready: boolean;
  polled: boolean;
  plotted: boolean;
  onOpen(): void;
  onPin(): void;
  onRead(): void;
  onWrite(word: number): void;
  onPoll(): void;
  onPlot(): void;
  onEdit(): void;
  onRemove(): void;
}

export function RegisterLine({ row, ready, polled, plotted, ...acts }: RegisterLineProps) {
  const format = usePreference('numberFormat');
  const { address, register, known, pinned, open } = row;
  const place = hexAddress(address);
  const name = register?.name ?? place;
  return (
    <tr className={rowClass(known)}>
      <td className="watch-pin">
        <IconButton
          icon="pin"
          aria-pressed={pinned}
          label={pinned ? t.unpin(name) : t.pin(name)}
          onClick={acts.onPin}
        />
      </td>
      <th scope="row" className="mono">
        {place}
      </th>
      <td>
        <span className="watch-cell">
          <IconButton
            icon={open ? 'down' : 'right'}
            aria-expanded={open}
            label={register && register.fields.length > 0 ? t.fieldsOf(name) : t.bitsOf(name)}
            onClick={acts.onOpen}
          />
          <button
            type="button"
            className="watch-edit truncate"
            aria-label={t.edit(name)}
            title={t.edit(name)}
            onClick={acts.onEdit}
          >
            {register ? <span className="mono">{register.name}</span> : <span className="muted">–</span>}
          </button>
        </span>
      </td>
      <td className="muted" title={register && t.dialog.accesses[register.access]}>
        {register?.access}
      </td>
      <td className="muted truncate watch-about" title={register?.description}>
        {register?.description}
      </td>
      <td className="num watch-value">
        {known && (
          <>
            <Change known={known} before={formatWord(known.previous ?? 0, format)} />
            <Unsure known={known} />
          </>
        )}
        {ready && register?.access !== 'ro' ? (
          <TypedValue
            name={name}
            shown={known ? formatWord(known.value, format) : ''}
            plain={known ? plainWord(known.value, format) : ''}
            parse={(typed) => {
              const word = parseWord(typed);
              return word !== null && word < 2 ** (register?.width ?? 32) ? word : null;
            }}
            problem={t.problems.word(register?.width ?? 32)}
            onWrite={acts.onWrite}
          />
        ) : (
          known && (
            <FixedValue plain={plainWord(known.value, format)} shown={formatWord(known.value, format)} />
          )
        )}
      </td>
      <td className="num muted watch-time">{known && formatClock(known.at)}</td>
      <td className="watch-acts">
        <IconButton
          icon="repeat"
          label={t.readAgain(name)}
          disabled={!ready || register?.access === 'wo'}
          onClick={acts.onRead}
        />
        <IconButton
          icon={polled ? 'pause' : 'play'}
          aria-pressed={polled}
          label={t.poll(name)}
          disabled={register?.access === 'wo' || (!ready && !polled)}
          onClick={acts.onPoll}
        />
        <IconButton icon="plot" aria-pressed={plotted} label={t.plot(name)} onClick={acts.onPlot} />
        <IconButton
          icon="trash"
          label={t.remove(name)}
          disabled={register !== undefined && !known && !pinned}
          onClick={acts.onRemove}
        />
      </td>
    </tr>
  );
}

interface FieldLineProps {
  row: Extract<WatchRow, { kind: 'field' }>;
  ready: boolean;
  plotted: boolean;
  onWrite(value: number): void;
  onPlot(): void;
}

/** The named values of a field in a list; a value without a name, or an unknown one, shows as it is. */
function NamedValue({
  name,
  field,
  value,
  shown,
  onWrite,
}: {
  name: string;
  field: Extract<WatchRow, { kind: 'field' }>['field'];
  value: number | undefined;
  shown: string;
  onWrite(value: number): void;
}) {
  const named = namedValues(field);
  const isNamed = named.some((one) => one.value === value);
  return (
    <select
      className="input watch-choice"
      aria-label={t.choose(name)}
      value={value === undefined ? '' : String(value)}
      onChange={(event) => {
        if (event.target.value !== '') onWrite(Number(event.target.value));
      }}
    >
      {!isNamed && <option value={value === undefined ? '' : String(value)}>{shown || '…'}</option>}
      {named.map((one) => (
        <option key={one.value} value={String(one.value)}>
          {one.name}
        </option>
      ))}
    </select>
  );
}

export function FieldLine({
  row: { register, field, known },
  ready,
  plotted,
  onWrite,
  onPlot,
}: FieldLineProps) {
  const format = usePreference('numberFormat');
  const bits = widthOf(field);
  const value = known && fieldOf(known.value, field);
  const before = known?.previous === undefined ? undefined : fieldOf(known.previous, field);
  const shown = value === undefined ? '' : formatField(value, bits, format);
  const named = value === undefined ? undefined : field.values?.[value];
  const name = `${register.name}.${field.name}`;
  const writable = register.access !== 'ro' && field.access !== 'ro';
  const hasNames = Object.keys(field.values ?? {}).length > 0;
  return (
    <tr className={`${rowClass(known && { ...known, changed: false })} watch-field`}>
      <td />
      <td className="num muted">[{formatBits(field)}]</td>
      <th scope="row" className="watch-name" title={field.description}>
        <span className="mono truncate">{field.name}</span>
      </th>
      <td className="muted" title={t.dialog.accesses[field.access ?? register.access]}>
        {field.access ?? register.access}
      </td>
      <td className="muted truncate watch-about" title={field.description}>
        {field.description}
      </td>
      <td className="num watch-value">
        {value !== undefined && known && before !== undefined && (
          <Change
            known={{ ...known, changed: before !== value }}
            before={formatField(before, bits, format)}
          />
        )}
        {ready && writable && hasNames && (
          <NamedValue name={name} field={field} value={value} shown={shown} onWrite={onWrite} />
        )}
        {!(ready && writable) && named && <span className="watch-named">{named}</span>}
        {ready && writable ? (
          <TypedValue
            name={name}
            shown={shown}
            plain={withoutGroups(shown)}
            parse={(typed) => parseFieldValue(typed, field)}
            problem={t.problems.field}
            onWrite={onWrite}
          />
        ) : (
          value !== undefined && <FixedValue plain={withoutGroups(shown)} shown={shown} />
        )}
      </td>
      <td className="watch-time" />
      <td className="watch-acts">
        <IconButton icon="plot" aria-pressed={plotted} label={t.plot(name)} onClick={onPlot} />
        <span className="watch-gap" />
      </td>
    </tr>
  );
}
