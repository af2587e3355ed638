import { Button } from '../components/Button.tsx';
import { Icon } from '../components/Icon.tsx';
import { useNow } from '../components/Time.tsx';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { text } from '../text/text.ts';
import './connection-banner.css';

/** Warns that the connection is lost, because the shown state may be out of date. */
export function ConnectionBanner({ onWho }: { onWho(): void }) {
  const client = useBench();
  const connection = useBenchStore(
    ({ connection: store }) => store,
    (state) => state.connection,
  );
  const who = client.at ? text.shell.theBench(client.at.name) : text.shell.theService;
  const lost = connection.kind === 'waiting';
  const now = useNow(lost ? 500 : null);
  if (connection.kind !== 'waiting') return null;
  if (connection.refused)
    return (
      <div className="banner" role="alert">
        <Icon name="user" />
        <span>{text.shell.whoEnforced(who)}</span>
        <Button kind="primary" onClick={onWho}>
          {text.shell.signIn}
        </Button>
      </div>
    );
  return (
    <div className="banner" role="alert" aria-atomic="false">
      <Icon name="warning" />
      <span>{text.shell.lost(who, Math.max(0, Math.ceil((connection.retryAt - now) / 1000)))}</span>
      <Button onClick={() => client.retryNow()}>{text.shell.retryNow}</Button>
    </div>
  );
}
