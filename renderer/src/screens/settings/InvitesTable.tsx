import { ActButton } from '../../components/ActButton.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import { purposeOf } from './KeysTable.tsx';

const t = text.access;

/** Poll interval, ms: a colleague may redeem one while the operator watches. */
const RENEW_MS = 5_000;

/** The open invitations; nothing without any. */
export function InvitesTable() {
  const { service } = useBench();
  const { data: invites, reload } = useQuery(
    ['invites'],
    (service, signal) => service.listInvites({}, { signal }),
    { live: true, every: RENEW_MS, keep: true },
  );
  if (!invites || invites.length === 0) return null;
  const columns: Column<(typeof invites)[number]>[] = [
    { head: text.settings.keyOwner, cell: ({ username }) => username },
    { head: t.label, cell: purposeOf },
    { head: text.settings.keyExpires, cell: ({ expires_at }) => formatInstant(Date.parse(expires_at)) },
    {
      head: '',
      num: true,
      cell: ({ id, username }) => (
        <ActButton
          aria-label={t.withdrawOf(username)}
          run={() => service.withdrawInvite({ invite_id: id })}
          onDone={reload}
        >
          {t.withdraw}
        </ActButton>
      ),
    },
  ];
  return (
    <div className="settings-wide">
      <h3>{t.invites}</h3>
      <Table className="figures-dense" columns={columns} rows={invites} keyOf={({ id }) => id} />
    </div>
  );
}
