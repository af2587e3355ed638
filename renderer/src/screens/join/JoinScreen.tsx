import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Switch } from '../../components/Field.tsx';
import { useBench, useBenchStore } from '../../state/client/context.tsx';
import { navigateLater } from '../../state/page/router.ts';
import { showToast } from '../../state/page/toasts.ts';
import { text } from '../../text/text.ts';
import './join.css';

const t = text.access;

/** The screen of an invitation. It redeems the link only on a click: programs that preview links must not use it up. */
export default function JoinScreen({ code }: { code: string }) {
  const client = useBench();
  const signedIn = useBenchStore(
    ({ identity }) => identity,
    (identity) => identity.signedIn,
  );
  const [kept, setKept] = useState(true);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const join = async () => {
    const goOn = navigateLater();
    setBusy(true);
    setError(undefined);
    try {
      const { api_key, owner } = await client.service.redeemInvite({ body: { code } });
      client.signIn({ apiKey: api_key, username: owner, minted: true, kept });
      // The link is used up: leave no history entry.
      goOn({ kind: 'bench' }, true);
      showToast(client.toasts, { tone: 'good', text: t.joined(owner) });
    } catch (reason) {
      setError(reason);
      setBusy(false);
    }
  };
  return (
    <section className="screen" aria-label={t.joinTitle}>
      <div className="screen-body join">
        <div className="panel stack">
          <h1>{t.joinTitle}</h1>
          <p>{signedIn ? t.joinInstead(signedIn.username) : t.joinText}</p>
          <Switch label={t.keep} hint={t.keepHint} checked={kept} onChange={setKept} />
          {error !== undefined && <InlineError error={error} />}
          <div className="row-end">
            <Button kind="primary" busy={busy} disabled={busy} onClick={() => void join()}>
              {t.join}
            </Button>
          </div>
        </div>
      </div>
    </section>
  );
}
