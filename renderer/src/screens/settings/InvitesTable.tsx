import { Button } from '../../components/Button.tsx';
import { formatInstant } from '../../format/time.ts';
import { showRefusal } from '../../state/actions/actions.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';

const t = text.access;

/** Poll interval, ms: a colleague may redeem one while the operator watches. */
const RENEW_MS = 5_000;

/** The open invitations; nothing without any. */
export function InvitesTable() {
  const client = useBench();
  const { data: invites, reload } = useQuery(
    ['invites'],
    (service, signal) => service.listInvites({}, { signal }),
    { live: true, every: RENEW_MS, keep: true },
  );
  const withdraw = async (id: string) => {
    try {
      await client.service.withdrawInvite({ invite_id: id });
    } catch (reason) {
      showRefusal(client, reason);
    }
    reload();
  };
  if (!invites || invites.length === 0) return null;
  return (
    <div className="settings-wide">
      <h3>{t.invites}</h3>
      <div className="scroll-x">
        <table className="figures figures-dense">
          <thead>
            <tr>
              <th scope="col">{text.settings.keyOwner}</th>
              <th scope="col">{t.label}</th>
              <th scope="col">{text.settings.keyExpires}</th>
              <td />
            </tr>
          </thead>
          <tbody>
            {invites.map(({ id, username, label, operator, expires_at }) => (
              <tr key={id}>
                <th scope="row">{username}</th>
                <td>{[label, operator ? t.operatorBadge : null].filter(Boolean).join(' · ')}</td>
                <td>{formatInstant(Date.parse(expires_at))}</td>
                <td className="num">
                  <Button aria-label={t.withdrawOf(username)} onClick={() => void withdraw(id)}>
                    {t.withdraw}
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  );
}
