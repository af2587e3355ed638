import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatInstant } from '../../format/time.ts';
import { showRefusal } from '../../state/actions.ts';
import { useBench } from '../../state/context.tsx';
import { useQuery } from '../../state/query.ts';
import { askFirst } from '../../state/questions.ts';
import { text } from '../../text/text.ts';

const t = text.settings;

/** The keys that were handed out: whose, since when, last used; each can be revoked. */
export function KeysTable() {
  const client = useBench();
  const {
    data: keys,
    error,
    reload,
  } = useQuery(['keys'], (service, signal) => service.listKeys({}, { signal }), { live: true });
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
      <h3>{t.keys}</h3>
      {error !== undefined && <InlineError error={error} />}
      {keys?.length === 0 && <p className="muted">{t.noKeys}</p>}
      {keys && keys.length > 0 && (
        <div className="scroll-x">
          <table className="figures figures-dense">
            <thead>
              <tr>
                <th scope="col">{t.keyOwner}</th>
                <th scope="col">{t.keyMade}</th>
                <th scope="col">{t.keyUsed}</th>
                <th scope="col">{t.keyExpires}</th>
                <td />
              </tr>
            </thead>
            <tbody>
              {keys.map(({ id, username, created_at, last_used_at, expires_at }) => (
                <tr key={id}>
                  <th scope="row">{username}</th>
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
