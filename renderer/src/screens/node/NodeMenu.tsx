import type { NodeView } from '../../../../server/contract/nodes/nodes.ts';
import { CopyText } from '../../components/CopyText.tsx';
import { Popover } from '../../components/Popover.tsx';
import { formatInstant } from '../../format/time.ts';
import { text } from '../../text/text.ts';
import { NodeActions } from './NodeActions.tsx';

const t = text.node;
/** A service that enforces keys shows this id to everybody but the holder. */
const HIDDEN_SESSION = '00000000-0000-0000-0000-000000000000';

/** The details behind the header's line: board, session id, end of the session. A narrow header's actions are here too. */
export function NodeMenu({ node }: { node: NodeView }) {
  const { fpga_id: id, board, session } = node;
  return (
    <Popover className="node-menu" icon="more" label={t.details(id)}>
      <NodeActions node={node} />
      <dl className="facts facts-column">
        <div>
          <dt>{t.board}</dt>
          <dd>
            {board.name} <span className="mono muted">{board.id}</span>
          </dd>
        </div>
        {session && (
          <>
            <div>
              <dt>{t.owner}</dt>
              <dd>{session.owner}</dd>
            </div>
            <div>
              <dt>{t.session}</dt>
              <dd>
                {session.session_id === HIDDEN_SESSION ? (
                  <span className="muted">{t.sessionHidden}</span>
                ) : (
                  <CopyText value={session.session_id} label={t.sessionId} />
                )}
              </dd>
            </div>
            <div>
              <dt>{t.expires}</dt>
              <dd>{t.endsAt(formatInstant(Date.parse(session.expires_at)))}</dd>
            </div>
          </>
        )}
      </dl>
    </Popover>
  );
}
