import { useEffect, useRef } from 'react';
import { Button } from '../components/Button.tsx';
import { Icon } from '../components/Icon.tsx';
import { useNow } from '../components/Time.tsx';
import { useBench, useBenchStore } from '../state/client/context.tsx';
import { announce } from '../state/page/toasts.ts';
import { text } from '../text/text.ts';

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
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection.kind === 'waiting') wasLost.current = true;
    else if (connection.kind === 'live' && wasLost.current) {
      wasLost.current = false;
      announce(client.toasts, text.shell.back(who));
    }
  }, [client, who, connection.kind]);
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
