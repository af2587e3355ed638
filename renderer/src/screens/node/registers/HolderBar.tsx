import { useStore } from 'zustand';
import type { NodeView } from '../../../../../server/contract/nodes/nodes.ts';
import { Button } from '../../../components/Button.tsx';
import { Icon } from '../../../components/Icon.tsx';
import { RequestActions } from '../../../components/notices/NoticeActions.tsx';
import { Ago } from '../../../components/Time.tsx';
import { requestControl, withdrawRequest } from '../../../state/actions/control.ts';
import { joinSession, mayJoin, type Part } from '../../../state/actions/holding.ts';
import { useBench } from '../../../state/client/context.tsx';
import { text } from '../../../text/text.ts';

const t = text.registers.holder;

/** The holder of the node, for viewers; the control requests, for the holder. Nothing without a session. */
export function HolderBar({ node, part }: { node: NodeView; part: Part }) {
  const client = useBench();
  // The allowed actions depend on whether the service enforces keys.
  useStore(client.status);
  const { fpga_id, session, control_requests: requests, design } = node;
  if (!session) return null;
  const mine = requests.find(({ owner }) => owner === client.owner);
  if (part !== 'holder')
    return (
      <div className="holder-bar">
        <Icon name="eye" />
        <p>
          <strong>{t.holds(session.owner, design?.filename)}</strong>{' '}
          {part === 'viewer' ? t.looksOn : t.guest}
          {mine && <> {t.asked}</>}
        </p>
        <span className="push" />
        {mine ? (
          <Button onClick={() => void withdrawRequest(client, fpga_id)}>{t.withdraw}</Button>
        ) : (
          <Button onClick={() => void requestControl(client, fpga_id)}>{t.ask}</Button>
        )}
        {part === 'viewer' && mayJoin(client) && (
          <Button kind="quiet" title={t.joinHint} onClick={() => joinSession(node)}>
            {t.join}
          </Button>
        )}
      </div>
    );
  if (requests.length === 0) return null;
  return (
    <ul className="holder-bar holder-asking" aria-label={t.requests}>
      {requests.map(({ owner, since, note }) => (
        <li key={owner}>
          <Icon name="user" />
          <p role="status">
            <strong>{t.asks(owner)}</strong> {note} <Ago at={since} />
          </p>
          <span className="push" />
          <RequestActions node={fpga_id} owner={owner} />
        </li>
      ))}
    </ul>
  );
}
