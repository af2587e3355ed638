import { useState } from 'react';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatInstant } from '../../format/time.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { askFirst } from '../../state/page/dialogs.ts';
import { text } from '../../text/text.ts';
import { HandOutDialog } from './HandOutDialog.tsx';

const t = text.settings;

/** The keys with owner, purpose, creation and last use. The operator can revoke them and make new ones. */
export function KeysTable() {
  const client = useBench();
  const {
    data: keys,
    error,
    reload,
  } = useQuery(['keys'], (service, signal) => service.listKeys({}, { signal }), { live: true });
  const [handing, setHanding] = useState<'key' | 'invite' | undefined>();
  const revoke = async (id: string) => {
    try {
      await client.service.revokeKey({ key_id: id });
      reload();
    } catch (reason) {
      showRefusal(client, reason);
    }
  };
  return (
    <div className="settings-wide">
      <div className="row settings-keys-head">
        <h3>{text.access.keys}</h3>
        <Button className="push" onClick={() => setHanding('key')}>
          {text.access.hand}
        </Button>
        <Button onClick={() => setHanding('invite')}>{text.access.invite}</Button>
      </div>
      {handing && <HandOutDialog what={handing} onClose={() => setHanding(undefined)} onMade={reload} />}
      {error !== undefined && <InlineError error={error} />}
      {keys?.length === 0 && <p className="muted">{text.access.noKeys}</p>}
      {keys && keys.length > 0 && (
        <div className="scroll-x">
          <table className="figures figures-dense">
            <thead>
              <tr>
                <th scope="col">{t.keyOwner}</th>
                <th scope="col">{text.access.label}</th>
                <th scope="col">{t.keyMade}</th>
                <th scope="col">{t.keyUsed}</th>
                <th scope="col">{t.keyExpires}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {keys.map(({ id, username, label, operator, created_at, last_used_at, expires_at }) => (
                <tr key={id}>
                  <th scope="row">{username}</th>
                  <td>{[label, operator ? text.access.operatorBadge : null].filter(Boolean).join(' · ')}</td>
                  <td>
                    <Ago at={created_at} />
                  </td>
                  <td>{last_used_at ? <Ago at={last_used_at} /> : t.never}</td>
                  <td>{expires_at ? formatInstant(Date.parse(expires_at)) : t.never}</td>
                  <td className="num">
                    <Button
                      kind="danger"
                      aria-label={t.revokeOf(username)}
                      onClick={() =>
                        askFirst(client.questions, {
                          title: t.revokeTitle(username),
                          text: t.revokeText,
                          confirm: t.revoke,
                          run: () => void revoke(id),
                        })
                      }
                    >
                      {t.revoke}
                    </Button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
