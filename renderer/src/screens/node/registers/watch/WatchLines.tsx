import { IconButton } from '../../../../components/Button.tsx';
import { CopyText } from '../../../../components/CopyText.tsx';
import { formatClock } from '../../../../format/time.ts';
import { formatField, formatWord, hexAddress, plainWord } from '../../../../format/words.ts';
import { usePreference } from '../../../../state/context.tsx';
import type { KnownValue } from '../../../../state/samples.ts';
import { text } from '../../../../text/text.ts';
import { fieldOf, formatBits, widthOf } from '../map/register-map.ts';
import type { WatchRow } from './watch-rows.ts';

const t = text.registers;

/** A mark for a value that is another one than before: a sign and a word, not only a colour. */
function Change({ known, before }: { known: KnownValue | undefined; before: string }) {
  if (!known?.changed) return null;
  return (
    <span className="watch-changed" title={t.changedFrom(before)}>
      <span aria-hidden="true">●</span>
      <span className="sr-only">{t.changedFrom(before)}</span>
    </span>
  );
}

interface RegisterLineProps {
  row: Extract<WatchRow, { kind: 'register' }>;
  ready: boolean;
  polled: boolean;
  plotted: boolean;
  onOpen(): void;
  onPin(): void;
  onRead(): void;
  onWrite(command: string): void;
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
    <tr className={known?.changed ? 'watch-row watch-row-changed' : 'watch-row'}>
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
      <td title={register?.description}>
        <span className="watch-cell">
          {register && register.fields.length > 0 && (
            <IconButton
              icon={open ? 'down' : 'right'}
              aria-expanded={open}
              label={t.fieldsOf(name)}
              onClick={acts.onOpen}
            />
          )}
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
      <td className="num watch-value">
        {known && (
          <>
            <Change known={known} before={formatWord(known.previous ?? 0, format)} />
            <CopyText
              value={plainWord(known.value, format)}
              shown={formatWord(known.value, format)}
              label={t.value}
            />
          </>
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
          icon="programming"
          label={t.writeTo(name)}
          disabled={!ready || register?.access === 'ro'}
          onClick={() => acts.onWrite(`${name}=`)}
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
          icon="close"
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
  onWrite(): void;
}

export function FieldLine({ row: { register, field, known }, ready, onWrite }: FieldLineProps) {
  const format = usePreference('numberFormat');
  const bits = widthOf(field);
  const value = known && fieldOf(known.value, field);
  const before = known?.previous === undefined ? undefined : fieldOf(known.previous, field);
  const shown = value === undefined ? '' : formatField(value, bits, format);
  const named = value === undefined ? undefined : field.values?.[value];
  const name = `${register.name}.${field.name}`;
  return (
    <tr className="watch-row watch-field">
      <td />
      <td className="num muted">[{formatBits(field)}]</td>
      <th scope="row" className="watch-name" title={field.description}>
        <span className="mono truncate">{field.name}</span>
        {field.description && <span className="muted truncate watch-about">{field.description}</span>}
      </th>
      <td className="num watch-value">
        {value !== undefined && known && (
          <>
            {before !== undefined && (
              <Change
                known={{ ...known, changed: before !== value }}
                before={formatField(before, bits, format)}
              />
            )}
            {named && <span className="watch-named">{named}</span>}
            <CopyText value={shown.replaceAll('_', '').replace('−', '-')} shown={shown} label={t.value} />
          </>
        )}
      </td>
      <td className="watch-time" />
      <td className="watch-acts">
        <span className="watch-gap" />
        <IconButton
          icon="programming"
          label={t.writeTo(name)}
          disabled={!ready || register.access === 'ro'}
          onClick={onWrite}
        />
      </td>
    </tr>
  );
}
