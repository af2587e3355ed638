import { useState } from 'react';
import type { KeyView } from '../../../../server/contract/identity/identity.ts';
import { ActButton } from '../../components/ActButton.tsx';
import { Button } from '../../components/Button.tsx';
import { InlineError } from '../../components/Empty.tsx';
import { type Column, Table } from '../../components/Table.tsx';
import { Ago } from '../../components/Time.tsx';
import { formatInstant } from '../../format/time.ts';
import { useBench } from '../../state/client/context.tsx';
import { useQuery } from '../../state/client/query.ts';
import { text } from '../../text/text.ts';
import { HandOutDialog } from './HandOutDialog.tsx';

const t = text.settings;

/** What a key or an invitation is for. */
export const purposeOf = ({ label, operator }: Pick<KeyView, 'label' | 'operator'>): string =>
  [label, operator ? text.access.operatorBadge : null].filter(Boolean).join(' · ');

/** The keys with owner, purpose, creation and last use. The operator can revoke them and make new ones. */
export function KeysTable() {
  const { service } = useBench();
  const {
    data: keys,
    error,
    reload,
  } = useQuery(['keys'], (service, signal) => service.listKeys({}, { signal }), { live: true });
  const [handing, setHanding] = useState<'key' | 'invite' | undefined>();
  const columns: Column<KeyView>[] = [
    { head: t.keyOwner, cell: ({ username }) => username },
    { head: text.access.label, cell: purposeOf },
    { head: t.keyMade, cell: ({ created_at }) => <Ago at={created_at} /> },
    { head: t.keyUsed, cell: ({ last_used_at: at }) => (at ? <Ago at={at} /> : t.never) },
    { head: t.keyExpires, cell: ({ expires_at: at }) => (at ? formatInstant(Date.parse(at)) : t.never) },
    {
      head: '',
      num: true,
      cell: ({ id, username }) => (
        <ActButton
          kind="danger"
          aria-label={t.revokeOf(username)}
          question={{ title: t.revokeTitle(username), text: t.revokeText, confirm: t.revoke }}
          run={() => service.revokeKey({ key_id: id })}
          onDone={reload}
        >
          {t.revoke}
        </ActButton>
      ),
    },
  ];
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
        <Table className="figures-dense" columns={columns} rows={keys} keyOf={({ id }) => id} />
      )}
    </div>
  );
}
