import type { ReactNode } from 'react';
import { Icon, type IconName } from '../components/Icon.tsx';
import { keyLabels } from '../components/shortcuts.ts';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { hrefAt } from '../state/page/at-bench.ts';
import { href, type Route } from '../state/page/routes.ts';
import { text } from '../text/text.ts';
import './top-bar.css';

function Item({
  icon,
  word,
  unit,
  title,
  tone,
  to,
}: {
  icon: IconName;
  word: string;
  /** Unit of the word; a narrow window hides it first. */
  unit?: string;
  title: string;
  tone?: string;
  to?: Route;
}) {
  const content = unit ? (
    <>
      {word} <span className="strip-unit">{unit}</span>
    </>
  ) : (
    word
  );
  return (
    <li className={`strip-item ${tone ? `strip-${tone}` : ''}`} title={title}>
      <Icon name={icon} size={14} />
      {to ? <a href={href(to)}>{content}</a> : <span>{content}</span>}
    </li>
  );
}

function ConnectionItem() {
  const connection = useBenchStore(
    (client) => client.connection,
    (state) => state.connection,
  );
  const t = text.shell;
  switch (connection.kind) {
    case 'live':
      return <Item icon="complete" word={t.live} title={t.liveTitle} tone="good" />;
    case 'connecting':
      return <Item icon="building" word={t.connecting} title={t.connecting} tone="busy" />;
    case 'waiting':
      if (connection.refused) return <Item icon="user" word={t.signedOut} title={t.signedOutTitle} />;
      return <Item icon="warning" word={t.reconnecting} title={t.reconnecting} tone="bad" />;
  }
}

/**
 * Names the other bench that this page works on, with the way home: its nodes have the same numbers as those at home.
 */
function AtOtherBench() {
  const { at } = useBench();
  if (at === undefined) return null;
  return (
    <p className="bar-at">
      <Icon name="network" size={14} />
      <span className="truncate" title={text.shell.atTitle(at.name)}>
        {at.name}
      </span>
      <a href={hrefAt('own', { kind: 'bench' })} title={text.shell.homeTitle}>
        {text.shell.home}
      </a>
    </p>
  );
}

/** The state of the bench: connection, store, builds, LAN and clients. */
function StatusStrip() {
  const status = useBenchStore(
    (client) => client.status,
    (state) => state.status,
  );
  const { at } = useBench();
  const t = text.shell;
  return (
    <ul className="strip" aria-label={at ? t.statusOf(at.name) : t.status}>
      <ConnectionItem />
      {status && (
        <>
          <Item
            icon="store"
            word={t.store(status.store)}
            title={t.storeTitle(status.store)}
            tone={status.store ? '' : 'bad'}
          />
          <Item
            icon="builds"
            word={t.builds(status.builds.busy, status.builds.total)}
            unit={
              t.buildsUnit + (status.builds.waiting > 0 ? `, ${t.buildsWaiting(status.builds.waiting)}` : '')
            }
            title={t.buildsTitle}
            tone={status.builds.busy > 0 ? 'busy' : ''}
            to={{ kind: 'builds' }}
          />
          <Item
            icon="network"
            word={t.lan(status.lan.enabled)}
            title={t.lanTitle(status.lan.enabled, status.lan.addresses.join(', '))}
          />
          <Item icon="user" word={t.clients(status.clients)} title={t.clientsTitle} />
          <li className="strip-item strip-address mono" title={t.addressTitle}>
            {status.address.replace(/^https?:\/\//, '')}
          </li>
        </>
      )}
    </ul>
  );
}

export function TopBar({
  route,
  onSearch,
  bell,
}: {
  route: Route;
  onSearch(): void;
  /** The bell of the notices. */
  bell: ReactNode;
}) {
  return (
    <header className="bar">
      <a
        className="skip"
        href={href(route)}
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('main')?.focus();
        }}
      >
        {text.shell.skip}
      </a>
      <a className="brand" href={href({ kind: 'bench' })}>
        <svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true">
          <path className="brand-frame" d="M1.5 1.5h15v15h-15z" />
          <path className="brand-units" d="M4 5.5h6M4 9h6M4 12.5h6" />
          <path className="brand-lamps" d="M13.5 5.5h.01M13.5 9h.01M13.5 12.5h.01" />
        </svg>
        <span className="brand-name">{text.product}</span>
      </a>
      <AtOtherBench />
      <button type="button" className="bar-search" onClick={onSearch}>
        <Icon name="search" size={14} />
        <span className="truncate">{text.shell.search}</span>
        <span className="key" aria-hidden="true">
          {keyLabels('mod+k').join(' ')}
        </span>
      </button>
      <StatusStrip />
      {bell}
    </header>
  );
}
