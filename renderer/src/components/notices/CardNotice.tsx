import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { useBench } from '../../state/client/context.tsx';
import { useInLine } from '../../state/client/use-in-line.ts';
import { openRequests } from '../../state/notices/requests.ts';
import { warningsAt } from '../../state/notices/sessions.ts';
import { text } from '../../text/text.ts';
import { Icon } from '../Icon.tsx';
import { TimeLeft, useNow } from '../Time.tsx';
import './card-notice.css';

const t = text.notices;

/** Whether the own session of a node is near its end. */
export function useEndsSoon({ session }: Pick<NodeView, 'session'>): boolean {
  const client = useBench();
  const mine = session !== null && session.owner === client.owner;
  const now = useNow(mine ? 5000 : null);
  return mine && Date.parse(session.expires_at) - now <= warningsAt(client)[0] * 1000;
}

/** What a card says to this person first: who requests control, the near end of the session, the place in line. */
export function CardNotice({ node }: { node: NodeView }) {
  const client = useBench();
  const { fpga_id: id, session } = node;
  const [request, ...others] = openRequests([node], client.owner);
  const soon = useEndsSoon(node);
  const place = useInLine(id).find(
    ({ owner, job_id: job }) => client.mine.has(job) || (client.named && owner === client.owner),
  )?.place;
  if (request) {
    const words = t.asksShort(request.owner, others.length);
    return (
      <span className="card-notice" title={t.asks(request.owner, id, request.note)}>
        <Icon name="user" size={13} />
        <span className="truncate">{words}</span>
      </span>
    );
  }
  if (soon && session)
    return (
      <span className="card-notice">
        <Icon name="warning" size={13} />
        <span className="truncate">
          {t.endsIn} <TimeLeft at={session.expires_at} />
        </span>
      </span>
    );
  if (typeof place !== 'number') return null;
  return (
    <span className="card-notice card-notice-calm">
      <Icon name="queued" size={13} />
      <span className="truncate">{t.place(text.ordinal(place))}</span>
    </span>
  );
}
