import { useContext, useState } from 'react';
import type { SignalInfo } from '../../../../../server/contract/signals/signals.ts';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { SearchField } from '../../../components/SearchField.tsx';
import { text } from '../../../text/text.ts';
import { BUS_SCOPE, ownName, type Scope, scopesOf } from './hierarchy.ts';
import { RecordingContext, useMissing } from './recording-by.ts';

const t = text.signals;

/** Maximum rows on display; search finds the others. */
const MAX_SHOWN_ROWS = 400;

const rangeOf = ({ width, low, ascending }: SignalInfo): string => {
  if (width === 1 && low === 0) return '';
  const high = low + width - 1;
  return ascending ? `[${low}:${high}]` : `[${high}:${low}]`;
};

function Entry({
  signal,
  chosen,
  onToggle,
}: {
  signal: SignalInfo;
  chosen: boolean;
  onToggle(names: readonly string[], chosen: boolean): void;
}) {
  const { name, kind, lost, width } = signal;
  const gone = lost >= width;
  const missing = useMissing();
  return (
    <li className="picker-signal" data-gone={gone}>
      <label title={name}>
        <input
          type="checkbox"
          checked={chosen}
          disabled={gone && !chosen}
          onChange={() => onToggle([name], !chosen)}
        />
        <span className="mono truncate">
          {ownName(name)}
          <span className="picker-range">{rangeOf(signal)}</span>
        </span>
        <span className="picker-kind">
          {gone ? missing.gone : kind === 'net' ? '' : t.kinds[kind]}
          {!gone && lost > 0 && (
            <span className="text-warn" title={missing.bits(lost)}>
              {' '}
              <Icon name="warning" size={12} />
              <span className="sr-only">{missing.bits(lost)}</span>
            </span>
          )}
        </span>
      </label>
    </li>
  );
}

function ScopePart({
  scope,
  title,
  open,
  onOpen,
  chosen,
  onToggle,
}: {
  scope: Scope;
  title: string;
  open: boolean;
  onOpen(open: boolean): void;
  chosen: ReadonlySet<string>;
  onToggle(names: readonly string[], chosen: boolean): void;
}) {
  const there = scope.signals.filter(({ lost, width }) => lost < width).map(({ name }) => name);
  return (
    <li className="picker-scope">
      <div className="picker-scope-head">
        <button type="button" aria-expanded={open} onClick={() => onOpen(!open)}>
          <Icon name={open ? 'down' : 'right'} size={14} />
          <span className="truncate">{title}</span>
          <span className="picker-count num">{scope.signals.length}</span>
        </button>
        {there.length > 0 && (
          <Button kind="quiet" aria-label={t.addAll(title)} onClick={() => onToggle(there, true)}>
            {t.all}
          </Button>
        )}
      </div>
      {open && (
        <ul>
          {scope.signals.map((signal) => (
            <Entry key={signal.name} signal={signal} chosen={chosen.has(signal.name)} onToggle={onToggle} />
          ))}
        </ul>
      )}
    </li>
  );
}

/** The signals of the design by instance, with search and a tick box each. */
export function Picker({
  signals,
  omitted,
  module,
  chosen,
  onToggle,
}: {
  signals: readonly SignalInfo[];
  /** Number of a very large design's signals that are not listed. */
  omitted: number;
  /** The top module. */
  module: string;
  chosen: ReadonlySet<string>;
  onToggle(names: readonly string[], chosen: boolean): void;
}) {
  const [search, setSearch] = useState('');
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const wanted = search.trim().toLowerCase();
  const named = signals.filter(({ name }) => name.toLowerCase().includes(wanted));
  // A capture core lists only its probes; search finds the other signals.
  const { using } = useContext(RecordingContext);
  const found = using === 'core' && wanted === '' ? named.filter(({ lost, width }) => lost < width) : named;
  const shown = found.slice(0, MAX_SHOWN_ROWS);
  const titleOf = ({ path }: Scope): string =>
    path === '' ? module || t.top : path === BUS_SCOPE ? t.bus : path;
  return (
    <section className="picker" aria-label={t.list}>
      <SearchField
        className="picker-search"
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={search}
        onChange={setSearch}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached with the keyboard */}
      <div className="picker-list" tabIndex={0}>
        {found.length === 0 ? (
          <p className="picker-none">
            {wanted === '' ? '' : t.noneFound(search.trim())} {t.noneFoundText}
          </p>
        ) : (
          <ul>
            {scopesOf(shown).map((scope) => (
              <ScopePart
                key={scope.path}
                scope={scope}
                title={titleOf(scope)}
                open={wanted !== '' || !folded.has(scope.path)}
                onOpen={(open) =>
                  setFolded((before) => {
                    const next = new Set(before);
                    if (open) next.delete(scope.path);
                    else next.add(scope.path);
                    return next;
                  })
                }
                chosen={chosen}
                onToggle={onToggle}
              />
            ))}
          </ul>
        )}
        {found.length > shown.length && <p className="picker-none">{t.more(found.length - shown.length)}</p>}
        {named.length > found.length && (
          <p className="picker-none">{t.moreNotProbed(named.length - found.length)}</p>
        )}
        {omitted > 0 && <p className="picker-none">{t.omitted(omitted)}</p>}
      </div>
    </section>
  );
}
